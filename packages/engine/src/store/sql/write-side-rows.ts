import { assertNever, type SessionEvent, type SessionId } from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import { type SideRow, sideRowOf } from '../side-rows.ts'
import type { HotQueries } from './compile-hot-queries.ts'
import { rowOfBooking } from './ledger-row.ts'
import type { StoreTables } from './tables.ts'

/** Writes what these events change beside the log, in the transaction that appends them. */
export async function writeSideRows(
  trx: Transaction<StoreTables>,
  hot: HotQueries,
  events: readonly SessionEvent[],
): Promise<void> {
  for (const event of events) {
    const row = sideRowOf(event)
    if (row?.type === 'text-settled') {
      for (const kind of row.kinds) await trx.executeQuery(hot.dropText(event.sessionId, row.messageId, kind))
    } else if (row !== null) {
      await writeSideRow(trx, event.sessionId, row)
    }
  }
}

type RareRow = Exclude<SideRow, { type: 'text-settled' }>

async function writeSideRow(trx: Transaction<StoreTables>, sessionId: SessionId, row: RareRow): Promise<unknown> {
  switch (row.type) {
    case 'approval-opened': {
      const { approvalId, at } = row
      const approval = { approval_id: approvalId, session_id: sessionId, is_open: 1, requested_at: at } as const
      return trx.insertInto('approvals').values(approval).execute()
    }
    case 'approval-closed':
      return trx.updateTable('approvals').set({ is_open: 0 }).where('approval_id', '=', row.approvalId).execute()
    case 'usage-booked':
      return trx.insertInto('ledger').values(rowOfBooking(row.seq, row.row)).execute()
    default:
      return assertNever(row)
  }
}
