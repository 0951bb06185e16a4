// Runs the tests of an agent whose answers are scripted.
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Script } from '../backends/scripted/script.ts'
import type { AgentTests } from '../config/agent-tests.ts'
import { openTestRuntime, type TestRuntimeOptions } from '../sessions/testing/test-runtime.fixture.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import type { EvalSessions } from './await-idle.ts'
import { exitCodeOfReport } from './report.ts'
import { reportJson } from './report-json.ts'
import { runTests } from './run-tests.ts'

type Given = Partial<TestRuntimeOptions> & { readonly overrides?: Partial<EvalSessions> }

export async function start(script: Script, { overrides = {}, ...options }: Given = {}) {
  const harness = await openTestRuntime({ backend: createScriptedBackend({ script }), canAsk: false, ...options })
  const agent = testAgent(harness.dataDir, options.agent)
  const stop = new AbortController()
  const reportedNames: string[] = []
  const run = (given: AgentTests) =>
    runTests({
      sessions: { ...harness.sessions, ...overrides },
      agent,
      tests: given,
      by: 'ana',
      signal: stop.signal,
      clock: { now: () => new Date('2026-01-01T00:00:00Z') },
      onResult: ({ name }) => reportedNames.push(name),
    })
  return { harness, run, reportedNames, stop }
}

/** The result of the first test. */
export async function only(script: Script, given: AgentTests) {
  const { run } = await start(script)
  const report = await run(given)
  const [result] = reportJson(report).results
  if (result === undefined) throw new Error('no result')
  return { report, result, code: exitCodeOfReport(report) }
}
