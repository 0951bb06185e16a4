// What a plan would make of its file: which values do not fit, and how many rows that costs. Nothing is added.
import { rowsFromIpc } from '../duck/ipc.ts'
import type { ColumnCheck, ImportCheck, ImportPlan, PlannedColumn, PlannedTable, TableCheck } from '../import-plan.ts'
import { readArrow } from './arrow-stream.ts'
import { typedCell } from './as-type.ts'
import { checkCsvRows } from './check-csv-rows.ts'
import { completeReading, type PreferredReading } from './complete-reading.ts'
import { csvRows } from './csv-rows.ts'
import { readRaw, unpacked } from './decode.ts'
import type { LoadWasm } from './in-worker.ts'
import { createMisfits } from './misfits.ts'
import type { RawTable } from './raw-table.ts'
import { readParquet } from './read-parquet.ts'
import { readText } from './read-text.ts'
import { sampleBytes } from './sample-bytes.ts'
import { decodeText, joinBytes, toUtf8 } from './text-encoding.ts'

export interface FileToCheck {
  /** One with all of the file, or of a very large CSV the samples of it. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  readonly plan: ImportPlan
  readonly preferred: PreferredReading
}

export async function checkBytes(given: FileToCheck, loadWasm: LoadWasm): Promise<ImportCheck> {
  const { pieces, plan } = given
  const isWhole = pieces.length === 1
  const bytes = isWhole ? await unpacked(pieces[0] ?? new Uint8Array(), plan.file) : new Uint8Array()
  switch (plan.format) {
    case 'csv': {
      const parts = isWhole ? [bytes] : pieces
      return { isWhole, tables: plan.tables.map((table) => (table.isChosen ? checkCsv(parts, table, given) : null)) }
    }
    case 'parquet':
    case 'arrow': {
      const read = async (maxRows: number | null): Promise<Uint8Array> => {
        if (plan.format === 'parquet') return readParquet({ bytes: bytes.slice(), file: plan.file, maxRows }, loadWasm)
        const { head, stream } = readArrow(bytes, plan.file)
        return maxRows === null ? stream : head
      }
      const tables = plan.tables.map((table) => (table.isChosen ? checkArrow(table, read) : null))
      return { isWhole, tables: await Promise.all(tables) }
    }
    default: {
      const raw = await readRaw(bytes, plan, loadWasm)
      const tables = plan.tables.map((table) => {
        const found = raw.find(({ part }) => part === table.part)
        return found === undefined || !table.isChosen ? null : checkRaw(found, table.columns, given.preferred)
      })
      return { isWhole, tables }
    }
  }
}

/** Rows enough to tell by how dates and numbers are written. */
const rowsLookedAt = 5000

function checkCsv(
  parts: readonly Uint8Array[],
  { columns }: PlannedTable,
  { plan, preferred }: FileToCheck,
): TableCheck {
  const encoding = plan.encoding ?? 'utf-8'
  const delimiter = plan.delimiter ?? ','
  const hasHeader = plan.hasHeader ?? true
  const looked = (parts.length > 1 ? parts : sampleBytes(parts[0] ?? new Uint8Array())).flatMap((part, place) =>
    // A piece begins and ends anywhere.
    csvRows(decodeText(part, encoding), { delimiter, maxRows: rowsLookedAt }).rows.slice(
      place === 0 && !hasHeader ? 0 : 1,
    ),
  )
  const read = columns.map((column, place) =>
    column.type === null
      ? column
      : withReading(
          column,
          looked.map((row) => row[place] ?? ''),
          preferred,
        ),
  )
  const whole =
    parts.length === 1
      ? toUtf8(parts[0] ?? new Uint8Array(), encoding)
      : joinBytes(parts.map((part, place) => wholeLines(toUtf8(part, encoding), place > 0)))
  return checkCsvRows({ bytes: whole, delimiter, hasHeader, columns: read })
}

const lf = 10

/** Without the lines that are cut at the ends. */
function wholeLines(piece: Uint8Array, isCutBefore: boolean): Uint8Array {
  const start = isCutBefore ? piece.indexOf(lf) + 1 : 0
  return piece.subarray(start, piece.lastIndexOf(lf) + 1)
}

function withReading(column: PlannedColumn, values: readonly string[], preferred: PreferredReading): PlannedColumn {
  const { type, reading: planned } = column
  if (type === null) return column
  const reading = completeReading(values, { type, ...(planned && { reading: planned }) }, preferred)
  return reading === undefined ? column : { ...column, reading }
}

function checkRaw(table: RawTable, columns: readonly PlannedColumn[], preferred: PreferredReading): TableCheck {
  const rejected = new Set<number>()
  const checks = columns.map((column, place): ColumnCheck => {
    const values = table.columns[place]?.values ?? []
    const texts = values.slice(0, rowsLookedAt).filter((value) => typeof value === 'string')
    const read = withReading(column, texts, preferred)
    const misfits = createMisfits(read)
    for (const [row, value] of values.entries()) {
      const isMisfit = read.type !== null && value !== null && typedCell(value, read.type, read.reading) === undefined
      if (value !== null && value !== '') misfits.see(isMisfit ? String(value) : null)
      if (isMisfit && read.reading?.misfits !== 'empty') rejected.add(row)
    }
    return misfits.check()
  })
  return { rows: table.rowCount, rejectedRows: rejected.size, wrongWidth: 0, columns: checks }
}

/** Their own types are cast by the database; text is, where the database reads it without help. */
async function checkArrow(
  { columns }: PlannedTable,
  read: (maxRows: number | null) => Promise<Uint8Array>,
): Promise<TableCheck> {
  const { columns: found } = rowsFromIpc(await read(1))
  const isCast = ({ type }: PlannedColumn, place: number) =>
    type !== null && type !== 'VARCHAR' && found[place]?.type === 'VARCHAR'
  const rows = columns.some(isCast) ? rowsFromIpc(await read(null)).rows : []
  const rejected = new Set<number>()
  const checks = columns.map((column, place): ColumnCheck => {
    const misfits = createMisfits(column)
    if (!isCast(column, place)) return misfits.check()
    for (const [at, row] of rows.entries()) {
      const value = row[place] ?? null
      if (value === null) continue
      const text = String(value)
      const type = column.type ?? 'VARCHAR'
      const isMisfit = typedCell(text, type, undefined) === undefined || readText(text, type) !== text.trim()
      misfits.see(isMisfit ? text : null)
      if (isMisfit && column.reading?.misfits !== 'empty') rejected.add(at)
    }
    return misfits.check()
  })
  return { rows: rows.length, rejectedRows: rejected.size, wrongWidth: 0, columns: checks }
}
