import { clauseNumber } from '../chunking/find-clauses.ts'
import type { PassageStore, Ranked } from '../passage-store.ts'
import { exactTerms, holdsTerm } from './query-terms.ts'

/** Matches per term: a term with more is too common to be a name. */
const candidates = 200

/**
 * Passages with the exact terms of the query, ranked by their number. A clause whose own number is asked for ranks
 * above passages that mention it. `isWhole`: a query without such terms counts as one term.
 */
export function exactSearch(store: PassageStore, query: string, isWhole: boolean): Ranked[] {
  const named = exactTerms(query)
  const terms = named.length === 0 && isWhole ? [query.trim()] : named
  const found = new Map<number, { terms: number; words: number }>()
  for (const term of terms) {
    const ranked = store.matchingPhrase(wordsInOrder(term), candidates)
    const score = new Map(ranked.map(({ id, score }) => [id, score]))
    for (const passage of store.load(ranked.map(({ id }) => id))) {
      const own = clauseNumber(passage.headings.at(-1) ?? '') === term || passage.row === term
      const text = [...passage.headings, passage.row ?? '', passage.text].join('\n')
      if (!own && !holdsTerm(text, term)) continue
      const before = found.get(passage.id) ?? { terms: 0, words: 0 }
      found.set(passage.id, {
        terms: before.terms + (own ? 2 : 1),
        words: before.words + (score.get(passage.id) ?? 0),
      })
    }
  }
  return [...found]
    .sort(([one, a], [other, b]) => b.terms - a.terms || b.words - a.words || one - other)
    .map(([id, { terms: count }]) => ({ id, score: Math.min(1, count / terms.length) }))
}

const wordsInOrder = (term: string): string[] => term.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
