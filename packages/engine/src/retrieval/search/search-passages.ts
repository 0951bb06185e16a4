import type { Embedder } from '../embedders/embedder.ts'
import type { PassageStore, Ranked } from '../passage-store.ts'
import { exactSearch } from './exact-search.ts'
import { fuseRanks } from './fuse-ranks.ts'
import { hasWords, wordsOf } from './query-terms.ts'

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
