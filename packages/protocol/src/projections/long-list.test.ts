import { describe, expect, it } from 'vitest'
import { editList, type LongList } from './long-list.ts'
import { createRandom } from './sample-log.fixture.ts'

function listOf(count: number): LongList<number> {
  const edit = editList<number>([])
  for (let index = 0; index < count; index += 1) edit.push(index)
  return edit.close()
}

describe('a long list', () => {
  it('copies only the last piece for a change at its end', () => {
    const before = listOf(10_000)
    const edit = editList(before)
    expect(edit.push(-1)).toBe(10_000)
    const after = edit.close()
    expect(after.flatMap((piece, index) => (piece === before[index] ? [] : [index]))).toEqual([before.length - 1])
    expect(before.flat()).toHaveLength(10_000)
    expect(after.flat().at(-1)).toBe(-1)
  })

  it('behaves like an array, and leaves the earlier version unchanged', () => {
    const random = createRandom(7)
    const plain: number[] = []
    let list: LongList<number> = []
    for (let round = 0; round < 300; round += 1) {
      const before = list.flat()
      const edit = editList(list)
      for (let step = random(12); step >= 0; step -= 1) expect(edit.push(round)).toBe(plain.push(round) - 1)
      const itemIndex = random(plain.length)
      edit.set(itemIndex, -round)
      plain[itemIndex] = -round
      if (round % 3 === 0) {
        const gone = random(plain.length)
        edit.removeAt(gone)
        plain.splice(gone, 1)
      }
      expect([edit.length(), edit.at(itemIndex)]).toEqual([plain.length, plain[itemIndex]])
      expect(list.flat()).toEqual(before)
      list = edit.close()
      expect(list.flat()).toEqual(plain)
    }
  })
})
