import { expect, it } from 'vitest'
import { callsOf, type Entry } from './entry.ts'
import { repairEntries } from './read-entries.ts'

const prompt = (text: string): Entry => ({ type: 'prompt', messageId: null, text, images: [] })
const answer = (messageId: string, ...ids: readonly string[]): Entry => ({
  type: 'answer',
  messageId,
  model: 'm',
  parts: ids.map((toolUseId) => ({ type: 'call', toolUseId, toolName: 'one', toolInput: {}, unreadable: null })),
})
const results = (...ids: readonly string[]): Entry => ({
  type: 'results',
  results: ids.map((toolUseId) => ({ toolUseId, output: 'yes', isError: false, images: [] })),
})

const whole = [
  ...[prompt('do'), answer('m1', 'a', 'b', 'c'), results('b'), results('a'), results('c'), answer('m2', 'd')],
  ...[results('d'), answer('m3'), prompt('more'), answer('m4')],
]

/** The order that providers require: an answer is followed directly by the results of all its calls. */
function expectWellFormed(entries: readonly Entry[]): void {
  let open: string[] = []
  for (const entry of entries) {
    if (entry.type === 'results') {
      for (const { toolUseId } of entry.results) expect(open.splice(open.indexOf(toolUseId), 1)).toEqual([toolUseId])
      continue
    }
    expect(open).toEqual([])
    if (entry.type === 'answer') open = callsOf(entry.parts).map(({ toolUseId }) => toolUseId)
  }
  expect(open).toEqual([])
}

it('keeps calls with their results whichever lines are lost, and readable entries in order', () => {
  expect(repairEntries(whole)).toEqual(whole)
  for (let mask = 1; mask < 2 ** whole.length; mask += 1) {
    const read = whole.map((entry, index) => ((mask >> index) & 1 ? null : entry))
    const mended = repairEntries(read)
    expect(mended).toHaveLength(whole.length)
    expectWellFormed(mended)
    for (const [index, entry] of read.entries()) {
      if (entry !== null && entry.type !== 'results') expect(mended[index]).toEqual(entry)
    }
  }
})

it('marks where entries were lost and which results are unknown', () => {
  const [note] = repairEntries([null, answer('m1', 'a'), null])
  expect(note).toMatchObject({ type: 'note', text: expect.stringContaining('was lost here') })
  const [, , result] = repairEntries([prompt('do'), answer('m1', 'a'), null, prompt('more')])
  expect(result).toMatchObject({
    results: [{ toolUseId: 'a', isError: true, output: expect.stringContaining('unknown') }],
  })
})
