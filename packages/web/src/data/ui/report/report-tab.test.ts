import { expect, it } from 'vitest'
import { sampleAnalysis, sampleRun, sampleStep } from '../../domain/sample-analysis.fixture.ts'
import { reportVersion } from './report-tab.tsx'

const running = { ...sampleRun, id: 'run-2', state: 'running', answer: null } as const
const analysis = { ...sampleAnalysis, runs: [sampleRun, running] }
const withRuns = (...runs: typeof analysis.runs) => ({ ...analysis, runs })

it('returns the same version while an answer is streaming', () => {
  const more = { ...running, said: 'More words', steps: [...running.steps, sampleStep(6)] }
  const later = { ...withRuns(sampleRun, more), changedAt: analysis.changedAt.replace(/.$/, '1Z') }
  expect(reportVersion(later)).toBe(reportVersion(analysis))
})

it.each([
  ['an answer', withRuns(sampleRun, { ...running, state: 'done' as const, answer: sampleRun.answer })],
  ['another step', withRuns({ ...sampleRun, steps: [sampleStep(1, { code: 'SELECT 2' })] }, running)],
  ['another chart', withRuns({ ...sampleRun, charts: [null] }, running)],
  ['another title', { ...analysis, title: 'Other' }],
])('returns another version after %s', (_, changed) => {
  expect(reportVersion(changed)).not.toBe(reportVersion(analysis))
})
