// A letter beyond the first 65,536 is two halves in a string. A half alone is no text: providers and collectors refuse it.

/** At most `limit` letters from the beginning, and no half of one. */
export function cutText(text: string, limit: number): string {
  const cut = text.slice(0, limit)
  return cut.length < text.length && isFirstHalf(cut.charCodeAt(cut.length - 1)) ? cut.slice(0, -1) : cut
}

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Each half that is alone becomes the sign for an unreadable letter. */
export const wholeText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD')
