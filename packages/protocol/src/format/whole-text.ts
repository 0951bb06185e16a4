// A character beyond the first 65,536 is a surrogate pair in a string. Providers and collectors refuse half of a pair.

/** At most `limit` code units from the beginning, without half of a surrogate pair. */
export function cutText(text: string, limit: number): string {
  const cut = text.slice(0, limit)
  return cut.length < text.length && isFirstHalf(cut.charCodeAt(cut.length - 1)) ? cut.slice(0, -1) : cut
}

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Replaces each lone surrogate by the replacement character. */
export const wholeText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD')
