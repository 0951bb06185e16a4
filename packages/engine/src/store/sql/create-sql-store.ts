// The durable store: one log and the rows folded from it, in SQL that SQLite and PostgreSQL both accept.
import type { Kysely } from 'kysely'
import type { Clock, EventStore, Ids } from '../event-store.ts'
import { createAppend } from './append-events.ts'
import { checkWrites } from './check-writes.ts'
import { compileHotQueries } from './compile-hot-queries.ts'
import { eventOfRow } from './event-row.ts'
import { bookingOfRow } from './ledger-row.ts'
import { openDatabase } from './open-database.ts'
import { createSessionStates } from './session-states.ts'
import { createSqlHolders } from './sql-holders.ts'
import { createSqlOpenTexts } from './sql-open-texts.ts'
import { createSqlReplies } from './sql-replies.ts'
import { createSqlSessions } from './sql-sessions.ts'
import type { StoreTables } from './tables.ts'
import { type Unsynced, unsyncedOn } from './unsynced-writes.ts'

export interface SqlStoreOptions {
  /** Path of the database file; it is created in an existing folder. `:memory:` leaves nothing behind. */
  readonly file: string
  readonly clock: Clock
  readonly ids: Ids
}

/**
 * Throws `store.corrupt` for a file that is no database, one of another program or one of a newer version, and
 * `store.unavailable` where the folder cannot be written.
 */
export async function createSqlStore({ file, clock, ids }: SqlStoreOptions): Promise<EventStore> {
  const db = await openDatabase(file)
  return createStoreOn(db, { clock, ids, unsynced: unsyncedOn(db) })
}

interface StoreParts {
  readonly clock: Clock
  readonly ids: Ids
  /** Every write is synced unless this is given. */
  readonly unsynced?: Unsynced
}

export function createStoreOn(db: Kysely<StoreTables>, { clock, ids, ...parts }: StoreParts): EventStore {
  const unsynced: Unsynced = parts.unsynced ?? ((write) => write(db))
  const hot = compileHotQueries(db)
  const states = createSessionStates(hot)
  return {
    append: createAppend({ db, hot, states, clock, ids }),
    async read(sessionId, afterSeq, limit) {
      const { rows } = await db.executeQuery(hot.readEvents(sessionId, afterSeq, limit))
      return rows.map(eventOfRow)
    },
    ...createSqlSessions(db, states),
    ...createSqlOpenTexts(db, { clock, unsynced }),
    async ledger(sessionId) {
      const rows = await db
        .selectFrom('ledger')
        .selectAll()
        .where('session_id', '=', sessionId)
        .orderBy('seq')
        .execute()
      return rows.map(bookingOfRow)
    },
    ...createSqlReplies(db, clock),
    ...createSqlHolders(db),
    check: () => checkWrites(db),
    close: () => db.destroy(),
  }
}
