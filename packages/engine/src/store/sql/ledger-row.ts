import type { Insertable, Selectable } from 'kysely'
import type { LedgerRow } from '../money-store.ts'
import type { StoreTables } from './tables.ts'

export function rowOfBooking(seq: number, row: LedgerRow): Insertable<StoreTables['bookings']> {
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
    owner: row.owner,
    agent_name: row.agentName,
    units: row.units,
    high_cost_usd: row.highCostUsd,
    is_estimated: row.tokens.isOutputEstimated === true ? 1 : 0,
  }
}

export function bookingOfRow(row: Selectable<StoreTables['bookings']>): LedgerRow {
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
      ...(row.is_estimated === 1 ? { isOutputEstimated: true } : {}),
    },
    costUsd: row.cost_usd,
    units: row.units,
    highCostUsd: row.high_cost_usd,
    source: row.source,
    at: row.at,
    owner: row.owner,
    agentName: row.agent_name,
  }
}
