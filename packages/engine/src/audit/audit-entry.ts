// One entry of the audit chain and its hash. Entries contain who did what to which object and hashes of contents, never
// the contents: a deleted session leaves none of its text behind.
import { hash } from 'node:crypto'
import { JsonObject, parseJson, type SessionId } from '@quarterdeck/protocol'

/** An entry before it is part of the chain. */
export interface AuditDraft {
  /** The name on the token, `agent` for actions of a model, `engine` for automatic actions. */
  readonly principal: string
  /** The type of an event, or an action outside of sessions such as `key.created`. */
  readonly action: string
  readonly sessionId: SessionId | null
  /** The object of the action: an approval, a message, a tool call, a key. */
  readonly subject: string
  readonly detail: JsonObject
}

export interface ChainEntry extends AuditDraft {
  /** Counts from 1 without gaps, across all sessions. */
  readonly seq: number
  readonly at: string
  /** The event of the entry, and the hash of that event as stored in the log. */
  readonly eventSeq: number | null
  readonly eventHash: string | null
  readonly prevHash: string
  readonly hash: string
}

/** The entry as stored: `detail` is the exact text that is hashed. */
export interface AuditRecord extends Omit<ChainEntry, 'detail'> {
  readonly detail: string
}

/** The length and the end of the chain, stored separately so that a truncated chain is detected. */
export interface AuditHead {
  readonly entries: number
  readonly hash: string
}

export const emptyChain: AuditHead = { entries: 0, hash: '0'.repeat(64) }

export const sha256 = (text: string): string => hash('sha256', text)

export type UnhashedRecord = Omit<AuditRecord, 'hash'>

/** Every field except the hash itself, in a fixed order. */
export const hashRecord = (record: UnhashedRecord): string =>
  sha256(
    field(record.seq) +
      field(record.at) +
      field(record.principal) +
      field(record.action) +
      field(record.sessionId) +
      field(record.eventSeq) +
      field(record.eventHash) +
      field(record.subject) +
      field(record.detail) +
      field(record.prevHash),
  )

/** The columns of an event's row that its hash covers. */
export interface EventColumns {
  readonly stream_id: string
  readonly seq: number
  readonly id: string
  readonly at: string
  readonly type: string
  readonly agent: string | null
  readonly turn_id: string | null
  readonly data: string
  readonly v: number
}

export const hashEvent = (row: EventColumns): string =>
  sha256(
    field(row.stream_id) +
      field(row.seq) +
      field(row.id) +
      field(row.at) +
      field(row.type) +
      field(row.agent) +
      field(row.turn_id) +
      field(row.data) +
      field(row.v),
  )

/** A length before each value: no text can move from one field to the next. Faster than JSON, which escapes. */
function field(value: string | number | null): string {
  if (value === null) return '-'
  const text = typeof value === 'string' ? value : String(value)
  return `${text.length}:${text}`
}

/** A tampered detail may not be JSON: it is then returned as text. */
export function entryOfRecord(record: AuditRecord): ChainEntry {
  const { data } = JsonObject.safeParse(parseJson(record.detail))
  return { ...record, detail: data ?? { unreadable: record.detail } }
}
