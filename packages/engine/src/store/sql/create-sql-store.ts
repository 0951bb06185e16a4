// The durable store: one log and the rows folded from it, in SQL that SQLite and PostgreSQL both accept.
import type { Kysely } from 'kysely'
import type { HeadNote } from '../../audit/head-note.ts'
import { type HeadsFile, openHeadsFile } from '../../audit/heads-file.ts'
import { eventOfRow } from '../event-row.ts'
import type { Clock, EventStore, Ids } from '../event-store.ts'
import { createAppend } from './append-events.ts'
import { checkWrites } from './check-writes.ts'
import { compileHotQueries } from './compile-hot-queries.ts'
import { compileMoneyQueries } from './compile-money-queries.ts'
import { createGroupCommit, type HeadNoting } from './group-commit.ts'
import { openDatabase } from './open-database.ts'
import { createRemove } from './remove-session.ts'
import { createSessionStates } from './session-states.ts'
import { createAddToChain, createSqlAudit } from './sql-audit.ts'
import { createSqlBegunAnswers } from './sql-begun-answers.ts'
import { createSqlBudgets } from './sql-budgets.ts'
import { createSqlHeads } from './sql-heads.ts'
import { createSqlHolders } from './sql-holders.ts'
import { createSqlKeys } from './sql-keys.ts'
import { createSqlLedger } from './sql-ledger.ts'
import { createSqlOpenTexts } from './sql-open-texts.ts'
import { createSqlOutbox } from './sql-outbox.ts'
import { createSqlReplies } from './sql-replies.ts'
import { createSqlSessions } from './sql-sessions.ts'
import { createSqlToolTrust } from './sql-tool-trust.ts'
import type { StoreTables } from './tables.ts'
import { type Unsynced, unsyncedOn } from './unsynced-writes.ts'

export interface SqlStoreOptions {
  /** Path of the database file; it is created in an existing folder. `:memory:` leaves nothing behind. */
  readonly file: string
  readonly clock: Clock
  readonly ids: Ids
  /** Called with each note that is added beside the database. Must not throw. */
  readonly onHead?: (note: HeadNote) => void
}

/** The file with the notes of the commits to a database. */
export const headsBeside = (file: string): string => `${file}-heads`

/**
 * Throws `store.corrupt` for a file that is no database, one of another program or one of a newer version, and
 * `store.unavailable` where the folder cannot be written.
 */
export async function createSqlStore({ file, clock, ids, onHead }: SqlStoreOptions): Promise<EventStore> {
  const db = await openDatabase(file)
  const heads = file === ':memory:' ? null : openHeadsFile(headsBeside(file))
  return createStoreOn(db, { clock, ids, unsynced: unsyncedOn(db), heads, ...(onHead === undefined ? {} : { onHead }) })
}

interface StoreParts {
  readonly clock: Clock
  readonly ids: Ids
  /** Every write is synced unless this is given. */
  readonly unsynced?: Unsynced
  /** Keeps the notes of commits; without it none are kept. */
  readonly heads?: HeadsFile | null
  readonly onHead?: (note: HeadNote) => void
}

export function createStoreOn(db: Kysely<StoreTables>, { clock, ids, ...parts }: StoreParts): EventStore {
  const { heads = null, onHead } = parts
  const unsynced: Unsynced = parts.unsynced ?? ((write) => write(db))
  const hot = compileHotQueries(db)
  const money = compileMoneyQueries(db)
  const states = createSessionStates(hot)
  const { addToChain, head } = createAddToChain(hot)
  const noting: HeadNoting | null = heads && {
    head,
    note(note) {
      heads.add(note)
      onHead?.(note)
    },
  }
  const synced = createGroupCommit((write) => db.transaction().execute(write), noting)
  const loose = createGroupCommit((write) => unsynced((connection) => connection.transaction().execute(write)))
  const { commit } = synced
  const audit = createSqlAudit({ db, commit, hot, addToChain, clock })
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
    ...audit,
    ...createSqlHeads({ db, audit, heads }),
    ...outbox,
    ...createSqlKeys({ db, commit, addToChain, clock }),
    ...createSqlToolTrust({ db, commit, clock }),
    ...createSqlReplies(db, { clock, commitUnsynced: loose.commit }),
    ...createSqlHolders(db, loose.commit),
    check: () => checkWrites(db),
    async close() {
      await Promise.all([synced.settled(), loose.settled()])
      heads?.close()
      await db.destroy()
    },
  }
}
