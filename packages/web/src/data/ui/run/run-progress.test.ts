import { expect, it } from 'vitest'
import { sampleRun, sampleStep } from '../../domain/sample-analysis.fixture.ts'
import { correctedBy, errorLine, progressLabel } from './run-progress.ts'

it('shows the running step, otherwise that it is thinking', () => {
  const run = { ...sampleRun, said: '' }
  expect(progressLabel({ ...run, steps: [] })).toBe('Thinking about the question')
  expect(progressLabel({ ...run, steps: [sampleStep(1), sampleStep(2, { state: 'running' })] })).toBe(
    'Step 2 · running query',
  )
  expect(progressLabel({ ...run, steps: [sampleStep(1)] })).toBe('Step 1 done · thinking')
})

it.each([
  ['Binder Error: Referenced column "carier" not found in FROM clause!\nCandidates: …', 'no column “carier”'],
  ['Catalog Error: Table with name sales does not exist!\nDid you mean', 'no table “sales”'],
  ['Catalog Error: Scalar Function with name jsn does not exist!', 'no function “jsn”'],
  ['Parser Error: syntax error at or near "FORM"', 'syntax error at or near "FORM"'],
])('shortens %s', (error, words) => {
  expect(errorLine(error)).toBe(words)
})

it('finds the step that corrected a failed one: the next of its kind that worked', () => {
  const failed = sampleStep(2, { state: 'error' })
  expect(correctedBy(failed, [failed, sampleStep(3, { tool: 'get_column_stats' }), sampleStep(4)])).toBe(4)
  expect(correctedBy(failed, [failed])).toBeNull()
  expect(correctedBy(sampleStep(2), [sampleStep(2), sampleStep(3)])).toBeNull()
})
