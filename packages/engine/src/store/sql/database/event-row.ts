import type { SessionEvent } from '@quarterdeck/protocol'
import type { EventColumns } from '../../../audit/audit-entry.ts'
import { storeUnreadable } from '../../ports/store-errors.ts'
import { type LoggedEvent, type StreamEvent, type StreamKey, sessionKind } from '../../ports/streams.ts'

/** An event in its stored form, without its position. */
export interface EventRow extends EventColumns {
  readonly kind: string
}

export const rowOfEvent = (event: SessionEvent): EventRow => ({
  kind: sessionKind,
  stream_id: event.sessionId,
  seq: event.seq,
  id: event.id,
  at: event.at,
  type: event.type,
  agent: event.agent === null ? null : JSON.stringify(event.agent),
  turn_id: event.turnId ?? null,
  data: JSON.stringify(event.data),
  v: event.v,
})

/** For an event of a stream that is not a session. */
export const rowOfStreamEvent = ({ kind, id }: StreamKey, event: StreamEvent): EventRow => ({
  kind,
  stream_id: id,
  seq: event.seq,
  id: event.id,
  at: event.at,
  type: event.type,
  agent: null,
  turn_id: null,
  data: JSON.stringify(event.data),
  v: event.v,
})

export function eventOfRow(row: EventRow): SessionEvent {
  const { seq, id, stream_id: sessionId, at, type, turn_id: turnId, v } = row
  const agent = row.agent === null ? null : parseColumn(row, row.agent)
  const event = { seq, id, sessionId, at, type, agent, data: parseColumn(row, row.data), v }
  // Only `rowOfEvent` writes these columns, from typed events: validating each again would cost more than the replay.
  return (turnId === null ? event : { ...event, turnId }) as unknown as SessionEvent
}

export function streamEventOfRow(row: EventRow): StreamEvent {
  const { seq, id, at, type, v } = row
  // Only `rowOfStreamEvent` writes these columns, and its data is an object.
  return { seq, id, at, type, data: parseColumn(row, row.data) as object, v }
}

export const loggedOfRow = (row: EventRow & { readonly position: number }): LoggedEvent => ({
  position: row.position,
  stream: { kind: row.kind, id: row.stream_id },
  event: row.kind === sessionKind ? eventOfRow(row) : streamEventOfRow(row),
})

function parseColumn({ kind, stream_id, seq }: EventRow, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const detail = `event ${seq} of ${kind} ${stream_id} is damaged: restore the database from a backup`
    throw storeUnreadable(detail, error)
  }
}
