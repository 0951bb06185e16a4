import { expect, it } from 'vitest'
import { sampleAnalysis, sampleRun, sampleStep } from './sample-analysis.fixture.ts'
import { withSentErrors } from './sent-errors.ts'

it('tells of a failed step how many bytes its error was, as the ledger has them', () => {
  const failed = sampleStep(2, { state: 'error', sent: null, error: 'no column' })
  const [entry] = sampleAnalysis.ledger
  if (entry === undefined) throw new Error('the sample sent nothing')
  const [run] = withSentErrors({
    runs: [{ ...sampleRun, steps: [sampleStep(1, { sent: null }), failed] }],
    ledger: [{ ...entry, what: 'error', step: 2, bytes: 90 }],
  })
  expect(run?.steps.map(({ sent }) => sent)).toEqual([null, { bytes: 90, rows: 0, isError: true }])
  expect(withSentErrors(sampleAnalysis)).toBe(sampleAnalysis.runs)
})
