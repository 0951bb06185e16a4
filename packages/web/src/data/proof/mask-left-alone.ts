// Digits of an answer that are not claims: code, addresses, dates, times, versions, references to steps, and names.

const masks: readonly RegExp[] = [
  /(^|\n) {0,3}(`{3,}|~{3,})[\s\S]*?(?:\n {0,3}\2|$)/g,
  /(`+)[^`]+?\1/g,
  /!?\[[^\]]*\]\([^)]*\)/g,
  /https?:\/\/\S+/g,
  /^[ \t>]*\d{1,9}[.)](?=\s)/gm,
  /\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}[\d:.]*Z?)?(?![\d%])/g,
  /\d{1,2}\/\d{1,2}\/\d{2,4}|\d{1,2}\.\d{1,2}\.\d{2,4}(?!\d)/g,
  /\d{1,2}:\d{2}(?::\d{2})?/g,
  /(?<![\d.])(?!\d{1,3}(?:\.\d{3})+(?![\d.]))\d+(?:\.\d+){2,}/g,
  /\d+\/\d+/g,
  /\bsteps?[ _#]*\d+(?![\d]|[.,]\d|\s?%)(?:(?:\s*(?:,|and|&|to|–|-)\s*)\d+(?![\d]|[.,]\d|\s?%))*/gi,
  /(?<!\d)(?:19|20)\d\d\s?[-–/]\s?(?:\d\d|(?:19|20)\d\d)(?![\d.,%])/g,
]

/** Replaces every such part with letters of the same length, so that positions stay. */
export function maskLeftAlone(text: string, names: Iterable<string>): string {
  let masked = text
  for (const mask of masks) masked = masked.replace(mask, cover)
  for (const name of names) {
    if (!/\d/.test(name) || !/\p{L}/u.test(name)) continue
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      if (isWordPart(text[at - 1]) || isWordPart(text[at + name.length])) continue
      masked = masked.slice(0, at) + cover(name) + masked.slice(at + name.length)
    }
  }
  return masked
}

const cover = (part: string): string => 'x'.repeat(part.length)

const isWordPart = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character)
