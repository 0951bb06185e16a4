/**
 * At most `limit` code units from the beginning, without half of a surrogate pair: providers and collectors refuse one.
 */
export function cutText(text: string, limit: number): string {
  const cut = text.slice(0, limit)
  return cut.length < text.length && isFirstHalf(cut.charCodeAt(cut.length - 1)) ? cut.slice(0, -1) : cut
}

/** The text, or its beginning with an ellipsis: at most `limit` code units. */
export function ellipsize(text: string, limit: number): string {
  if (text.length <= limit) return text
  return limit < 1 ? '' : `${cutText(text, limit - 1).trimEnd()}…`
}

/** At most `limit` code units from the end, without half of a surrogate pair. */
export const lastPart = (text: string, limit: number): string =>
  text.slice(Math.max(0, text.length - limit)).replace(/^[\uDC00-\uDFFF]/, '')

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
