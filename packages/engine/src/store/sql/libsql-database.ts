// libsql as Kysely wants it. The native binding ends the whole process on a boolean or a bare buffer, and takes
// `undefined`, NaN and a wrong number of parameters in silence: everything bound passes the guards of this file.
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import Libsql from 'libsql'

export interface LibsqlDatabase extends SqliteDatabase {
  isInTransaction(): boolean
}

/** Statements kept prepared. The store has some thirty shapes of query; more would come from lists in `in (…)`. */
const keptStatements = 100

export function openLibsql(file: string): LibsqlDatabase {
  const database = new Libsql(file)
  const statements = new Map<string, SqliteStatement>()
  let isOpen = true

  function prepareKept(sql: string): SqliteStatement {
    const kept = statements.get(sql)
    if (kept !== undefined) return kept
    const [oldest] = statements.keys()
    if (oldest !== undefined && statements.size >= keptStatements) statements.delete(oldest)
    const statement = guard(sql, () => database.prepare(sql))
    statements.set(sql, statement)
    return statement
  }

  return {
    isInTransaction: () => database.inTransaction,
    prepare(sql) {
      // A statement that outlives its connection goes on working in libsql, on a file that may have been moved.
      if (!isOpen) throw new Error('the database is closed')
      return prepareKept(sql)
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

/** The binding frees its last handles only when collected: without this, what was written stays in the log beside. */
function checkpoint(database: Libsql.Database): void {
  try {
    database.prepare('pragma wal_checkpoint(truncate)').all([])
  } catch {
    // Somebody else is in the middle of something: nothing is lost, whoever closes last does it.
  }
}

function guard(sql: string, prepare: () => Libsql.Statement): SqliteStatement {
  const statement = prepare()
  const expected = countPlaceholders(sql)
  const bind = (parameters: readonly unknown[]): unknown[] => {
    if (parameters.length !== expected) {
      throw new TypeError(`${parameters.length} parameters for the ${expected} places of: ${sql}`)
    }
    return parameters.map((value, index) => toBindable(value, `parameter ${index + 1} of: ${sql}`))
  }
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(bind(parameters)).map(toRow),
    run: (parameters) => statement.run(bind(parameters)),
    // Its own statement: one that is being walked cannot be used a second time.
    *iterate(parameters) {
      for (const row of prepare().iterate(bind(parameters))) yield toRow(row)
    },
  }
}

const countPlaceholders = (sql: string): number => sql.replace(/'[^']*'|"[^"]*"/g, '').match(/\?/g)?.length ?? 0

function toBindable(value: unknown, place: string): unknown {
  switch (typeof value) {
    case 'boolean':
      return value ? 1 : 0
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is ${place}`)
      return value
    case 'bigint':
      if (value !== BigInt(Number(value))) throw new TypeError(`${value} would be read back rounded, ${place}`)
      return value
    case 'string':
      // Read back cut at the NUL, or with another character in the place of half a pair. JSON escapes both.
      if (value.includes('\0') || /\p{Surrogate}/u.test(value))
        throw new TypeError(`text that cannot be kept is ${place}`)
      return value
    case 'object':
      if (value === null || value instanceof Uint8Array) return value
  }
  throw new TypeError(`a value of type ${typeof value} is ${place}`)
}

function toRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  for (const [column, value] of Object.entries(row)) {
    if (value instanceof ArrayBuffer) Reflect.set(row, column, new Uint8Array(value))
  }
  return row
}
