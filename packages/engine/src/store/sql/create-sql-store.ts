// The durable store: one log and the rows folded from it, in SQL that both SQLite and PostgreSQL accept.
import { createEmitter } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import type { HeadNote } from '../../audit/head-note.ts'
import { type HeadsFile, openHeadsFile } from '../../audit/heads-file.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { EventStore } from '../ports/event-store.ts'
import { sessionKind } from '../ports/streams.ts'
import { createAddToChain } from './audit/add-to-chain.ts'
import { createSqlAudit } from './audit/sql-audit.ts'
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
import type { SqlDependencies } from './sql-dependencies.ts'

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

export function createStoreOn(db: Kysely<StoreTables>, deps: StoreDeps): EventStore {
  const { clock, ids, heads = null, onHead, unsynced = (write) => write(db) } = deps
  const hot = compileHotQueries(db)
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
  const appended = createEmitter()
  const dependencies: SqlDependencies = {
    db,
    hot,
    money: compileMoneyQueries(db),
    states: createSessionStates(hot),
    commit: syncedCommits.commit,
    commitUnsynced: unsyncedCommits.commit,
    addToChain,
    clock,
    ids,
    onAppended: appended.emit,
  }
  const audit = createSqlAudit(dependencies)
  const { enqueue, ...outbox } = createSqlOutbox(dependencies)
  return {
    append: createAppend(dependencies, enqueue),
    async read(sessionId, afterSeq, limit) {
      const { rows } = await db.executeQuery(hot.readEvents({ kind: sessionKind, id: sessionId }, afterSeq, limit))
      return rows.map(eventOfRow)
    },
    streams: createSqlStreams(dependencies),
    ...createSqlLog(dependencies),
    onAppended: appended.listen,
    remove: createRemove(dependencies),
    ...createSqlSessions(dependencies),
    ...createSqlOpenTexts(dependencies),
    ...createSqlLedger(dependencies),
    ...createSqlBegunAnswers(dependencies),
    ...createSqlBudgets(dependencies),
    ...audit,
    ...createSqlHeads(dependencies, audit, heads),
    ...outbox,
    ...createSqlKeys(dependencies),
    ...createSqlToolTrust(dependencies),
    ...createSqlReplies(dependencies),
    ...createSqlHolders(dependencies),
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
