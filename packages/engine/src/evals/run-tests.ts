// Runs the tests of an agent file with the configured parallelism and reports them in file order.
import { type AgentDefinition, messageOf } from '@quarterdeck/protocol'
import type { AgentTests, TestCase, TestTurn } from '../config/agent-tests.ts'
import type { EvalSessions } from './await-idle.ts'
import { buildTestMessage } from './build-test-message.ts'
import { chooseMetrics } from './choose-metrics.ts'
import { evaluateTurn, unaskedTurn } from './evaluate-turn.ts'
import { refuseUnsupportedTests, refuseUnusableFiles } from './refuse-tests.ts'
import type { CaseResult, TestReport, TurnResult } from './report.ts'
import { openTestSession, type TestAnswer, type TestSession } from './test-session.ts'

export interface RunTestsOptions {
  readonly sessions: EvalSessions
  readonly agent: AgentDefinition
  readonly tests: AgentTests
  readonly by: string
  readonly signal: AbortSignal
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

/**
 * One message in its own session, or a conversation in one session. Resolves for every outcome except an aborted
 * signal.
 */
async function runCase(run: RunTestsOptions, testCase: TestCase): Promise<CaseResult> {
  const { name, type } = testCase
  const { sessions, agent, by, signal } = run
  const mode = type === 'single' ? 'task' : 'chat'
  const testSession = openTestSession(sessions, { agentName: agent.name, title: name, by, signal, mode })
  const asked: TurnResult[] = []
  let sessionId: string | null = null
  const onAnswer = (turn: TestTurn, answer: TestAnswer) => {
    sessionId = answer.sessionId
    asked.push(evaluateTurn({ turn, metrics: chooseMetrics(turn, testCase, run.tests), agent }, answer))
  }
  const failure = await reasonOf(runTurns(testSession, testCase.turns, onAnswer))
  const closing = await reasonOf(testSession.close())
  if (failure !== null) signal.throwIfAborted()
  const unasked = testCase.turns
    .slice(asked.length)
    .map((turn, index) => unaskedTurn(turn, index === 0 ? failure : null))
  const turns = [...asked, ...unasked]
  // The answers count even if the session cannot be closed.
  const warnings = closing === null ? [] : [`the session could not be closed: ${closing}`]
  return { name, type, sessionId, turns, warnings, passed: turns.every(({ passed }) => passed) }
}

/** Stops after two broken answers in a row, or when the session accepts no more messages. */
async function runTurns(
  testSession: TestSession,
  turns: readonly TestTurn[],
  onAnswer: (turn: TestTurn, answer: TestAnswer) => void,
): Promise<void> {
  let wasBroken = false
  for (const turn of turns) {
    const answer = await testSession.sendMessage(await buildTestMessage(turn))
    onAnswer(turn, answer)
    if (answer.isOver || (answer.isBroken && wasBroken)) return
    wasBroken = answer.isBroken
  }
}

/** The reason of the failure; `null` on success. */
const reasonOf = (work: Promise<void>): Promise<string | null> => work.then(() => null, messageOf)
