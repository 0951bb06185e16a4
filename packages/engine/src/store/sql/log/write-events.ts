import type { Kysely } from 'kysely'
import { type HotQueries, rowsPerInsert } from '../database/compile-hot-queries.ts'
import type { EventRow } from '../database/event-row.ts'
import type { StoreTables } from '../database/tables.ts'

/** Adds events of one stream to the end of the log. The database assigns their positions. */
export async function writeEvents(trx: Kysely<StoreTables>, hot: HotQueries, rows: readonly EventRow[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await trx.executeQuery(hot.insertEvents(first.kind, rows.slice(start, start + rowsPerInsert)))
  }
}
