import { expect, it } from 'vitest'
import { createKeptAnalyses } from '../kept/create-kept-analyses.ts'
import { KeptError } from '../kept/kept.ts'
import { createMemoryRecords } from '../kept/records.ts'
import { newAnalysis, summaryOf } from '../runs/new-analysis.ts'
import { holdUnkept } from './hold-unkept.ts'

it('holds what there is no space for until there is, and says so', async () => {
  const records = createMemoryRecords()
  let isFull = true
  const analyses = holdUnkept(
    createKeptAnalyses(
      {
        ...records,
        write: (changes) => (isFull ? Promise.reject(new KeptError('full', 'no space')) : records.write(changes)),
      },
      () => undefined,
    ),
  )
  const begun = newAnalysis('a1', ['sales'], '2026-01-01T00:00:00.000Z')
  await analyses.save(begun, summaryOf(begun))
  expect(await analyses.load('a1')).toEqual(begun)
  expect((await analyses.list()).map(({ id }) => id)).toEqual(['a1'])
  expect(analyses.unkept()).toEqual(['a1'])
  isFull = false
  await analyses.save(begun, summaryOf(begun))
  expect(analyses.unkept()).toEqual([])
  expect(await records.get('analyses', 'a1')).toMatchObject({ id: 'a1' })
})
