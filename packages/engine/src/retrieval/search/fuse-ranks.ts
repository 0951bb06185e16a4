// Reciprocal rank fusion: joins lists with incomparable scores by rank.
import type { Ranked } from '../passage-store.ts'

export interface WeightedList {
  readonly weight: number
  readonly results: readonly Ranked[]
}

/** Σ weight / (k + rank), relative to the first rank in every non-empty list: 1 means first everywhere. */
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
