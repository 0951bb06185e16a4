// The words and exact terms of a query.

/** Stop words. */
const stopWords = new Set(
  (
    'a about after all also am an and any are as at be been before but by can could did do does done for from get had has ' +
    'have he her his how i if in into is it its me my no not of on one or our she should so than that the their them then ' +
    'there these they this those to up us was we were what when where which who why will with would you your'
  ).split(' '),
)

/**
 * Words to search, as written: `9.3` and `BW-2140` stay together. Stop words are left out unless there are no others.
 */
export function wordsOf(text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/[\s"“”]+/)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '')
  const significant = words.filter((word) => !stopWords.has(word))
  return [...new Set(significant.length > 0 ? significant : words)]
}

/** Whether a text has words. A line of dashes has none, and embedders have no vector for it. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/**
 * Terms that must occur exactly: "quoted words", and identifiers: `4.2`, `BW-2140`, `SEV2`, `E-117`, `CVE-2031-11873`.
 */
export function exactTerms(query: string): string[] {
  const quoted = [...query.matchAll(/["“”]([^"“”]+)["“”]/g)].map(([, words]) => (words ?? '').trim())
  const rest = query.replaceAll(/["“”][^"“”]+["“”]/g, ' ')
  const names = rest
    .split(/[\s,;!?()[\]{}'’]+/)
    .map((word) => word.replace(/^[.:]+|[.:]+$/g, ''))
    .filter(isName)
  return [...new Set([...quoted, ...names])].filter((term) => term !== '')
}

const isName = (word: string): boolean =>
  (/\d/.test(word) && (/[\p{L}]/u.test(word) || /\d[.\-/:]\d/.test(word))) ||
  (/^[\p{Lu}\d]{2,}(?:-[\p{L}\d]+)*$/u.test(word) && /\p{Lu}/u.test(word))

/** Case-sensitive for letters only: DO is dissolved oxygen, do is not. */
const isAcronym = (term: string): boolean => /^\p{Lu}+$/u.test(term)

/** Whether the term occurs on its own and not inside a longer one: `4.2` is not in `4.2.1` or `14.2`. */
export function holdsTerm(text: string, term: string): boolean {
  const escaped = term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+')
  return new RegExp(
    `(?<![\\p{L}\\p{N}]|[\\p{N}][.\\-])${escaped}(?![\\p{L}\\p{N}]|[.\\-][\\p{N}])`,
    isAcronym(term) ? 'u' : 'iu',
  ).test(text)
}
