// Messages of one test to one session, strictly one after the other.
import { isClosedStatus, type SessionId, type SessionMode } from '@quarterdeck/protocol'
import { type Answer, answerOf, type Question } from './answer.ts'
import { awaitRest } from './await-rest.ts'
import type { SessionDoors } from './session-doors.ts'

export interface Talk {
  readonly agentName: string
  readonly mode: SessionMode
  /** What the session is called in the log. */
  readonly title: string
  readonly by: string
  /** Aborting gives the session up: it is cancelled when the conversation is closed. */
  readonly signal: AbortSignal
}

export interface Conversation {
  /** Resolves for every outcome. Rejects when the session could not be made or told of, and when the signal aborts. */
  say(question: Question): Promise<Answer>
  /** Ends the session, whatever it does. */
  close(): Promise<void>
}

export function openConversation(sessions: SessionDoors, talk: Talk): Conversation {
  const { by, signal } = talk
  let sessionId: SessionId | null = null
  /** The agent is told of when its process starts, not with every message. */
  let hasRun = false

  async function send(question: Question): Promise<{ sessionId: SessionId; after: number }> {
    if (sessionId !== null) {
      const sent = await sessions.send(sessionId, { content: question.text, images: question.images }, by)
      return { sessionId, after: sent.appliedSeq }
    }
    const { agentName: agent, mode, title } = talk
    const created = await sessions.create(
      { agent, mode, message: question.text, ...imagesOf(question), ...titleOf(title), tags: ['test'] },
      by,
    )
    sessionId = created.sessionId
    return { sessionId, after: 0 }
  }

  return {
    async say(question) {
      signal.throwIfAborted()
      const startedAt = performance.now()
      const before = sessionId === null ? { costUsd: 0 } : (await sessions.snapshot(sessionId)).session
      const sent = await send(question)
      const rested = await awaitRest(sessions, { ...sent, by, signal })
      const { session: state } = await sessions.snapshot(sent.sessionId)
      const answer = answerOf({ rested, before, state, durationMs: performance.now() - startedAt })
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

const imagesOf = ({ images }: Question) => (images.length === 0 ? {} : { images: [...images] })

/** One line of plain text, as long as a title may be. */
function titleOf(title: string): { title?: string } {
  const line = title
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
  return line === '' ? {} : { title: line }
}
