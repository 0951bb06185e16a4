import { expect, it } from 'vitest'
import { sampleAnalysis, sampleRun, sampleStep } from './sample-analysis.fixture.ts'
import { sentRowsLabel, withSentErrors } from './sent-entries.ts'

it('adds the size of a sent error to the failed step', () => {
  const failed = sampleStep(2, { state: 'error', sent: null, error: 'no column' })
  const [entry] = sampleAnalysis.sent
  if (entry === undefined) throw new Error('the sample sent nothing')
  const [run] = withSentErrors({
    runs: [{ ...sampleRun, steps: [sampleStep(1, { sent: null }), failed] }],
    sent: [{ ...entry, what: 'error', step: 2, bytes: 90 }],
  })
  expect(run?.steps.map(({ sent }) => sent)).toEqual([null, { bytes: 90, rows: 0, isError: true }])
  expect(withSentErrors(sampleAnalysis)).toBe(sampleAnalysis.runs)
})

it('names the kind of the sent rows when it is known', () => {
  expect(sentRowsLabel({ rows: 4, rowsKind: 'summary' })).toBe('4 summary rows')
  expect(sentRowsLabel({ rows: 1, rowsKind: 'files' })).toBe('1 row of your files')
  expect(sentRowsLabel({ rows: 4 })).toBe('4 rows')
  expect(sentRowsLabel({ rows: 0 })).toBe('no rows')
})
