// Sends the messages of one test to one session, one after the other.
import { cutText, isClosedStatus, type SessionId, type SessionMode } from '@quarterdeck/protocol'
import type { EvalSessions } from './await-idle.ts'
import { awaitIdle } from './await-idle.ts'
import { type TestMessage, toTestAnswer } from './test-answer.ts'

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
