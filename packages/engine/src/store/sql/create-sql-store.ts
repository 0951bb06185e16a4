// The durable store: one log and the rows folded from it, in SQL that SQLite and PostgreSQL both accept.
import type { Kysely } from 'kysely'
import { eventOfRow } from '../event-row.ts'
import type { Clock, EventStore, Ids } from '../event-store.ts'
import { createAppend } from './append-events.ts'
import { checkWrites } from './check-writes.ts'
import { compileHotQueries } from './compile-hot-queries.ts'
import { compileMoneyQueries } from './compile-money-queries.ts'
import { createGroupCommit } from './group-commit.ts'
import { openDatabase } from './open-database.ts'
import { createRemove } from './remove-session.ts'
import { createSessionStates } from './session-states.ts'
import { createAddToChain, createSqlAudit } from './sql-audit.ts'
import { createSqlBegunAnswers } from './sql-begun-answers.ts'
import { createSqlBudgets } from './sql-budgets.ts'
import { createSqlHolders } from './sql-holders.ts'
import { createSqlKeys } from './sql-keys.ts'
import { createSqlLedger } from './sql-ledger.ts'
import { createSqlOpenTexts } from './sql-open-texts.ts'
import { createSqlOutbox } from './sql-outbox.ts'
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
  const money = compileMoneyQueries(db)
  const states = createSessionStates(hot)
  const synced = createGroupCommit((write) => db.transaction().execute(write))
  const loose = createGroupCommit((write) => unsynced((connection) => connection.transaction().execute(write)))
  const { commit } = synced
  const addToChain = createAddToChain(hot)
  const { enqueue, ...outbox } = createSqlOutbox({ db, commit, clock, ids })
  return {
    append: createAppend({ commit, hot, money, states, addToChain, outbox: { enqueue }, clock, ids }),
    async read(sessionId, afterSeq, limit) {
      const { rows } = await db.executeQuery(hot.readEvents(sessionId, afterSeq, limit))
      return rows.map(eventOfRow)
    },
    remove: createRemove({ commit, addToChain, states, clock }),
    ...createSqlSessions(db, states),
    ...createSqlOpenTexts({ db, hot, clock, commitUnsynced: loose.commit }),
    ...createSqlLedger(db),
    ...createSqlBegunAnswers({ db, money, commitUnsynced: loose.commit }),
    ...createSqlBudgets({ db, money, commit, addToChain, clock }),
    ...createSqlAudit({ db, commit, hot, addToChain, clock }),
    ...outbox,
    ...createSqlKeys({ db, commit, addToChain, clock }),
    ...createSqlReplies(db, { clock, commitUnsynced: loose.commit }),
    ...createSqlHolders(db, loose.commit),
    check: () => checkWrites(db),
    async close() {
      await Promise.all([synced.settled(), loose.settled()])
      await db.destroy()
    },
  }
}
