// Answers cost money from their first token on. Each is noted then, so that the next server can book what is known of
// it if this one dies in the middle.
import {
  estimateTokens,
  isQuarterdeckError,
  type ModelUse,
  type SessionId,
  sanitizeTokens,
} from '@quarterdeck/protocol'
import type { Logger } from '../../ports/logger.ts'
import type { BegunAnswerId } from '../../store/ports/begun-answer.ts'
import type { EventStore } from '../../store/ports/event-store.ts'

export function createBegunAnswers({ store, logger }: { store: EventStore; logger: Logger }) {
  const writing = new Map<string, Promise<void>>()
  const keyOf = ({ sessionId, apiMessageId }: ModelUse) => `${sessionId} ${apiMessageId}`

  return {
    /** Returns at once. A note that cannot be written only matters after a crash. */
    note(use: ModelUse): void {
      const { sessionId, requestId } = use
      const written = store.noteBegun({ ...use, tokens: sanitizeTokens(use.tokens) }).catch((error: unknown) => {
        logger.warn({ sessionId, requestId, error }, 'an answer has begun and could not be noted')
      })
      writing.set(keyOf(use), written)
    },
    /** Resolves when the note is written: a booking removes the note and must not come before it. */
    async noted(use: ModelUse): Promise<void> {
      await writing.get(keyOf(use))
      writing.delete(keyOf(use))
    },
  }
}

export interface BegunBooking {
  readonly store: EventStore
  readonly book: (use: ModelUse) => Promise<void>
  readonly logger: Logger
}

/** Books the answers that a dead process had begun, with the output that was seen as an estimate. */
export async function bookBegunAnswers({ store, book, logger }: BegunBooking, only?: SessionId): Promise<void> {
  const isAsked = ({ sessionId }: BegunAnswerId) => only === undefined || only === sessionId
  const unreadable: BegunAnswerId[] = []
  const answers = await store.begunAnswers((note) => unreadable.push(note))
  for (const note of unreadable.filter(isAsked)) {
    logger.warn({ ...note }, 'the note of a begun answer cannot be read: it is dropped, and nothing is booked')
    await store.dropBegun(note)
  }
  for (const answer of answers.filter(isAsked)) {
    const { sessionId, requestId, apiMessageId } = answer
    try {
      const texts = (await store.openTexts(sessionId)).filter(({ data }) => data.messageId === apiMessageId)
      const seen = texts.reduce((sum, { data }) => sum + data.text.length, 0)
      const output = Math.max(answer.tokens.output, estimateTokens(seen))
      await book({ ...answer, tokens: { ...answer.tokens, output, isOutputEstimated: true } })
      await store.dropBegun(answer)
      logger.warn({ sessionId, requestId, output }, 'booked an answer that was cut off by the end of a process')
    } catch (error) {
      // The holder of the session receives the answer now, and books it.
      if (isQuarterdeckError(error, 'session.held-elsewhere')) continue
      if (isQuarterdeckError(error, 'session.not-found')) await store.dropBegun(answer)
      // The note stays for the next start. The other sessions must not wait for it.
      else logger.error({ sessionId, requestId, error }, 'an answer that was cut off could not be booked')
    }
  }
}
