// Answers the model gateway for the sessions of this process: whether a request may go, what it used, and why it waits.
import { draft, type GatewayDecisions, type ModelUse, type SessionId } from '@quarterdeck/protocol'
import type { SessionSpending, SpendingSession } from '../../money/session-spending.ts'
import type { Logger } from '../../ports/logger.ts'
import type { QueuePositionPublisher } from '../../processes/queue-position-publisher.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { HeldSessions } from '../state/held-sessions.ts'
import { retryUntilStored } from '../state/retry-until-stored.ts'
import { beginRequest, endRequest, type RunningSession } from '../state/running-session.ts'
import { createBegunAnswers } from './begun-answers.ts'

export interface GatewayDecisionsOptions {
  readonly store: EventStore
  readonly logger: Logger
  readonly money: SessionSpending
  readonly held: Pick<HeldSessions, 'peek'>
  /** Takes the session for this process. */
  readonly open: (sessionId: SessionId) => Promise<RunningSession>
  readonly releaseIfClosed: (running: RunningSession) => Promise<void>
  readonly draining: AbortSignal
  /** Shows the positions of waiting requests. */
  readonly queuePositions: Pick<QueuePositionPublisher, 'showRequest'>
}

export interface GatewayBookings extends GatewayDecisions {
  /** Resolves when no booking of the session is being written. A turn must not end before its costs are in the log. */
  booked(sessionId: SessionId): Promise<void>
}

export function createGatewayDecisions(options: GatewayDecisionsOptions): GatewayBookings {
  const { store, logger, money, held, open, draining } = options
  const begun = createBegunAnswers({ store, logger })
  const booking = new Map<SessionId, Set<Promise<void>>>()

  function settle(use: ModelUse): Promise<void> {
    const { sessionId } = use
    const pending = booking.get(sessionId) ?? new Set()
    const written = book(use).finally(() => {
      pending.delete(written)
      if (pending.size === 0) booking.delete(sessionId)
    })
    booking.set(sessionId, pending.add(written))
    return written
  }

  /**
   * Books one model request, even a late one of a closed session. If the store is unavailable, the booking is retried
   * and the end of the answer waits for it.
   */
  async function book(use: ModelUse): Promise<void> {
    const { sessionId, requestId } = use
    const wait = {
      signal: draining,
      onFailure: (error: unknown) =>
        logger.error({ sessionId, requestId, error }, 'a booking could not be written: trying again'),
    }
    let running: RunningSession
    try {
      await begun.noted(use)
      running = await retryUntilStored(() => open(sessionId), wait)
      const { writer } = running
      // Only the record is retried. The money stays reserved until it is written.
      const record: SpendingSession['record'] = (drafts) => retryUntilStored(() => writer.record(drafts), wait)
      await money.book({ ...writer, record }, use)
    } finally {
      // Frees the reservation even if the session is gone and nothing could be booked.
      await release(use)
    }
    await options.releaseIfClosed(running)
  }

  /** An authorized request has ended: booked, or without a message. */
  const release: GatewayDecisions['release'] = async (request) => {
    money.release(request)
    const running = held.peek(request.sessionId)
    if (running !== null) endRequest(running, request.requestId)
  }

  return {
    onBegun: begun.note,
    settle,
    release,

    async booked(sessionId) {
      await Promise.allSettled(booking.get(sessionId) ?? [])
    },

    async authorize(request, signal) {
      const running = await open(request.sessionId)
      beginRequest(running, request.requestId)
      let mayGo = false
      try {
        // A turn that only waited works again, so it needs a slot.
        await running.pause.over()
        const verdict = await money.authorize(running.writer, request, signal)
        mayGo = verdict.type === 'go'
        return verdict
      } finally {
        if (!mayGo) endRequest(running, request.requestId)
      }
    },

    onWaiting(request, queuePosition) {
      const running = held.peek(request.sessionId)
      if (running === null) return
      // Under another name: `authorize` and `release` track the request itself.
      const waiting = `waits ${request.requestId}`
      if (queuePosition === null) endRequest(running, waiting)
      else beginRequest(running, waiting)
      const { agentName, title } = running.writer.state()
      options.queuePositions.showRequest(request, queuePosition, () => ({ agentName, title }))
    },

    /** The gateway retries by itself. The event shows readers why nothing arrives, and until when. */
    onRetrying({ sessionId, requestId: _, ...retry }) {
      const running = held.peek(sessionId)
      if (running === null) return
      const turnId = running.writer.state().turn?.turnId
      const retrying = draft(
        'ModelRequestRetrying',
        { ...retry, source: 'gateway' },
        turnId === undefined ? {} : { turnId },
      )
      running.writer
        .record([retrying])
        .catch((error: unknown) => logger.warn({ sessionId, error }, 'a retry could not be logged'))
    },

    /** A retry would only delay the error: the turn ends at once. */
    onKeyRefused({ sessionId, status }) {
      held.peek(sessionId)?.phase.refuseKey(status)
    },
  }
}
