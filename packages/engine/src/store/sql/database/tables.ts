// The database rows. JSON and times are text, booleans are 0 or 1: SQLite and PostgreSQL agree on these.
import type { AgentStreamSnapshot, AskId, SessionId, SessionStatus } from '@quarterdeck/protocol'
import type { Generated } from 'kysely'
import type { Holder } from '../../ports/event-store.ts'
import type { AccessKey } from '../../ports/key-store.ts'
import type { Booking, StoredBudget } from '../../ports/money-store.ts'
import type { EventRow } from './event-row.ts'

export interface StoreTables {
  /** The log. The database assigns the positions. */
  stream_events: EventRow & { position: Generated<number> }
  /** One row: the last position before the last deletion. The log has reached it, even if its event is gone. */
  log_floor: { id: number; position: number }
  sessions: SessionRow
  /** Repeats columns of the session, so that a list by tag is in order without sorting. */
  session_tags: { session_id: SessionId; tag: string; created_at: string; is_archived: 0 | 1 }
  session_seeds: { seed: string; session_id: SessionId }
  asks: { ask_id: AskId; session_id: SessionId; is_open: 0 | 1; asked_at: string }
  bookings: BookingRow
  /** `answer` is what is known before its booking. */
  begun_answers: { session_id: SessionId; api_message_id: string; answer: string }
  /** The bookings of a day, summed. `subject` is empty for `all`. */
  spending: { scope: StoredBudget['scope']; subject: string; day: string; usd: number; units: number }
  budgets: BudgetRow
  budget_warnings: { budget_id: StoredBudget['id']; key: string }
  keys: KeyRow
  outbox: OutboxRow
  audit: AuditRow
  audit_head: { id: number; entries: number; hash: string }
  open_texts: OpenTextRow
  /** Additions to texts in progress, many texts in one row: `[[session, message, kind, text], …]`. */
  text_pieces: { writer: string; batch: number; pieces: string }
  replies: ReplyRow
  /** `description` and `input_schema` are hashes. */
  trusted_tools: {
    agent_name: string
    tool_name: string
    description: string
    input_schema: string
    trusted_at: string
  }
  holders: HolderRow
  /** One row that is written to check whether writing works. */
  store_checks: { id: number; filling: string }
  leases: { session_id: SessionId; fencing: number; holder_id: string | null; holder: string | null }
}

/** `state` is the fold of the log up to `seq`; the other columns serve to filter and sort. */
export interface SessionRow {
  session_id: SessionId
  seq: number
  status: SessionStatus
  agent_name: string
  owner: string
  created_at: string
  updated_at: string
  state: string
  is_archived: 0 | 1
  is_hibernated: 0 | 1
  /** In lower case, for searching. */
  folded_title: string
}

/** The columns that lists filter by. */
export type SessionListColumns = Pick<SessionRow, 'status' | 'is_archived' | 'is_hibernated' | 'folded_title'>

export interface AuditRow {
  seq: number
  at: string
  principal: string
  action: string
  session_id: SessionId | null
  event_seq: number | null
  event_hash: string | null
  subject: string
  detail: string
  prev_hash: string
  hash: string
}

interface BudgetRow {
  id: StoredBudget['id']
  scope: StoredBudget['scope']
  subject: string
  period: StoredBudget['period']
  unit: StoredBudget['unit']
  amount: number
  created_at: string
  created_by: string
}

interface KeyRow {
  id: string
  name: string
  hash: string
  scope: AccessKey['scope']
  owner: string
  created_at: string
  expires_at: string | null
  requests_per_minute: number | null
  revoked_at: string | null
}

interface OutboxRow {
  id: string
  webhook_id: string
  session_id: SessionId
  seq: number
  type: string
  at: string
  attempts: number
  next_at: string
  last_error: string | null
  done_at: string | null
}

interface BookingRow {
  session_id: SessionId
  api_message_id: string
  seq: number
  request_id: string
  model: string
  served_model: string
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
  cost_usd: number | null
  source: Booking['source']
  at: string
  owner: string
  started_by: string
  agent_name: Booking['agentName']
  units: number
  high_cost_usd: number | null
  is_estimated: 0 | 1
  is_simulated: 0 | 1
}

export interface OpenTextRow {
  session_id: SessionId
  message_id: string
  kind: AgentStreamSnapshot['data']['kind']
  opened_at: string
  /** The whole text as of `since`. */
  snapshot: string
  /** The writer whose pieces continue it: one of the connections that have opened this database. */
  writer: string
  /** Pieces of later batches belong to it. */
  since: number
}

interface ReplyRow {
  principal: string
  key: string
  body_hash: string
  status: number
  body: string
  saved_at: string
}

interface HolderRow {
  id: string
  role: Holder['role']
  pid: number
  start_time: string
  address: string | null
}
