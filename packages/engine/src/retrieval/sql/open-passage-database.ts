// One file per tool, readable by its owner only. Everything can be rebuilt from the documents, so a schema of an older
// release is dropped rather than migrated.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, QuarterdeckError } from '@quarterdeck/protocol'
import Libsql from 'libsql'
import { isBusy, retryWhileBusy } from '../../system/sqlite-busy.ts'
import { parseRows, ValueRow } from './passage-rows.ts'

type Bound = string | number | null | Uint8Array

/**
 * The binding crashes the process on a boolean or a bare buffer, so only these types are passed to it, and only as
 * lists.
 */
export interface PassageDatabase {
  all(sql: string, parameters?: readonly Bound[]): readonly Record<string, unknown>[]
  run(sql: string, parameters?: readonly Bound[]): void
  /** Rolled back if the work throws. */
  transaction<Result>(work: () => Result): Result
  close(): void
}

const shape = 4

const tables = [
  'create table state (key text primary key, value text not null)',
  // Ids are never reused, so that leftovers of one file cannot be taken for another's.
  `create table files (
    id integer primary key autoincrement, path text not null, hash text not null, size integer not null,
    mtime real not null, is_ready integer not null)`,
  'create unique index ready_files_by_path on files (path) where is_ready = 1',
  `create table passages (
    id integer primary key autoincrement, file integer not null, text text not null, headings text not null, line integer,
    row text, details text not null, refs text not null, clause text, made_from text not null, vector blob)`,
  'create index passages_by_file on passages (file, clause)',
  'create table definitions (file integer not null, term text not null, meaning text not null)',
  'create index definitions_by_file on definitions (file)',
  `create virtual table words using fts5(headings, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`,
  // Otherwise a deletion may merge everything, which blocks the process for seconds. Deleted rows disappear with other
  // merges.
  `insert into words (words, rank) values ('deletemerge', 0)`,
]

/** SQLite cuts a text at a NUL and replaces half a surrogate pair. */
const storable = (value: Bound): Bound =>
  typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value

/** Short: longer waits happen in `waitForWriter`, without blocking the process. */
const busyTimeoutMs = 100

/** Another process writes a file's passages in well under a second. */
export const waitForWriter = <Result>(work: () => Result, signal?: AbortSignal): Promise<Result> =>
  retryWhileBusy(work, { pauseMs: 50, timeoutMs: 10_000, signal })

export function openPassageDatabase(file: string): PassageDatabase {
  let database: PassageDatabase | null = null
  try {
    makePrivateFile(file)
    database = wrap(new Libsql(file))
    database.all(`pragma busy_timeout = ${busyTimeoutMs}`)
    database.all('pragma journal_mode = wal')
    database.all('pragma synchronous = normal')
    createTables(database)
    return database
  } catch (error) {
    database?.close()
    const reason = messageOf(error)
    const remedy = isBusy(error) ? 'another process is using it' : 'delete it; it will be rebuilt from the documents'
    throw new QuarterdeckError('tool.unavailable', `${file} cannot be opened (${reason}): ${remedy}`, { cause: error })
  }
}

function makePrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

function createTables(database: PassageDatabase): void {
  if (shapeOf(database) === shape) return
  database.transaction(() => {
    // Another process may have created it first.
    if (shapeOf(database) === shape) return
    for (const name of ['state', 'files', 'passages', 'definitions', 'words'])
      database.run(`drop table if exists ${name}`)
    for (const table of tables) database.run(table)
    database.run(`pragma user_version = ${shape}`)
  })
}

const shapeOf = (database: PassageDatabase): unknown => database.all('pragma user_version')[0]?.user_version

/** A value of the `state` table, or `null`. */
export const stateOf = (database: PassageDatabase, key: string): string | null =>
  parseRows(ValueRow, database.all('select value from state where key = ?', [key]))[0]?.value ?? null

export function setState(database: PassageDatabase, key: string, value: string): void {
  const upsert = 'insert into state (key, value) values (?, ?) on conflict (key) do update set value = excluded.value'
  database.run(upsert, [key, value])
}

function wrap(libsql: Libsql.Database): PassageDatabase {
  const statements = new Map<string, Libsql.Statement>()
  const prepare = (sql: string): Libsql.Statement => {
    const statement = statements.get(sql) ?? libsql.prepare(sql)
    // Statements with lists of ids have many lengths.
    if (statements.size < 40) statements.set(sql, statement)
    return statement
  }
  return {
    all: (sql, parameters = []) => prepare(sql).all([...parameters]) as Record<string, unknown>[], // Rows are objects; each caller names its columns.
    run: (sql, parameters = []) => {
      prepare(sql).run(parameters.map(storable))
    },
    transaction(work) {
      libsql.exec('begin immediate')
      try {
        const result = work()
        libsql.exec('commit')
        return result
      } catch (error) {
        libsql.exec('rollback')
        throw error
      }
    },
    close() {
      statements.clear()
      libsql.close()
    },
  }
}
