// Reciprocal rank fusion: lists whose scores do not compare are joined by the places in them.
import type { Ranked } from '../passage-store.ts'

export interface WeightedList {
  readonly weight: number
  readonly results: readonly Ranked[]
}

/**
 * Σ weight / (k + place), as a part of what the first place in every list with a result would give: 1 is first everywhere.
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
