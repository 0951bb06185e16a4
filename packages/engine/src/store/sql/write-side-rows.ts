import { assertNever, type SessionId } from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import type { Booking } from '../money-store.ts'
import type { AppendPlan } from '../plan-append.ts'
import { type SideRow, sideRowOf } from '../side-rows.ts'
import { spendingOf } from '../spending.ts'
import { seedUsed } from '../store-errors.ts'
import { rowOfBooking } from './booking-row.ts'
import type { HotQueries } from './compile-hot-queries.ts'
import type { StoreTables } from './tables.ts'

type Trx = Transaction<StoreTables>

/** Writes what these events change beside the log, in the transaction that appends them. */
export async function writeSideRows(trx: Trx, hot: HotQueries, { events, state }: AppendPlan): Promise<void> {
  for (const event of events) {
    const row = sideRowOf(event, state)
    if (row?.type === 'text-settled') {
      for (const kind of row.kinds) await trx.executeQuery(hot.dropText(event.sessionId, row.messageId, kind))
    } else if (row !== null) {
      await writeSideRow(trx, event.sessionId, row)
    }
  }
}

type RareRow = Exclude<SideRow, { type: 'text-settled' }>

async function writeSideRow(trx: Trx, sessionId: SessionId, row: RareRow): Promise<unknown> {
  switch (row.type) {
    case 'ask-opened': {
      const ask = { ask_id: row.id, session_id: sessionId, is_open: 1, asked_at: row.at } as const
      return trx.insertInto('asks').values(ask).execute()
    }
    case 'ask-closed':
      return trx.updateTable('asks').set({ is_open: 0 }).where('ask_id', '=', row.id).execute()
    case 'seed-used':
      return writeSeed(trx, sessionId, row.seed)
    case 'usage-booked':
      await trx.insertInto('bookings').values(rowOfBooking(row.seq, row.booking)).execute()
      await trx
        .deleteFrom('begun_answers')
        .where('session_id', '=', sessionId)
        .where('api_message_id', '=', row.booking.apiMessageId)
        .execute()
      return addSpending(trx, row.booking)
    case 'warning-given': {
      const { budgetId, key } = row.mark
      return trx.insertInto('budget_warnings').values({ budget_id: budgetId, key }).execute()
    }
    default:
      return assertNever(row)
  }
}

async function writeSeed(trx: Trx, sessionId: SessionId, seed: string): Promise<void> {
  const earlier = await trx.selectFrom('session_seeds').select('session_id').where('seed', '=', seed).executeTakeFirst()
  if (earlier !== undefined) throw seedUsed(seed, earlier.session_id)
  await trx.insertInto('session_seeds').values({ seed, session_id: sessionId }).execute()
}

async function addSpending(trx: Trx, booking: Booking): Promise<void> {
  await trx
    .insertInto('spending')
    .values([...spendingOf(booking)])
    .onConflict((on) =>
      on.columns(['scope', 'subject', 'day']).doUpdateSet(({ eb, ref }) => ({
        usd: eb('spending.usd', '+', ref('excluded.usd')),
        units: eb('spending.units', '+', ref('excluded.units')),
      })),
    )
    .execute()
}
