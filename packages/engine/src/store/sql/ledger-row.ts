import type { Insertable, Selectable } from 'kysely'
import type { LedgerRow } from '../event-store.ts'
import type { StoreTables } from './tables.ts'

export function rowOfBooking(seq: number, row: LedgerRow): Insertable<StoreTables['ledger']> {
  return {
    session_id: row.sessionId,
    api_message_id: row.apiMessageId,
    seq,
    request_id: row.requestId,
    model: row.model,
    served_model: row.servedModel,
    input_tokens: row.tokens.input,
    output_tokens: row.tokens.output,
    cache_read_tokens: row.tokens.cacheRead,
    cache_write_tokens: row.tokens.cacheWrite,
    cost_usd: row.costUsd,
    source: row.source,
    at: row.at,
  }
}

export function bookingOfRow(row: Selectable<StoreTables['ledger']>): LedgerRow {
  return {
    sessionId: row.session_id,
    requestId: row.request_id,
    apiMessageId: row.api_message_id,
    model: row.model,
    servedModel: row.served_model,
    tokens: {
      input: row.input_tokens,
      output: row.output_tokens,
      cacheRead: row.cache_read_tokens,
      cacheWrite: row.cache_write_tokens,
    },
    costUsd: row.cost_usd,
    source: row.source,
    at: row.at,
  }
}
