// Sends the messages of one test to one session, one after the other, and returns the result of each.
import {
  cutText,
  type ExecutionResult,
  errorReasons,
  type InputImage,
  isClosedStatus,
  type SessionId,
  type SessionMode,
  type SessionState,
} from '@quarterdeck/protocol'
import { emptyResult } from '../backends/empty-result.ts'
import { awaitIdle, type EvalSessions, type IdleOutcome } from './await-idle.ts'

export interface TestSessionOptions {
  readonly agentName: string
  readonly mode: SessionMode
  /** The title of the session. */
  readonly title: string
  readonly by: string
  /** Aborting cancels the session when the conversation is closed. */
  readonly signal: AbortSignal
}

export type TestSession = ReturnType<typeof openTestSession>

export function openTestSession(sessions: EvalSessions, options: TestSessionOptions) {
  const { by, signal } = options
  let sessionId: SessionId | null = null
  /** The start of the agent is reported once per process, not with every message. */
  let hasRun = false

  async function send(message: TestMessage): Promise<{ sessionId: SessionId; after: number }> {
    if (sessionId !== null) {
      const sent = await sessions.sendMessage(sessionId, { content: message.text, ...imagesOf(message) }, by)
      return { sessionId, after: sent.appliedSeq }
    }
    const { agentName: agent, mode, title } = options
    const created = await sessions.createSession(
      { agent, mode, message: message.text, ...imagesOf(message), ...titleOf(title), tags: ['test'] },
      by,
    )
    sessionId = created.sessionId
    return { sessionId, after: 0 }
  }

  return {
    /** Resolves for every outcome. Rejects when the session cannot be created or followed, or the signal aborts. */
    async sendMessage(message: TestMessage) {
      signal.throwIfAborted()
      const startedAt = performance.now()
      const before = sessionId === null ? { costUsd: 0 } : (await sessions.getSession(sessionId)).session
      const sent = await send(message)
      const idleOutcome = await awaitIdle(sessions, { ...sent, by, signal })
      const { session: state } = await sessions.getSession(sent.sessionId)
      const answer = toTestAnswer({ idleOutcome, before, state, durationMs: performance.now() - startedAt })
      hasRun ||= answer.hasRun
      return { ...answer, hasRun }
    },
    /** Ends the session in any state. */
    async close() {
      if (sessionId === null) return
      const { status } = (await sessions.getSession(sessionId)).session
      if (isClosedStatus(status)) return
      if (status === 'idle') await sessions.close(sessionId, by)
      else await sessions.cancel(sessionId, by)
    },
  }
}

const imagesOf = ({ images }: TestMessage) => (images.length === 0 ? {} : { images: [...images] })

/** One line of plain text, within the maximum length of a title. */
function titleOf(title: string): { title?: string } {
  const line = cutText(title.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim(), 200)
  return line === '' ? {} : { title: line }
}

export interface TestMessage {
  readonly text: string
  readonly images: readonly InputImage[]
}

export type TestAnswer = Readonly<ReturnType<typeof toTestAnswer>>

interface Outcome {
  readonly idleOutcome: IdleOutcome
  readonly before: Pick<SessionState, 'costUsd'>
  readonly state: SessionState
  readonly durationMs: number
}

function toTestAnswer({ idleOutcome, before, state, durationMs }: Outcome) {
  const { ended, hasStarted, stopReason, status, withoutResult } = idleOutcome
  const result = resultOf(idleOutcome, state)
  return {
    sessionId: state.sessionId,
    durationMs,
    /** Ids of calls that were refused or stopped. */
    withoutResult,
    result: stopReason === null || !wasStopped(ended) ? result : { ...result, isError: true, errorReason: stopReason },
    /** `null` if the price of any part is unknown. */
    costUsd: state.hasUnpricedUsage ? null : state.costUsd - before.costUsd,
    /** False if the agent process never started, so the result says nothing about the agent. */
    hasRun: hasStarted || (ended !== null && !isUnable(ended)) || status === 'stopped_budget',
    /** The process died; the next message gets another one. */
    isBroken: ended?.data.outcome === 'crashed',
    /** The session accepts no more messages. */
    isOver: ended === null || status === 'stopped_budget' || isClosedStatus(status),
  }
}

const wasStopped = (ended: IdleOutcome['ended']): boolean => ended === null || ended.data.outcome !== 'completed'

const isUnable = ({ data }: NonNullable<IdleOutcome['ended']>): boolean =>
  data.outcome === 'crashed' || data.outcome === 'failed'

/** A budget may refuse a turn before it starts: then no turn ended, and the state of the session has the reason. */
function resultOf({ ended, status }: IdleOutcome, state: SessionState): ExecutionResult {
  if (ended !== null) return ended.data.result
  const reason = status === 'stopped_budget' ? errorReasons.budget : (state.statusReason ?? `the session is ${status}`)
  return { ...emptyResult, isError: true, errorReason: reason }
}
