import type { SessionEvent, SessionId } from '@quarterdeck/protocol'
import type { EventColumns } from '../../../audit/audit-entry.ts'
import { storeUnreadable } from '../../ports/store-errors.ts'

/** An event in its stored form. */
export interface EventRow extends EventColumns {
  readonly session_id: SessionId
}

export function rowOfEvent(event: SessionEvent): EventRow {
  return {
    session_id: event.sessionId,
    seq: event.seq,
    id: event.id,
    at: event.at,
    type: event.type,
    agent: event.agent === null ? null : JSON.stringify(event.agent),
    turn_id: event.turnId ?? null,
    data: JSON.stringify(event.data),
    v: event.v,
  }
}

export function eventOfRow(row: EventRow): SessionEvent {
  const { seq, id, session_id: sessionId, at, type, turn_id: turnId, v } = row
  try {
    const agent: unknown = row.agent === null ? null : JSON.parse(row.agent)
    const data: unknown = JSON.parse(row.data)
    const event = { seq, id, sessionId, at, type, agent, data, v }
    // Only `rowOfEvent` writes these columns, from typed events: validating each again would cost more than the replay.
    return (turnId === null ? event : { ...event, turnId }) as unknown as SessionEvent
  } catch (error) {
    throw storeUnreadable(`event ${seq} of session ${sessionId} is damaged: restore the database from a backup`, error)
  }
}
