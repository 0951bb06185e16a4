import { expect, it } from 'vitest'
import { countTests } from './run-vitest.mjs'

const test = (status: string) => ({ status })
const file = (status: string, ...tests: string[]) => ({ status, assertionResults: tests.map(test) })
const report = (passed: number, failed: number, ...testResults: ReturnType<typeof file>[]) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: 0,
  testResults,
})

it('counts what passed and what failed', () => {
  const seen = report(2, 1, file('passed', 'passed'), file('failed', 'passed', 'failed'))
  expect(countTests(seen, 1)).toEqual({ passed: 2, failed: 1, skipped: 0 })
})

it('counts a file that does not import as a failure', () => {
  expect(countTests(report(3, 0, file('failed')), 1)).toMatchObject({ passed: 3, failed: 1 })
})

it('counts a bad exit code as a failure when every test passed', () => {
  expect(countTests(report(3, 0, file('passed', 'passed')), 1)).toMatchObject({ passed: 3, failed: 1 })
})

it('counts a run without a report as a failure', () => {
  expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})
