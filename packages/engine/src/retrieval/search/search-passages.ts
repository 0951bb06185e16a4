import { clauseNumber } from '../chunking/find-clauses.ts'
import type { Embedder } from '../embedders/embedder.ts'
import type { PassageStore, Ranked } from '../passage-store.ts'
import { exactTerms, hasWords, holdsTerm, wordsOf } from './query-terms.ts'

export type SearchMode = 'semantic' | 'keyword' | 'exact' | 'hybrid'

export interface SearchSettings {
  readonly mode: SearchMode
  readonly weights: { readonly semantic: number; readonly keyword: number; readonly exact: number }
  readonly rrfK: number
  readonly topK: number
  readonly minScore: number | null
}

export interface SearchDeps {
  readonly store: PassageStore
  /** `null` only without semantic search. */
  readonly embedder: Embedder | null
}

/** How many results of each list are fused. */
const leastPool = 30

export async function searchPassages(
  { store, embedder }: SearchDeps,
  query: string,
  { settings, signal }: { settings: SearchSettings; signal: AbortSignal },
): Promise<readonly Ranked[]> {
  const { mode, weights, rrfK, topK, minScore } = settings
  const pool = Math.max(leastPool, topK)

  async function semantic(): Promise<readonly Ranked[]> {
    if (embedder === null || !hasWords(query)) return []
    const [vector] = await embedder.embed([query], signal)
    return vector === undefined ? [] : store.nearest(vector, pool)
  }
  const keyword = () => store.matchingWords(wordsOf(query), pool)
  const exact = () => exactSearch(store, query, mode === 'exact')

  async function ranked(): Promise<readonly Ranked[]> {
    if (mode === 'semantic') return semantic()
    if (mode === 'keyword') return relative(keyword())
    if (mode === 'exact') return exact()
    const named = weights.exact > 0 ? exact() : []
    return fuseRanks(
      [
        { weight: weights.semantic, results: namedFirst(weights.semantic > 0 ? await semantic() : [], named) },
        { weight: weights.keyword, results: namedFirst(keyword(), named) },
        { weight: weights.exact, results: named },
      ],
      rrfK,
    )
  }
  return (await ranked()).filter(({ score }) => minScore === null || score >= minScore).slice(0, topK)
}

/**
 * A query with an identifier (`BW-2140`) is about it: the passages with most of its identifiers come first in every
 * list, in the list's own order. Otherwise passages that are slightly similar in two ways would rank above the one it
 * names.
 */
function namedFirst(results: readonly Ranked[], named: readonly Ranked[]): readonly Ranked[] {
  const holders = new Map(named.filter(({ score }) => score === named[0]?.score).map((ranked) => [ranked.id, ranked]))
  const known = results.filter(({ id }) => holders.has(id))
  for (const { id } of known) holders.delete(id)
  return [...known, ...holders.values(), ...results.filter((ranked) => !known.includes(ranked))]
}

/** BM25 scores have no scale: the best becomes 1. */
function relative(results: readonly Ranked[]): Ranked[] {
  const best = results[0]?.score ?? 0
  return results.map(({ id, score }) => ({ id, score: best <= 0 ? 1 : Math.max(0, score / best) }))
}

/** Matches per term: a term with more is too common to be a name. */
const candidates = 200

/**
 * Passages with the exact terms of the query, ranked by their number. A clause whose own number is asked for ranks
 * above passages that mention it. `isWhole`: a query without such terms counts as one term.
 */
function exactSearch(store: PassageStore, query: string, isWhole: boolean): Ranked[] {
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
      found.set(passage.id, { terms: before.terms + (own ? 2 : 1), words: before.words + (score.get(passage.id) ?? 0) })
    }
  }
  return [...found]
    .sort(([one, a], [other, b]) => b.terms - a.terms || b.words - a.words || one - other)
    .map(([id, { terms: count }]) => ({ id, score: Math.min(1, count / terms.length) }))
}

const wordsInOrder = (term: string): string[] => term.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

interface WeightedList {
  readonly weight: number
  readonly results: readonly Ranked[]
}

/**
 * Reciprocal rank fusion: joins lists with incomparable scores by rank. Σ weight / (k + rank), relative to the first
 * rank in every non-empty list: 1 means first everywhere.
 */
export function fuseRanks(lists: readonly WeightedList[], k: number): Ranked[] {
  const speaking = lists.filter(({ weight, results }) => weight > 0 && results.length > 0)
  const best = speaking.reduce((sum, { weight }) => sum + weight / (k + 1), 0)
  const scores = new Map<number, number>()
  for (const { weight, results } of speaking) {
    for (const [index, { id }] of results.entries())
      scores.set(id, (scores.get(id) ?? 0) + weight / (k + index + 1) / best)
  }
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((one, other) => other.score - one.score || one.id - other.id)
}
