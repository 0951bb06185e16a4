import { describe, expect, it } from 'vitest'
import { fuseRanks } from './search-passages.ts'

const list = (weight: number, ...ids: number[]) => ({
  weight,
  results: ids.map((id, index) => ({ id, score: 1 - index / 10 })),
})

describe('fuseRanks', () => {
  it('adds weight / (k + rank) over the lists, relative to the best possible score', () => {
    const fused = fuseRanks([list(0.5, 1, 2), list(0.3, 2, 3)], 60)
    const best = 0.5 / 61 + 0.3 / 61
    expect(fused.map(({ id }) => id)).toEqual([2, 1, 3])
    expect(fused[0]?.score).toBeCloseTo((0.5 / 62 + 0.3 / 61) / best, 10)
    expect(fused[1]?.score).toBeCloseTo(0.5 / 61 / best, 10)
  })

  it('returns 1 for the first in every list, even if another list is empty', () => {
    expect(fuseRanks([list(0.5, 1), list(0.3, 1), list(0.2)], 60)).toEqual([{ id: 1, score: 1 }])
  })

  it('follows the weights', () => {
    expect(fuseRanks([list(0.9, 1, 2), list(0.1, 2, 1)], 60)[0]?.id).toBe(1)
    expect(fuseRanks([list(0.1, 1, 2), list(0.9, 2, 1)], 60)[0]?.id).toBe(2)
    expect(fuseRanks([list(0, 1), list(1, 2)], 60)).toEqual([{ id: 2, score: 1 }])
  })

  it('gives the top ranks more weight for a smaller k', () => {
    const lists = [list(0.5, 1, 2, 3), list(0.5, 4, 2, 3)]
    expect(fuseRanks(lists, 60)[0]?.id).toBe(2)
    expect(fuseRanks(lists, 1)[0]?.id).toBe(2)
    expect(fuseRanks([list(0.5, 1, 5, 6, 2), list(0.5, 4, 7, 8, 2)], 1)[0]?.id).toBe(1)
    expect(fuseRanks([list(0.5, 1, 5, 6, 2), list(0.5, 4, 7, 8, 2)], 60)[0]?.id).toBe(2)
  })
})
