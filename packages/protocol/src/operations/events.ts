import { z } from 'zod'
import { QuarterdeckError } from '../errors/quarterdeck-error.ts'
import { SessionEvent } from '../events/session-event.ts'
import { operation } from './operation.ts'
import { queryNumber } from './query-number.ts'
import { sessionRead } from './sessions.ts'

export const EventsQuery = z.strictObject({
  /** Only events with a greater `seq`. Over SSE the `Last-Event-ID` header takes precedence. */
  after: z.string().optional(),
  /** The size of a page; a stream has none and refuses it. */
  limit: queryNumber(1, 5000).default(1000),
})
export type EventsQuery = z.input<typeof EventsQuery>

export const EventPage = z
  .object({ events: z.array(SessionEvent), lastSeq: z.int(), hasMore: z.boolean() })
  .meta({ id: 'EventPage' })
export type EventPage = z.infer<typeof EventPage>

export const eventOperations = {
  readEvents: operation({
    ...sessionRead,
    path: '/v1/sessions/{sessionId}/events',
    rpc: 'session.events',
    summary: 'Return a page of the log as JSON; with `Accept: text/event-stream`, replay the log and follow it live',
    eventStream: 'optional',
    query: EventsQuery,
    reply: EventPage,
    errors: ['session.not-found', 'cursor.malformed', 'cursor.beyond-log'],
  }),
}

const cursorPattern = /^\d{1,15}$/

/** A cursor is the `seq` of the last event a reader has. Throws `cursor.malformed`. */
export function parseCursor(text: string): number {
  if (cursorPattern.test(text)) return Number(text)
  throw new QuarterdeckError('cursor.malformed', `${JSON.stringify(text)} is not a cursor: use the seq of an event`)
}
