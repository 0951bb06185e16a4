// Runs the tests of an agent file with the configured parallelism and reports them in file order.
import { refuseUnsupportedTests, refuseUnusableFiles } from './refuse-tests.ts'
import type { CaseResult, TestReport } from './report.ts'
import { type RunCaseOptions, runCase } from './run-case.ts'

export interface RunTestsOptions extends RunCaseOptions {
  readonly clock: { now(): Date }
  /** Called when a case ends. */
  readonly onResult?: (result: CaseResult) => void
}

/**
 * Throws like `refuseUnsupportedTests` and `refuseUnusableFiles` before anything runs. Aborting the signal ends running
 * sessions and resolves with the finished cases.
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
      // A separate signal: each case adds a listener, and Node reports many listeners on one signal as a leak.
      const result = await runCase({ ...run, signal: AbortSignal.any([signal]) }, testCase)
      results[index] = result
      run.onResult?.(result)
    }
  }

  const workers = Array.from({ length: Math.min(tests.execution.parallel, tests.cases.length) }, work)
  const ends = await Promise.allSettled(workers)
  // An interruption is part of the report; any other rejection is a bug.
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
