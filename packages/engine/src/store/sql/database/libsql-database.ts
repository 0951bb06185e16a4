// libsql for Kysely. The native binding crashes the process on a boolean or a bare buffer, and silently accepts
// `undefined`, NaN and a wrong number of parameters. All parameters pass the checks in this file.
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import Libsql from 'libsql'
import { sqliteFailure } from './sqlite-failure.ts'

export interface LibsqlDatabase extends SqliteDatabase {
  isInTransaction(): boolean
}

/**
 * The number of prepared statements to cache. The store has about thirty queries, and three inserts in up to twenty
 * sizes each; lists in `in (…)` would add many more.
 */
const maxCachedStatements = 200

export function openLibsql(file: string): LibsqlDatabase {
  const known = knowingFailures(file)
  const database = known(() => new Libsql(file))
  const statements = new Map<string, SqliteStatement>()
  let isOpen = true

  function prepareCached(sql: string): SqliteStatement {
    const cached = statements.get(sql)
    if (cached !== undefined) return cached
    const [oldest] = statements.keys()
    if (oldest !== undefined && statements.size >= maxCachedStatements) statements.delete(oldest)
    const statement = guard(sql, { prepare: () => database.prepare(sql), known })
    statements.set(sql, statement)
    return statement
  }

  return {
    isInTransaction: () => database.inTransaction,
    prepare(sql) {
      // In libsql, a statement continues to work after its connection closed, on a file that may have been moved.
      if (!isOpen) throw new Error('the database is closed')
      return prepareCached(sql)
    },
    close() {
      if (!isOpen) return
      isOpen = false
      statements.clear()
      if (!database.memory) checkpoint(database)
      database.close()
    },
  }
}

type Known = <Result>(work: () => Result) => Result

/** Translates driver errors about the disk or a damaged file into an engine error with a remedy. */
const knowingFailures =
  (file: string): Known =>
  (work) => {
    try {
      return work()
    } catch (error) {
      throw sqliteFailure(file, error)
    }
  }

/**
 * The binding frees its last handles only on garbage collection. Without this, written data would stay in the
 * write-ahead log.
 */
function checkpoint(database: Libsql.Database): void {
  try {
    database.prepare('pragma wal_checkpoint(truncate)').all([])
  } catch {
    // Another connection is busy. Nothing is lost: the last one to close does it.
  }
}

interface Guarded {
  readonly prepare: () => Libsql.Statement
  readonly known: Known
}

function guard(sql: string, { prepare, known }: Guarded): SqliteStatement {
  const statement = known(prepare)
  const expected = countPlaceholders(sql)
  const bind = (parameters: readonly unknown[]): unknown[] => {
    if (parameters.length !== expected) {
      throw new TypeError(`${parameters.length} parameters for the ${expected} placeholders of: ${sql}`)
    }
    return parameters.map((value, index) => {
      const bindable = toBindable(value)
      if (bindable !== undefined) return bindable
      throw new TypeError(`parameter ${index + 1} cannot be stored unchanged, in: ${sql}`)
    })
  }
  return {
    reader: statement.reader,
    all: (parameters) => known(() => statement.all(bind(parameters))).map(toRow),
    run: (parameters) => known(() => statement.run(bind(parameters))),
    // A new statement: one that is being iterated cannot be used twice.
    *iterate(parameters) {
      const rows = known(() => prepare().iterate(bind(parameters)))
      for (let row = known(() => rows.next()); row.done !== true; row = known(() => rows.next())) yield toRow(row.value)
    },
  }
}

const countPlaceholders = (sql: string): number => sql.replace(/'[^']*'|"[^"]*"/g, '').match(/\?/g)?.length ?? 0

/** `undefined` for a value that the driver would store differently or crash on. */
function toBindable(value: unknown): unknown {
  switch (typeof value) {
    case 'boolean':
      return value ? 1 : 0
    case 'number':
      return Number.isFinite(value) ? value : undefined
    case 'bigint':
      return value === BigInt(Number(value)) ? value : undefined
    case 'string':
      // SQLite cuts a text at a NUL and replaces half a surrogate pair. JSON escapes both.
      return value.includes('\0') || !value.isWellFormed() ? undefined : value
    case 'object':
      return value === null || value instanceof Uint8Array ? value : undefined
    default:
      return undefined
  }
}

function toRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  for (const column in row) {
    const value: unknown = Reflect.get(row, column)
    if (value instanceof ArrayBuffer) Reflect.set(row, column, new Uint8Array(value))
  }
  return row
}
