// What a question asks for word by word.

/** Words as the index knows them. */
export const wordsOf = (text: string): string[] => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]

/**
 * What has to stand in a passage exactly as written: "quoted words", and names that are no words: `4.2`, `BW-2140`,
 * `SEV2`, `E-117`, `CVE-2031-11873`.
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

/** Whether the term stands in the text by itself and not inside a longer one: `4.2` is not in `4.2.1` nor `14.2`. */
export function holdsTerm(text: string, term: string): boolean {
  const escaped = term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+')
  return new RegExp(`(?<![\\p{L}\\p{N}]|[\\p{N}][.\\-])${escaped}(?![\\p{L}\\p{N}]|[.\\-][\\p{N}])`, 'iu').test(text)
}
