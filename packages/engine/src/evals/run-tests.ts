// The tests of an agent file, as many at a time as it says, told in the order they were written.
import { refuseUnsupportedTests } from './refuse-unsupported-tests.ts'
import { refuseUnusableFiles } from './refuse-unusable-files.ts'
import type { CaseResult, TestReport } from './report.ts'
import { type CaseRun, runCase } from './run-case.ts'

export interface RunTestsOptions extends CaseRun {
  readonly clock: { now(): Date }
  /** As each ends. */
  readonly onResult?: (result: CaseResult) => void
}

/**
 * Throws as `refuseUnsupportedTests` and `refuseUnusableFiles` do before anything runs. Aborting the signal ends the sessions that work and resolves with
 * what was done by then.
 */
export async function runTests(run: RunTestsOptions): Promise<TestReport> {
  const { tests, agent, signal } = run
  refuseUnsupportedTests(tests)
  await refuseUnusableFiles(tests)
  const startedAt = run.clock.now()
  const begun = performance.now()
  const results: (CaseResult | undefined)[] = tests.cases.map(() => undefined)
  const waiting = tests.cases.entries()

  async function work(): Promise<void> {
    for (const [index, testCase] of waiting) {
      if (signal.aborted) return
      // A signal of its own: each case listens to it, and Node takes many listeners of one for a leak.
      const result = await runCase({ ...run, signal: AbortSignal.any([signal]) }, testCase)
      results[index] = result
      run.onResult?.(result)
    }
  }

  const workers = Array.from({ length: Math.min(tests.execution.parallel, tests.cases.length) }, work)
  const ends = await Promise.allSettled(workers)
  // An interruption is told in the report; whatever else kept a worker from going on is a bug.
  for (const end of ends) if (end.status === 'rejected' && !signal.aborted) throw end.reason
  const done = results.filter((result) => result !== undefined)
  return {
    agentName: agent.name,
    startedAt: startedAt.toISOString(),
    durationMs: performance.now() - begun,
    total: tests.cases.length,
    wasInterrupted: signal.aborted && done.length < tests.cases.length,
    results: done,
  }
}
