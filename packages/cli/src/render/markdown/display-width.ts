const wide =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}])/u
// Pictographs that terminals draw in one column unless a variation selector asks for the picture.
const narrow = /^[\u00A9\u00AE\u2010-\u2BFF]$/u
const ascii = /^[\x20-\x7E]*$/
const graphemes = new Intl.Segmenter()

/** How many columns of a terminal the text takes. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) && !narrow.test(segment) ? 2 : 1
  return width
}

/** The text in pieces of at most this width. */
export function cutToWidth(text: string, width: number): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  for (const { segment } of graphemes.segment(text)) {
    if (piece !== '' && displayWidth(piece + segment) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += segment
  }
  return [...pieces, piece]
}
