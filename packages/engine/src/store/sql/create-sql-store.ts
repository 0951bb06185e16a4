// The durable store: one log and the rows folded from it, in SQL that both SQLite and PostgreSQL accept.
import { createEmitter } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import type { HeadNote } from '../../audit/head-note.ts'
import { type HeadsFile, openHeadsFile } from '../../audit/heads-file.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { EventStore } from '../ports/event-store.ts'
import { sessionKind } from '../ports/streams.ts'
import { createAddToChain, createSqlAudit } from './audit/sql-audit.ts'
import { createSqlHeads } from './audit/sql-heads.ts'
import { compileHotQueries } from './database/compile-hot-queries.ts'
import { eventOfRow } from './database/event-row.ts'
import { createGroupCommit, type HeadRecording } from './database/group-commit.ts'
import type { StoreTables } from './database/tables.ts'
import { type Unsynced, unsyncedOn } from './database/unsynced-writes.ts'
import { createSqlKeys } from './keys/sql-keys.ts'
import { createSqlToolTrust } from './keys/sql-tool-trust.ts'
import { createSqlHolders } from './leases/sql-holders.ts'
import { compileMoneyQueries } from './ledger/compile-money-queries.ts'
import { createSqlBegunAnswers } from './ledger/sql-begun-answers.ts'
import { createSqlBudgets } from './ledger/sql-budgets.ts'
import { createSqlLedger } from './ledger/sql-ledger.ts'
import { createAppend } from './log/append-events.ts'
import { createRemove } from './log/remove-session.ts'
import { createSessionStates } from './log/session-states.ts'
import { createSqlLog } from './log/sql-log.ts'
import { createSqlOpenTexts } from './log/sql-open-texts.ts'
import { createSqlOutbox } from './log/sql-outbox.ts'
import { createSqlReplies } from './log/sql-replies.ts'
import { createSqlSessions } from './log/sql-sessions.ts'
import { createSqlStreams } from './log/sql-streams.ts'
import { openDatabase } from './open-database.ts'

export interface SqlStoreOptions {
  /** Path of the database file; it is created in an existing folder. `:memory:` stores nothing on disk. */
  readonly file: string
  readonly clock: Clock
  readonly ids: Ids
  /** Called with each note that is added to the heads file. Must not throw. */
  readonly onHead?: ((note: HeadNote) => void) | undefined
}

/** The file with the notes of the commits to a database. */
export const headsBeside = (file: string): string => `${file}-heads`

/**
 * Throws `store.corrupt` for a file that is not a database, belongs to another program or has a newer version, and
 * `store.unavailable` if the folder cannot be written.
 */
export async function createSqlStore({ file, clock, ids, onHead }: SqlStoreOptions): Promise<EventStore> {
  const db = await openDatabase(file)
  const heads = file === ':memory:' ? null : openHeadsFile(headsBeside(file))
  return createStoreOn(db, { clock, ids, unsynced: unsyncedOn(db), heads, onHead })
}

interface StoreDeps {
  readonly clock: Clock
  readonly ids: Ids
  /** If absent, every write is synced. */
  readonly unsynced?: Unsynced
  /** Stores the notes of commits; without it there are none. */
  readonly heads?: HeadsFile | null
  readonly onHead?: ((note: HeadNote) => void) | undefined
}

export function createStoreOn(db: Kysely<StoreTables>, { clock, ids, ...parts }: StoreDeps): EventStore {
  const { heads = null, onHead } = parts
  const unsynced: Unsynced = parts.unsynced ?? ((write) => write(db))
  const hot = compileHotQueries(db)
  const money = compileMoneyQueries(db)
  const states = createSessionStates(hot)
  const { addToChain, head } = createAddToChain(hot)
  const recording: HeadRecording | null = heads && {
    head,
    note(note) {
      heads.add(note)
      onHead?.(note)
    },
  }
  const syncedCommits = createGroupCommit((write) => db.transaction().execute(write), recording)
  const unsyncedCommits = createGroupCommit((write) =>
    unsynced((connection) => connection.transaction().execute(write)),
  )
  const { commit } = syncedCommits
  const audit = createSqlAudit({ db, commit, hot, addToChain, clock })
  const { enqueue, ...outbox } = createSqlOutbox({ db, commit, clock, ids })
  const appended = createEmitter()
  const onAppended = appended.emit
  return {
    append: createAppend({ commit, hot, money, states, addToChain, outbox: { enqueue }, clock, ids, onAppended }),
    async read(sessionId, afterSeq, limit) {
      const { rows } = await db.executeQuery(hot.readEvents({ kind: sessionKind, id: sessionId }, afterSeq, limit))
      return rows.map(eventOfRow)
    },
    streams: createSqlStreams({ db, commit, hot, clock, ids, onAppended }),
    ...createSqlLog(db),
    onAppended: appended.listen,
    remove: createRemove({ commit, addToChain, states, clock }),
    ...createSqlSessions(db, states),
    ...createSqlOpenTexts({ db, hot, clock, commitUnsynced: unsyncedCommits.commit }),
    ...createSqlLedger(db),
    ...createSqlBegunAnswers({ db, money, commitUnsynced: unsyncedCommits.commit }),
    ...createSqlBudgets({ db, money, commit, addToChain, clock }),
    ...audit,
    ...createSqlHeads({ db, audit, heads }),
    ...outbox,
    ...createSqlKeys({ db, commit, addToChain, clock }),
    ...createSqlToolTrust({ db, commit, clock }),
    ...createSqlReplies(db, { clock, commitUnsynced: unsyncedCommits.commit }),
    ...createSqlHolders(db, unsyncedCommits.commit),
    check: () => checkWrites(db),
    async close() {
      await Promise.all([syncedCommits.settled(), unsyncedCommits.settled()])
      heads?.close()
      await db.destroy()
    },
  }
}

/**
 * As large as the writes of a turn: on a disk with a few free pages, a single page would still fit and the check would
 * be wrong.
 */
const filling = '.'.repeat(32 * 1024)

/** Deletes and inserts, because an update to the same value writes nothing. */
async function checkWrites(db: Kysely<StoreTables>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('store_checks').execute()
    await trx.insertInto('store_checks').values({ id: 1, filling }).execute()
  })
}
