import type { Embedder } from '../embedders/embedder.ts'
import type { PassageStore, Ranked } from '../passage-store.ts'
import { exactSearch } from './exact-search.ts'
import { fuseRanks } from './fuse-ranks.ts'
import { wordsOf } from './query-terms.ts'

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
  /** `null` only where nothing is searched by meaning. */
  readonly embedder: Embedder | null
}

/** How far down each list is looked when lists are joined. */
const leastPool = 50

export async function searchPassages(
  { store, embedder }: SearchDeps,
  query: string,
  { settings, signal }: { settings: SearchSettings; signal: AbortSignal },
): Promise<readonly Ranked[]> {
  const { mode, weights, rrfK, topK, minScore } = settings
  const pool = Math.max(leastPool, topK * 3)

  async function semantic(): Promise<readonly Ranked[]> {
    if (embedder === null) return []
    const [vector] = await embedder.embed([query], signal)
    return vector === undefined ? [] : store.nearest(vector, pool)
  }
  const keyword = () => store.matchingWords(wordsOf(query), pool)
  const exact = () => exactSearch(store, query, mode === 'exact')

  async function ranked(): Promise<readonly Ranked[]> {
    if (mode === 'semantic') return semantic()
    if (mode === 'keyword') return relative(keyword())
    if (mode === 'exact') return exact()
    return fuseRanks(
      [
        { weight: weights.semantic, results: weights.semantic > 0 ? await semantic() : [] },
        { weight: weights.keyword, results: keyword() },
        { weight: weights.exact, results: exact() },
      ],
      rrfK,
    )
  }
  return (await ranked()).filter(({ score }) => minScore === null || score >= minScore).slice(0, topK)
}

/** BM25 has no scale of its own: the best is 1. */
function relative(results: readonly Ranked[]): Ranked[] {
  const best = results[0]?.score ?? 0
  return results.map(({ id, score }) => ({ id, score: best <= 0 ? 1 : Math.max(0, score / best) }))
}
