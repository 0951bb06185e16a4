// What the model gateway asks and reports, for the sessions of this process: whether a request may go, what it used, and
// why nothing comes.
import { draft, type SessionId } from '@quarterdeck/protocol'
import type { GatewayDecisions, ModelUse } from '../model-gateway.ts'
import type { MoneyDesk, Purse } from '../money/money-desk.ts'
import type { QueueBoard } from '../processes/queue-board.ts'
import type { EventStore } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createBegunAnswers } from './begun-answers.ts'
import type { HeldSessions } from './held-sessions.ts'
import type { LiveSession } from './live-session.ts'
import { untilStored } from './until-stored.ts'

export interface GatewayDecisionsOptions {
  readonly store: EventStore
  readonly logger: Logger
  readonly money: MoneyDesk
  readonly held: Pick<HeldSessions, 'peek'>
  /** Takes the session for this process. */
  readonly open: (sessionId: SessionId) => Promise<LiveSession>
  readonly letGoIfClosed: (live: LiveSession) => Promise<void>
  readonly isDraining: () => boolean
  /** Where requests that wait are shown. */
  readonly board: Pick<QueueBoard, 'showRequest'>
}

export function createGatewayDecisions(options: GatewayDecisionsOptions): GatewayDecisions {
  const { store, logger, money, held, open, isDraining } = options
  const begun = createBegunAnswers({ store, logger })

  /**
   * Books one model request. Late reports of a session that has closed are booked too; a store that takes nothing is
   * waited out, and the end of the answer waits with it.
   */
  async function settle(use: ModelUse): Promise<void> {
    const { sessionId, requestId } = use
    const patience = {
      isGivenUp: isDraining,
      onFailure: (error: unknown) =>
        logger.error({ sessionId, requestId, error }, 'a booking cannot be written: trying again'),
    }
    let live: LiveSession
    try {
      await begun.noted(use)
      live = await untilStored(() => open(sessionId), patience)
      const { writer } = live
      // Tried again is the record alone: until it is written the money is held back, and what was learned is learned.
      const record: Purse['record'] = (drafts) => untilStored(() => writer.record(drafts), patience)
      await money.book({ ...writer, record }, use)
    } finally {
      // What could not be booked, because its session is gone, must not be held back from the others either.
      await release(use)
    }
    await options.letGoIfClosed(live)
  }

  /** A request that was let go has ended: booked, or without a message. */
  const release: GatewayDecisions['release'] = async (request) => {
    money.release(request)
    const live = held.peek(request.sessionId)
    if (live !== null) requestOver(live, request.requestId)
  }

  return {
    onBegun: begun.note,
    settle,
    release,

    async authorize(request, signal) {
      const live = await open(request.sessionId)
      requestBegins(live, request.requestId)
      let mayGo = false
      try {
        // A turn that only waited works again: it needs a place for that.
        await live.pause.over()
        const verdict = await money.authorize(live.writer, request, signal)
        mayGo = verdict.type === 'go'
        return verdict
      } finally {
        if (!mayGo) requestOver(live, request.requestId)
      }
    },

    onWaiting(request, place) {
      const live = held.peek(request.sessionId)
      if (live === null) return
      // Not by its own name: whether it is under way is told by those who let it go and end it.
      const waiting = `waits ${request.requestId}`
      if (place === null) requestOver(live, waiting)
      else requestBegins(live, waiting)
      const { agentName, title } = live.writer.state()
      options.board.showRequest(request, place, () => ({ agentName, title }))
    },

    /** The gateway tries again by itself: whoever watches sees why nothing comes and until when. */
    onRetrying({ sessionId, requestId: _, ...retry }) {
      const live = held.peek(sessionId)
      if (live === null) return
      const turnId = live.writer.state().turn?.turnId
      const retrying = draft(
        'ModelRequestRetrying',
        { ...retry, source: 'gateway' },
        turnId === undefined ? {} : { turnId },
      )
      live.writer
        .record([retrying])
        .catch((error: unknown) => logger.warn({ sessionId, error }, 'a retry is not in the log'))
    },

    /** Trying again would only take longer to say so: the turn ends at once. */
    onKeyRefused({ sessionId, status }) {
      const live = held.peek(sessionId)
      if (live === null || live.working === null) return
      live.refusedKey = status
      live.abort?.abort()
    },
  }
}

function requestBegins(live: LiveSession, requestId: string): void {
  live.requests.add(requestId)
  live.pause.review()
}

function requestOver(live: LiveSession, requestId: string): void {
  live.requests.delete(requestId)
  live.pause.review()
}
