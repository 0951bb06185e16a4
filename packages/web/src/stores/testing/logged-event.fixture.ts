// Turns event drafts into logged events with seq, id and time.
import { type EventDraft, SessionEvent, SessionId } from '@quarterdeck/protocol'

export const sessionId = SessionId.parse('ses_000001')
const startedAt = Date.parse('2026-05-04T10:00:00.000Z')

interface Logged {
  readonly seq: number
  /** In milliseconds. By default one second after the previous event. */
  readonly at?: number
  readonly sessionId?: SessionId
}

export const loggedEvent = (event: EventDraft, { seq, at = startedAt + seq * 1000, ...of }: Logged): SessionEvent =>
  SessionEvent.parse({
    ...event,
    seq,
    id: `evt_${String(seq).padStart(6, '0')}`,
    sessionId: of.sessionId ?? sessionId,
    at: new Date(at).toISOString(),
    v: 1,
  })

export const logOf = (...drafts: readonly EventDraft[]): readonly SessionEvent[] =>
  drafts.map((event, index) => loggedEvent(event, { seq: index + 1 }))
