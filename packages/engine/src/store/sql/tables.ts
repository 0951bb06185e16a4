// The rows as the database holds them. JSON and times are text, facts are 0 or 1: SQLite and PostgreSQL agree on these.
import type { AgentStreamSnapshot, ApprovalId, SessionId, SessionStatus } from '@quarterdeck/protocol'
import type { Holder, LedgerRow } from '../event-store.ts'

export interface StoreTables {
  events: EventRow
  sessions: SessionRow
  /** `created_at` is the session's: so that a list by tag is in order without sorting every session that has it. */
  session_tags: { session_id: SessionId; tag: string; created_at: string }
  approvals: { approval_id: ApprovalId; session_id: SessionId; is_open: 0 | 1; requested_at: string }
  ledger: LedgerTableRow
  open_texts: OpenTextRow
  replies: ReplyRow
  holders: HolderRow
  /** One row that is written to see whether writing works. */
  store_checks: { id: number; filling: string }
  leases: { session_id: SessionId; fencing: number; holder_id: string | null; holder: string | null }
}

export interface EventRow {
  session_id: SessionId
  seq: number
  id: string
  at: string
  type: string
  agent: string | null
  turn_id: string | null
  data: string
  v: number
}

/** `state` is the fold of the log up to `seq`; the columns beside it are there to filter and sort by. */
export interface SessionRow {
  session_id: SessionId
  seq: number
  status: SessionStatus
  agent_name: string
  owner: string
  created_at: string
  updated_at: string
  state: string
}

interface LedgerTableRow {
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
  source: LedgerRow['source']
  at: string
}

interface OpenTextRow {
  session_id: SessionId
  message_id: string
  kind: AgentStreamSnapshot['data']['kind']
  opened_at: string
  snapshot: string
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
