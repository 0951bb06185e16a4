import { type AgentDefinition, messageOf } from '@quarterdeck/protocol'
import type { AgentTests, TestCase, TestTurn } from '../config/agent-tests.ts'
import type { EvalSessions } from './await-idle.ts'
import { buildTestMessage } from './build-test-message.ts'
import { chooseMetrics } from './choose-metrics.ts'
import { evaluateTurn, unaskedTurn } from './evaluate-turn.ts'
import type { CaseResult, TurnResult } from './report.ts'
import { openTestSession, type TestAnswer, type TestSession } from './test-session.ts'

export interface RunCaseOptions {
  readonly sessions: EvalSessions
  readonly agent: AgentDefinition
  readonly tests: AgentTests
  readonly by: string
  readonly signal: AbortSignal
}

/**
 * One message in its own session, or a conversation in one session. Resolves for every outcome except an aborted
 * signal.
 */
export async function runCase(run: RunCaseOptions, testCase: TestCase): Promise<CaseResult> {
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
