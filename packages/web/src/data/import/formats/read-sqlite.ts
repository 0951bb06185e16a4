// Reads tables and views of a SQLite database.
import { messageOf } from '@quarterdeck/protocol'
import type { Cell } from '../../domain/cells.ts'
import { refuseTooLong, viewBytes, viewRows } from '../source/file-limits.ts'
import { ImportError } from '../source/import-error.ts'
import type { LoadWasm } from '../source/load-wasm.ts'
import type { RawTable } from './raw-table.ts'

export interface SqliteToRead {
  readonly bytes: Uint8Array
  readonly file: string
  /** `null` samples all for a review: views only as far as needed to detect types. */
  readonly parts: readonly string[] | null
}

export interface SqliteTable {
  readonly table: RawTable
  /** A view may be endless: a sampled one has more rows than these. */
  readonly isWhole: boolean
}

/** The limit for a view. The file size says nothing about the size of a view. */
interface Bound {
  readonly rows: number
  readonly bytes: number
}

const sampleBound: Bound = { rows: 20_000, bytes: 20_000_000 }
const readable: Bound = { rows: viewRows, bytes: viewBytes }

export async function readSqlite(
  { bytes, file, parts }: SqliteToRead,
  loadWasm: LoadWasm,
): Promise<readonly SqliteTable[]> {
  const { default: load } = await import('sql.js')
  const { Database } = await load({ wasmBinary: await loadWasm('sqlite') })
  const database = new Database(withoutWriteAhead(bytes))
  try {
    const listed = database.exec(
      "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite^_%' ESCAPE '^' ORDER BY type, name",
    )
    const found = (listed[0]?.values ?? []).map(([name, type]) => ({ name: String(name), isView: type === 'view' }))
    if (found.length === 0) throw new ImportError('empty', `"${file}" is a database without tables.`)
    const wanted = found.filter(({ name }) => parts === null || parts.includes(name))
    return wanted.map(({ name, isView }) => {
      if (!isView) return readTable(database, name, null)
      const view = readTable(database, name, parts === null ? sampleBound : readable)
      if (parts !== null && !view.isWhole) refuseTooLong(name, file, view.table.rowCount)
      return view
    })
  } catch (error) {
    if (error instanceof ImportError) throw error
    const reason = messageOf(error)
    throw new ImportError('unreadable', `"${file}" cannot be read as a SQLite database: ${reason}.`)
  } finally {
    database.close()
  }
}

type Database = InstanceType<Awaited<ReturnType<typeof import('sql.js')['default']>>['Database']>

function readTable(database: Database, part: string, bound: Bound | null): SqliteTable {
  const statement = database.prepare(`SELECT * FROM "${part.replaceAll('"', '""')}"`)
  try {
    const names = statement.getColumnNames()
    const columns = names.map((sourceName) => ({ sourceName, values: [] as Cell[] }))
    let rowCount = 0
    let bytes = 0
    const lineOf = (row: number) => row + 1
    const found = (isWhole: boolean) => ({ table: { part, columns, rowCount, lineOf }, isWhole })
    while (statement.step()) {
      if (bound !== null && (rowCount >= bound.rows || bytes >= bound.bytes)) return found(false)
      statement.get(null, { useBigInt: true }).forEach((value, index) => {
        const cell = cellOf(value)
        bytes += typeof cell === 'string' ? 8 + cell.length : 8
        columns[index]?.values.push(cell)
      })
      rowCount += 1
    }
    return found(true)
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

/** A database in write-ahead mode needs a second file, which is missing. These two header bytes disable the mode. */
function withoutWriteAhead(bytes: Uint8Array): Uint8Array {
  if (bytes[18] !== 2 && bytes[19] !== 2) return bytes
  const copy = bytes.slice()
  copy[18] = 1
  copy[19] = 1
  return copy
}
