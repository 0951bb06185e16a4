import { assertNever, type SessionId } from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import { settledTexts } from '../../ports/settled-texts.ts'
import { seedUsed } from '../../ports/store-errors.ts'
import type { HotQueries } from '../database/compile-hot-queries.ts'
import type { StoreTables } from '../database/tables.ts'
import type { MoneyQueries } from '../ledger/compile-money-queries.ts'
import type { AppendPlan } from './plan-append.ts'
import { type SideRow, sideRowOf } from './side-rows.ts'

type Trx = Transaction<StoreTables>

/** Writes the derived rows of these events, in the transaction that appends them. */
export async function writeSideRows(trx: Trx, queries: SideQueries, { events, state }: AppendPlan): Promise<void> {
  for (const event of events) {
    const { sessionId } = event
    const row = sideRowOf(event, state)
    if (row !== null) await writeSideRow(trx, queries.money, { sessionId, row })
    // In the transaction of its event: after a crash in between, the same text would appear twice, once as discarded.
    for (const { messageId, kind } of settledTexts(event)) {
      await trx.executeQuery(queries.hot.dropText(sessionId, messageId, kind))
    }
  }
}

interface SideQueries {
  readonly hot: HotQueries
  readonly money: MoneyQueries
}

async function writeSideRow(
  trx: Trx,
  money: MoneyQueries,
  { sessionId, row }: { readonly sessionId: SessionId; readonly row: SideRow },
): Promise<unknown> {
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
      await trx.executeQuery(money.insertBooking(row.seq, row.booking))
      await trx.executeQuery(money.dropBegun(sessionId, row.booking.apiMessageId))
      return trx.executeQuery(money.addSpending(row.booking))
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
