import { CompiledQuery, type DatabaseConnection, SqliteDialect, SqliteDriver } from 'kysely'
import type { LibsqlDatabase } from './libsql-database.ts'
import { waitForLock } from './wait-for-lock.ts'

export class LibsqlDialect extends SqliteDialect {
  readonly #database: LibsqlDatabase

  constructor(database: LibsqlDatabase) {
    super({ database })
    this.#database = database
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database)
  }
}

// Built once, because they run for every append.
const begin = CompiledQuery.raw('begin immediate')
const commit = CompiledQuery.raw('commit')

class ImmediateDriver extends SqliteDriver {
  readonly #database: LibsqlDatabase

  constructor(database: LibsqlDatabase) {
    super({ database })
    this.#database = database
  }

  /** Takes the write lock at once: otherwise two processes that read first and then write could both fail. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // A rollback that failed with the disk has left its transaction open; without this, no further write would work.
    if (this.#database.isInTransaction()) await super.rollbackTransaction(connection)
    await waitForLock(async () => connection.executeQuery(begin))
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(commit)
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A full disk makes SQLite roll back by itself; the error of a second rollback would hide the reason.
    if (this.#database.isInTransaction()) await super.rollbackTransaction(connection)
  }
}
