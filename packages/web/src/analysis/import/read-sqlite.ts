// Tables and views of a SQLite database.
import type { Cell } from '../cells.ts'
import { ImportError } from './import-error.ts'
import type { LoadWasm } from './in-worker.ts'
import type { RawTable } from './raw-table.ts'

export interface SqliteToRead {
  readonly bytes: Uint8Array
  readonly file: string
  /** `null` reads them all. */
  readonly parts: readonly string[] | null
}

export async function readSqlite(
  { bytes, file, parts }: SqliteToRead,
  loadWasm: LoadWasm,
): Promise<readonly RawTable[]> {
  const { default: load } = await import('sql.js')
  const { Database } = await load({ wasmBinary: await loadWasm('sqlite') })
  const database = new Database(withoutWriteAhead(bytes))
  try {
    const listed = database.exec(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite^_%' ESCAPE '^' ORDER BY type, name",
    )
    const names = (listed[0]?.values ?? []).map(([name]) => String(name))
    if (names.length === 0) throw new ImportError('empty', `"${file}" is a database without tables.`)
    return names.filter((name) => parts === null || parts.includes(name)).map((name) => readTable(database, name))
  } catch (error) {
    if (error instanceof ImportError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ImportError('unreadable', `"${file}" cannot be read as a SQLite database: ${reason}.`)
  } finally {
    database.close()
  }
}

type Database = InstanceType<Awaited<ReturnType<typeof import('sql.js')['default']>>['Database']>

function readTable(database: Database, part: string): RawTable {
  const statement = database.prepare(`SELECT * FROM "${part.replaceAll('"', '""')}"`)
  try {
    const names = statement.getColumnNames()
    const columns = names.map((sourceName) => ({ sourceName, values: [] as Cell[] }))
    let rowCount = 0
    while (statement.step()) {
      statement.get(null, { useBigInt: true }).forEach((value, index) => {
        columns[index]?.values.push(cellOf(value))
      })
      rowCount += 1
    }
    return { part, columns, rowCount, lineOf: (row) => row + 1 }
  } finally {
    statement.free()
  }
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number' || typeof value === 'string') return value
  if (value instanceof Uint8Array) return [...value].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return null
}

/** A database in write-ahead mode wants a second file that nobody has; these two bytes of its head say so. */
function withoutWriteAhead(bytes: Uint8Array): Uint8Array {
  if (bytes[18] !== 2 && bytes[19] !== 2) return bytes
  const copy = bytes.slice()
  copy[18] = 1
  copy[19] = 1
  return copy
}
