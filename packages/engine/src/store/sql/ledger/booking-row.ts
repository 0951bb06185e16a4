import type { Insertable, Selectable } from 'kysely'
import type { Booking } from '../../ports/money-store.ts'
import type { StoreTables } from '../database/tables.ts'

export function rowOfBooking(seq: number, booking: Booking): Insertable<StoreTables['bookings']> {
  return {
    session_id: booking.sessionId,
    api_message_id: booking.apiMessageId,
    seq,
    request_id: booking.requestId,
    model: booking.model,
    served_model: booking.servedModel,
    input_tokens: booking.tokens.input,
    output_tokens: booking.tokens.output,
    cache_read_tokens: booking.tokens.cacheRead,
    cache_write_tokens: booking.tokens.cacheWrite,
    cost_usd: booking.costUsd,
    source: booking.source,
    at: booking.at,
    owner: booking.owner,
    started_by: booking.startedBy,
    agent_name: booking.agentName,
    units: booking.units,
    high_cost_usd: booking.highCostUsd,
    is_estimated: booking.tokens.isOutputEstimated === true ? 1 : 0,
    is_simulated: booking.isSimulated ? 1 : 0,
  }
}

export function bookingOfRow(row: Selectable<StoreTables['bookings']>): Booking {
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
    startedBy: row.started_by,
    agentName: row.agent_name,
    isSimulated: row.is_simulated === 1,
  }
}
