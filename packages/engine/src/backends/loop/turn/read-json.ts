/** The JSON value in an answer, `undefined` where there is none: models like to put a fence around it, or a sentence before. */
export function readJson(text: string): unknown {
  for (const candidate of [text, fencedIn(text), bracedIn(text)]) {
    if (candidate === null) continue
    try {
      return JSON.parse(candidate)
    } catch {
      // The next candidate, or none: then it is not JSON.
    }
  }
  return undefined
}

// No patterns below: over the text of a model that means harm they would never end.

function fencedIn(text: string): string | null {
  const pieces = text.split('```')
  // Every second piece is inside; the last one would have no end.
  for (let index = 1; index < pieces.length - 1; index += 2) {
    const piece = pieces[index] ?? ''
    const lineEnd = piece.indexOf('\n')
    if (lineEnd >= 0 && ['', 'json'].includes(piece.slice(0, lineEnd).trim())) return piece.slice(lineEnd)
  }
  return null
}

function bracedIn(text: string): string | null {
  const begins = [text.indexOf('['), text.indexOf('{')].filter((index) => index >= 0)
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'))
  return begins.length === 0 ? null : text.slice(Math.min(...begins), end + 1)
}
