// The sessions that one socket client follows, each through its own inbox.

import type { StreamedEvent, SubscribeParams } from '@quarterdeck/protocol'
import { QuarterdeckError, SessionId, unlessAborted } from '@quarterdeck/protocol'
import { z } from 'zod'
import { isOutage, refusalOf } from '../http/refusal.ts'
import { type FollowEventsOptions, followEvents, type SentEvent } from '../streaming/follow-events.ts'
import { createEventInbox, type EventInbox } from './event-inbox.ts'
import type { RpcNotification, SocketConnection } from './socket-connection.ts'

export interface SocketEventsDeps {
  /** The open connection, or a new one. */
  readonly connect: () => Promise<SocketConnection>
  /** The parameters of a subscription besides its cursor. */
  readonly subscriptionOptions: (sessionId: string) => Pick<SubscribeParams, 'handles' | 'clientId'>
  readonly isClosed: () => boolean
}

export function createSocketEvents({ connect, subscriptionOptions, isClosed }: SocketEventsDeps) {
  const inboxes = new Map<string, EventInbox>()

  /** Subscribes and yields the events from then on. Earlier events belong to an earlier subscription. */
  async function subscribe(connection: SocketConnection, { sessionId, after }: Cursor): Promise<EventInbox> {
    const leave = () => unsubscribe(connection, sessionId)
    const inbox = createEventInbox(leave)
    await connection
      .call('session.subscribe', { sessionId, after, ...subscriptionOptions(sessionId) }, () => {
        inboxes.get(sessionId)?.end(followedTwice(sessionId))
        inboxes.set(sessionId, inbox)
      })
      .catch(throwRetryable)
    return inbox
  }

  /** A reader that is too slow is unsubscribed, and subscribes again when it has read its buffer. */
  async function* events(
    connection: SocketConnection,
    from: Cursor & { inbox: EventInbox },
    signal: AbortSignal,
  ): AsyncGenerator<SentEvent> {
    const { sessionId } = from
    let after = from.after
    let inbox = from.inbox
    const stop = () => inbox.end()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        for await (const event of inbox.events()) {
          if (event.id !== null) after = Number(event.id)
          yield event
        }
        if (!inbox.isFull() || connection.isOver()) return
        inboxes.delete(sessionId)
        inbox = await subscribe(connection, { sessionId, after })
      }
    } finally {
      signal.removeEventListener('abort', stop)
      if (inboxes.get(sessionId) === inbox) {
        inboxes.delete(sessionId)
        if (!connection.isOver()) unsubscribe(connection, sessionId)
      }
    }
  }

  /** An outage is not a refusal: the follower tries again. */
  function throwRetryable(error: unknown): never {
    const isOver = isClosed() || !(error instanceof QuarterdeckError) || !isOutage(error)
    throw isOver ? error : new Error(error.message, { cause: error })
  }

  return {
    follow: (sessionId: string, options: FollowEventsOptions): AsyncGenerator<StreamedEvent> =>
      followEvents(
        {
          open: async (after, signal) => {
            const connection = await unlessAborted(connect(), signal).catch(throwRetryable)
            const inbox = await subscribe(connection, { sessionId, after })
            return events(connection, { sessionId, after, inbox }, signal)
          },
        },
        options,
      ),
    onNotification({ method, params }: RpcNotification) {
      if (method === 'session.event') {
        const { data } = EventParams.safeParse(params)
        if (data !== undefined) inboxes.get(data.sessionId)?.put(sentEvent(data.event))
      }
      if (method === 'session.ended') {
        const { data } = EndedParams.safeParse(params)
        if (data !== undefined) inboxes.get(data.sessionId)?.end(endOf(data))
      }
    },
    /** The connection is lost: followers open the next one. */
    onLost() {
      for (const inbox of inboxes.values()) inbox.end()
    },
  }
}

/** A failure of the server may be temporary. */
function endOf({ code, message }: z.infer<typeof EndedParams>): Error | QuarterdeckError {
  return code === 'internal' ? new Error(message) : refusalOf(400, { code, detail: message })
}

const EventParams = z.object({ sessionId: SessionId, event: z.unknown() })
const EndedParams = z.object({ sessionId: SessionId, code: z.string(), message: z.string() })
const Numbered = z.looseObject({ seq: z.number() })

const sentEvent = (value: unknown): SentEvent => {
  const { data } = Numbered.safeParse(value)
  return { id: data === undefined ? null : String(data.seq), value }
}

interface Cursor {
  readonly sessionId: string
  readonly after: number
}

const followedTwice = (sessionId: string) =>
  new QuarterdeckError(
    'request.invalid',
    `this client has started to follow ${sessionId} again: follow a session only once per client`,
  )

/** Without waiting: a connection that fails now ends the subscription by itself. */
function unsubscribe(connection: SocketConnection, sessionId: string): void {
  void connection.call('session.unsubscribe', { sessionId }).catch(() => undefined)
}
