// One test case: one message in a session of its own, or a conversation in one session.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { AgentTests, TestCase, TestTurn } from '../config/agent-tests.ts'
import type { Answer } from './answer.ts'
import { chooseMetrics } from './choose-metrics.ts'
import { openConversation, type Talk } from './conversation.ts'
import { evaluateTurn, unaskedTurn } from './evaluate-turn.ts'
import { invokeOnce } from './invoke-once.ts'
import { questionOf } from './question-of.ts'
import type { CaseResult, TurnResult } from './report.ts'
import type { SessionDoors } from './session-doors.ts'

export interface CaseRun {
  readonly sessions: SessionDoors
  readonly agent: AgentDefinition
  readonly tests: AgentTests
  readonly by: string
  readonly signal: AbortSignal
}

/** Resolves for every outcome but an aborted signal. */
export async function runCase(run: CaseRun, testCase: TestCase): Promise<CaseResult> {
  const { name, type } = testCase
  const talk = { agentName: run.agent.name, title: name, by: run.by }
  const judge = (turn: TestTurn, answer: Answer) =>
    evaluateTurn({ turn, metrics: chooseMetrics(turn, testCase, run.tests), agent: run.agent }, answer)
  const asked: TurnResult[] = []
  let sessionId: string | null = null
  const hear = (turn: TestTurn, answer: Answer) => {
    sessionId = answer.sessionId
    asked.push(judge(turn, answer))
  }
  const told = { ...talk, signal: run.signal }
  const failure = await converse(run.sessions, { told, testCase, hear }).then(
    () => null,
    (error: unknown) => {
      run.signal.throwIfAborted()
      return error instanceof Error ? error.message : String(error)
    },
  )
  const unasked = testCase.turns
    .slice(asked.length)
    .map((turn, index) => unaskedTurn(turn, index === 0 ? failure : null))
  const turns = [...asked, ...unasked]
  return { name, type, sessionId, turns, passed: turns.every(({ passed }) => passed) }
}

interface Course {
  readonly told: Omit<Talk, 'mode'>
  readonly testCase: TestCase
  readonly hear: (turn: TestTurn, answer: Answer) => void
}

/** Two broken answers in a row, or a session that takes no more: the rest is not asked. */
async function converse(sessions: SessionDoors, { told, testCase, hear }: Course): Promise<void> {
  const [only] = testCase.turns
  if (testCase.type === 'single' && only !== undefined) {
    hear(only, await invokeOnce(sessions, told, await questionOf(only)))
    return
  }
  const conversation = openConversation(sessions, { ...told, mode: 'chat' })
  let wasBroken = false
  try {
    for (const turn of testCase.turns) {
      const answer = await conversation.say(await questionOf(turn))
      hear(turn, answer)
      if (answer.isOver || (answer.isBroken && wasBroken)) return
      wasBroken = answer.isBroken
    }
  } finally {
    await conversation.close()
  }
}
