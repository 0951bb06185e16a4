// One entry of the audit chain and its hash. Entries hold who did what to which thing and hashes of contents, never the
// contents: a deleted session leaves nothing of what was said in it.
import { hash } from 'node:crypto'
import { JsonObject, type SessionId } from '@quarterdeck/protocol'

/** What happened, before the chain gives it a place. */
export interface AuditDraft {
  /** The name on the token, `agent` for what a model did, `engine` for what happened by itself. */
  readonly principal: string
  /** An event's type, or `key.created` and the like for what no session tells of. */
  readonly action: string
  readonly sessionId: SessionId | null
  /** What it was done to: an approval, a message, a tool call, a key. */
  readonly subject: string
  readonly detail: JsonObject
}

export interface ChainEntry extends AuditDraft {
  /** Counts from 1 without gaps, across all sessions. */
  readonly seq: number
  readonly at: string
  /** The event it tells of, and the hash of that event as the log holds it. */
  readonly eventSeq: number | null
  readonly eventHash: string | null
  readonly prevHash: string
  readonly hash: string
}

/** The entry as it is kept: `detail` in the very letters that are hashed. */
export interface AuditRecord extends Omit<ChainEntry, 'detail'> {
  readonly detail: string
}

/** How long the chain is and where it ends: kept apart, so that cutting off its end is found too. */
export interface AuditHead {
  readonly entries: number
  readonly hash: string
}

export const emptyChain: AuditHead = { entries: 0, hash: '0'.repeat(64) }

export const sha256 = (text: string): string => hash('sha256', text)

export type UnhashedRecord = Omit<AuditRecord, 'hash'>

/** Every field but the hash itself, in a fixed order. */
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

/** The columns of an event's row, in the letters the log keeps them in. */
export interface EventColumns {
  readonly session_id: string
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
    field(row.session_id) +
      field(row.seq) +
      field(row.id) +
      field(row.at) +
      field(row.type) +
      field(row.agent) +
      field(row.turn_id) +
      field(row.data) +
      field(row.v),
  )

/** Its length before each value: nothing can be moved from one field into the next. Quicker than JSON, which escapes. */
function field(value: string | number | null): string {
  if (value === null) return '-'
  const text = typeof value === 'string' ? value : String(value)
  return `${text.length}:${text}`
}

/** A detail that was tampered with can be no JSON any more: it is then shown in the letters it has. */
export function entryOfRecord(record: AuditRecord): ChainEntry {
  try {
    return { ...record, detail: JsonObject.parse(JSON.parse(record.detail)) }
  } catch {
    return { ...record, detail: { unreadable: record.detail } }
  }
}
