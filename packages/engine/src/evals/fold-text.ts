// Texts are compared as they are, or with what should not count taken out of both.
export interface Folding {
  readonly isCaseInsensitive: boolean
  readonly stripsWhitespace: boolean
  readonly stripsPunctuation: boolean
}

export function foldText(text: string, folding: Folding): string {
  let folded = text.normalize('NFC')
  // Up and down again: letters that are written in two ways in small (ß, ss; σ, ς) become one.
  if (folding.isCaseInsensitive) folded = folded.toUpperCase().toLowerCase()
  if (folding.stripsPunctuation) folded = folded.replaceAll(/[\p{P}$+<=>^`|~]/gu, '')
  if (folding.stripsWhitespace) folded = folded.replaceAll(/\s+/gu, ' ').trim()
  return folded
}
