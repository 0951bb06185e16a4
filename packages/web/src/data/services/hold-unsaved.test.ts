import { expect, it } from 'vitest'
import { newAnalysis, summaryOf } from '../runs/state/new-analysis.ts'
import { StorageError } from '../storage/browser-storage.ts'
import { createStoredAnalyses } from '../storage/create-stored-analyses.ts'
import { createMemoryRecords } from '../storage/records.ts'
import { holdUnsaved } from './hold-unsaved.ts'

it('keeps an analysis in memory until there is space, and reports it', async () => {
  const records = createMemoryRecords()
  let isFull = true
  const analyses = holdUnsaved(
    createStoredAnalyses(
      {
        ...records,
        write: (changes) => (isFull ? Promise.reject(new StorageError('full', 'no space')) : records.write(changes)),
      },
      () => undefined,
    ),
  )
  const begun = newAnalysis('a1', ['sales'], '2026-01-01T00:00:00.000Z')
  await analyses.save(begun, summaryOf(begun))
  expect(await analyses.load('a1')).toEqual(begun)
  expect((await analyses.list()).map(({ id }) => id)).toEqual(['a1'])
  expect(analyses.unsaved()).toEqual(['a1'])
  isFull = false
  await analyses.save(begun, summaryOf(begun))
  expect(analyses.unsaved()).toEqual([])
  expect(await records.get('analyses', 'a1')).toMatchObject({ id: 'a1' })
})
