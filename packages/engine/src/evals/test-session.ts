// Messages of one test to one session, strictly one after the other.
import { isClosedStatus, type SessionId, type SessionMode } from '@quarterdeck/protocol'
import { awaitIdle } from './await-idle.ts'
import type { EvalSessions } from './eval-sessions.ts'
import { type TestAnswer, type TestMessage, toTestAnswer } from './test-answer.ts'

export interface TestSessionOptions {
  readonly agentName: string
  readonly mode: SessionMode
  /** What the session is called in the log. */
  readonly title: string
  readonly by: string
  /** Aborting gives the session up: it is cancelled when the conversation is closed. */
  readonly signal: AbortSignal
}

export interface TestSession {
  /** Resolves for every outcome. Rejects when the session could not be made or told of, and when the signal aborts. */
  sendMessage(message: TestMessage): Promise<TestAnswer>
  /** Ends the session, whatever it does. */
  close(): Promise<void>
}

export function openTestSession(sessions: EvalSessions, options: TestSessionOptions): TestSession {
  const { by, signal } = options
  let sessionId: SessionId | null = null
  /** The agent is told of when its process starts, not with every message. */
  let hasRun = false

  async function send(message: TestMessage): Promise<{ sessionId: SessionId; after: number }> {
    if (sessionId !== null) {
      const sent = await sessions.send(sessionId, { content: message.text, images: message.images }, by)
      return { sessionId, after: sent.appliedSeq }
    }
    const { agentName: agent, mode, title } = options
    const created = await sessions.create(
      { agent, mode, message: message.text, ...imagesOf(message), ...titleOf(title), tags: ['test'] },
      by,
    )
    sessionId = created.sessionId
    return { sessionId, after: 0 }
  }

  return {
    async sendMessage(message) {
      signal.throwIfAborted()
      const startedAt = performance.now()
      const before = sessionId === null ? { costUsd: 0 } : (await sessions.snapshot(sessionId)).session
      const sent = await send(message)
      const idleOutcome = await awaitIdle(sessions, { ...sent, by, signal })
      const { session: state } = await sessions.snapshot(sent.sessionId)
      const answer = toTestAnswer({ idleOutcome, before, state, durationMs: performance.now() - startedAt })
      hasRun ||= answer.hasRun
      return { ...answer, hasRun }
    },
    async close() {
      if (sessionId === null) return
      const { status } = (await sessions.snapshot(sessionId)).session
      if (isClosedStatus(status)) return
      if (status === 'idle') await sessions.close(sessionId, by)
      else await sessions.cancel(sessionId, by)
    },
  }
}

const imagesOf = ({ images }: TestMessage) => (images.length === 0 ? {} : { images: [...images] })

/** One line of plain text, as long as a title may be. */
function titleOf(title: string): { title?: string } {
  const line = title
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
  return line === '' ? {} : { title: line }
}
