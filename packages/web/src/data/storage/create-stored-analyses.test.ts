import { expect, it } from 'vitest'
import type { SentEntry } from '../domain/analysis.ts'
import { sampleAnalysis } from '../domain/sample-analysis.fixture.ts'
import { createStoredAnalyses } from './create-stored-analyses.ts'
import { createMemoryRecords, type RecordChange } from './records.ts'

const entry = (n: number): SentEntry => ({
  at: `2026-01-01T00:00:${String(n).padStart(2, '0')}.000Z`,
  what: 'result',
  body: `body ${n}`,
  bytes: 6,
  rows: 0,
  level: 1,
  step: n,
})
const sentOf = (count: number) => Array.from({ length: count }, (_, index) => entry(index))
const analysisOf = (count: number) => ({ ...sampleAnalysis, id: 'a1', sent: sentOf(count) })
const summary = { id: 'a1', title: 't', createdAt: '', changedAt: '', questions: 0, lastState: null, lastAsk: null }

function openAnalyses() {
  const records = createMemoryRecords()
  const writes: (readonly RecordChange[])[] = []
  const watched = {
    ...records,
    write(changes: readonly RecordChange[]) {
      writes.push(changes)
      return records.write(changes)
    },
  }
  const open = () => createStoredAnalyses(watched, () => undefined)
  const written = () => writes.map((changes) => changes.filter(({ store }) => store === 'ledger').length)
  return { records, open, written }
}

it('writes each sent entry once, and loads all in order', async () => {
  const { open, written } = openAnalyses()
  const kept = open()
  for (const count of [11, 11, 12]) await kept.save(analysisOf(count), summary)
  expect(written()).toEqual([11, 0, 1])
  expect((await open().load('a1'))?.sent).toEqual(sentOf(12))
})

it('continues after another tab, and writes all entries if the stored state is unknown', async () => {
  const { open, written } = openAnalyses()
  await open().save(analysisOf(3), summary)
  const second = open()
  await second.load('a1')
  await second.save(analysisOf(4), summary)
  await open().save(analysisOf(5), summary)
  expect(written()).toEqual([3, 1, 5])
  expect((await open().load('a1'))?.sent).toEqual(sentOf(5))
})

it('loads the old format of sent entries, and removes it with its analysis', async () => {
  const { open, records } = openAnalyses()
  const { sent, ...rest } = analysisOf(2)
  await records.write([{ store: 'analyses', key: 'a1', value: { ...rest, ledger: sent } }])
  const kept = open()
  expect((await kept.load('a1'))?.sent).toEqual(sentOf(2))
  await kept.save(analysisOf(3), summary)
  expect((await kept.load('a1'))?.sent).toEqual(sentOf(3))
  await kept.remove('a1')
  expect(await kept.load('a1')).toBeNull()
  expect(await records.under('ledger', 'a1')).toEqual([])
})
