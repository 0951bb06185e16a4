import { isQuarterdeckError } from '@quarterdeck/protocol'
import { Kysely } from 'kysely'
import { storeUnreadable } from '../ports/store-errors.ts'
import { type LibsqlDatabase, openLibsql } from './database/libsql-database.ts'
import { LibsqlDialect } from './database/libsql-dialect.ts'
import type { StoreTables } from './database/tables.ts'
import { waitForLock } from './database/wait-for-lock.ts'
import { migrateStore } from './migrations/migrate-store.ts'

const pragmas = [
  // Short: `waitForLock` waits longer for another writer.
  'pragma busy_timeout = 50',
  'pragma journal_mode = wal',
  // Synced at each commit, so that an acknowledged `append` survives a power failure. `normal` is five times faster for
  // single appends but survives only a crash of the process.
  'pragma synchronous = full',
  'pragma foreign_keys = on',
]

/** Opens and migrates a database file, or an in-memory database with `:memory:`. */
export async function openDatabase(file: string): Promise<Kysely<StoreTables>> {
  const db = new Kysely<StoreTables>({ dialect: new LibsqlDialect(await openFile(file)) })
  try {
    await migrateStore(db, file)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function openFile(file: string): Promise<LibsqlDatabase> {
  try {
    const database = openLibsql(file)
    for (const pragma of pragmas) await waitForLock(async () => database.prepare(pragma).all([]))
    return database
  } catch (error) {
    if (isQuarterdeckError(error)) throw error
    throw storeUnreadable(
      `${file} cannot be opened as a database (${String(error)}): choose another with --data`,
      error,
    )
  }
}
