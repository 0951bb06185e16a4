import type { Kysely } from 'kysely'
import type { StoreTables } from './tables.ts'

/** As large as what a turn writes at once: on a disk with a few free pages a single one would still fit, and lie. */
const filling = '.'.repeat(32 * 1024)

/** Deleted and inserted, because an update to the same value writes nothing. */
export async function checkWrites(db: Kysely<StoreTables>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('store_checks').execute()
    await trx.insertInto('store_checks').values({ id: 1, filling }).execute()
  })
}
