// Checks a file against its import plan: values that do not fit, and rows that would be rejected. Nothing is added.
import type {
  ColumnCheck,
  ImportCheck,
  ImportPlan,
  PlannedColumn,
  PlannedTable,
  TableCheck,
} from '../../domain/import-plan.ts'
import { rowsFromIpc } from '../../engine/arrow/ipc.ts'
import { typedCell } from '../columns/as-type.ts'
import { completeReading, type PreferredReading } from '../columns/complete-reading.ts'
import { readText } from '../columns/read-text.ts'
import { cellEnd, cellEnds, cellText, lf, lineEndSize } from '../csv/csv-bytes.ts'
import { csvRows } from '../csv/csv-rows.ts'
import type { CsvToRead } from '../csv/is-ready-csv.ts'
import { readArrow } from '../formats/arrow-stream.ts'
import type { RawTable } from '../formats/raw-table.ts'
import { readParquet } from '../formats/read-parquet.ts'
import type { LoadWasm } from '../source/load-wasm.ts'
import { sampleBytes } from '../source/sample-bytes.ts'
import { decodeText, joinBytes, toUtf8 } from '../source/text-encoding.ts'
import { readRaw, unpacked } from './decode.ts'

export interface FileToCheck {
  /** One piece with the whole file, or several samples of a very large CSV. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  readonly plan: ImportPlan
  readonly preferred: PreferredReading
}

export async function checkBytes(given: FileToCheck, loadWasm: LoadWasm): Promise<ImportCheck> {
  const { pieces, plan } = given
  const isWhole = pieces.length === 1
  const bytes = isWhole ? await unpacked(pieces[0] ?? new Uint8Array(), plan.file) : new Uint8Array()
  const ofChosen = <Checked>(check: (table: PlannedTable) => Checked): (Checked | null)[] =>
    plan.tables.map((table) => (table.isChosen ? check(table) : null))
  switch (plan.format) {
    case 'csv': {
      const parts = isWhole ? [bytes] : pieces
      return { isWhole, tables: ofChosen((table) => checkCsv(parts, table, given)) }
    }
    case 'parquet':
    case 'arrow': {
      const read = async (maxRows: number | null): Promise<Uint8Array> => {
        if (plan.format === 'parquet') return readParquet({ bytes: bytes.slice(), file: plan.file, maxRows }, loadWasm)
        const { head, stream } = readArrow(bytes, plan.file)
        return maxRows === null ? stream : head
      }
      return { isWhole, tables: await Promise.all(ofChosen((table) => checkArrow(table, read))) }
    }
    default: {
      const raw = await readRaw(bytes, plan, loadWasm)
      const check = ({ part, columns }: PlannedTable): TableCheck | null => {
        const found = raw.find((table) => table.part === part)
        return found === undefined ? null : checkRaw(found, columns, given.preferred)
      }
      return { isWhole, tables: ofChosen(check) }
    }
  }
}

/** Rows that are read to detect the notation of dates and numbers. */
const sampledRows = 5000

function checkCsv(
  parts: readonly Uint8Array[],
  { columns }: PlannedTable,
  { plan, preferred }: FileToCheck,
): TableCheck {
  const encoding = plan.encoding ?? 'utf-8'
  const delimiter = plan.delimiter ?? ','
  const hasHeader = plan.hasHeader ?? true
  const samples = parts.length > 1 ? parts : sampleBytes(parts[0] ?? new Uint8Array())
  const rows = samples.flatMap((sample, index) => {
    const found = csvRows(decodeText(sample, encoding), { delimiter, maxRows: sampledRows }).rows
    // The first row is the header, or the remainder of a line that started before the sample.
    return index === 0 && !hasHeader ? found : found.slice(1)
  })
  const valuesAt = (index: number) => rows.map((row) => row[index] ?? '')
  const read = columns.map((column, index) => withReading(column, valuesAt(index), preferred))
  const whole =
    parts.length === 1
      ? toUtf8(parts[0] ?? new Uint8Array(), encoding)
      : joinBytes(parts.map((part, index) => wholeLines(toUtf8(part, encoding), { isCutBefore: index > 0 })))
  return checkCsvRows({ bytes: whole, delimiter, hasHeader, columns: read })
}

/** Without the incomplete lines at both ends. */
function wholeLines(piece: Uint8Array, { isCutBefore }: { readonly isCutBefore: boolean }): Uint8Array {
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
  const checks = columns.map((column, index): ColumnCheck => {
    const values = table.columns[index]?.values ?? []
    const texts = values.slice(0, sampledRows).filter((value) => typeof value === 'string')
    const read = withReading(column, texts, preferred)
    const counter = createMisfitCounter(read)
    for (const [row, value] of values.entries()) {
      const isMisfit = read.type !== null && value !== null && typedCell(value, read.type, read.reading) === undefined
      if (value !== null && value !== '') counter.add(isMisfit ? String(value) : null)
      if (isMisfit && read.reading?.misfits !== 'empty') rejected.add(row)
    }
    return counter.check()
  })
  return { rows: table.rowCount, rejectedRows: rejected.size, wrongWidth: 0, columns: checks }
}

/** Only columns of text are checked: the database casts all other types. */
async function checkArrow(
  { columns }: PlannedTable,
  read: (maxRows: number | null) => Promise<Uint8Array>,
): Promise<TableCheck> {
  const { columns: found } = rowsFromIpc(await read(1))
  const isCast = ({ type }: PlannedColumn, index: number) =>
    type !== null && type !== 'VARCHAR' && found[index]?.type === 'VARCHAR'
  const rows = columns.some(isCast) ? rowsFromIpc(await read(null)).rows : []
  const rejected = new Set<number>()
  const checks = columns.map((column, index): ColumnCheck => {
    const counter = createMisfitCounter(column)
    if (!isCast(column, index)) return counter.check()
    for (const [at, row] of rows.entries()) {
      const value = row[index] ?? null
      if (value === null) continue
      const text = String(value)
      const type = column.type ?? 'VARCHAR'
      const isMisfit = typedCell(text, type, undefined) === undefined || readText(text, type) !== text.trim()
      counter.add(isMisfit ? text : null)
      if (isMisfit && column.reading?.misfits !== 'empty') rejected.add(at)
    }
    return counter.check()
  })
  return { rows: rows.length, rejectedRows: rejected.size, wrongWidth: 0, columns: checks }
}

/** Counts the CSV rows that the database would reject. Works on bytes and decodes no cells of text columns. */
function checkCsvRows({ bytes, delimiter, hasHeader, columns }: CsvToRead): TableCheck {
  const separator = delimiter.charCodeAt(0)
  const ends = cellEnds(separator)
  const counters = columns.map(createMisfitCounter)
  const counts = { rows: 0, rejectedRows: 0, wrongWidth: 0 }
  let [at, column, isHeader, hasMisfit] = [0, 0, hasHeader, false]
  while (at < bytes.length) {
    const start = at
    at = cellEnd(bytes, start, ends)
    const { type, reading } = columns[column] ?? { type: null }
    if (!isHeader && at > start && type !== null && type !== 'VARCHAR') {
      const text = cellText(bytes, start, at)
      const isMisfit = typedCell(text, type, reading) === undefined
      if (text.trim() !== '') counters[column]?.add(isMisfit ? text : null)
      hasMisfit ||= isMisfit && reading?.misfits !== 'empty'
    }
    if (at < bytes.length && bytes[at] === separator) {
      column += 1
      at += 1
      // A delimiter at the end of the file is followed by one empty cell.
      if (at < bytes.length) continue
    }
    const isEmptyLine = column === 0 && at === start
    if (!isHeader && !isEmptyLine) {
      counts.rows += 1
      const hasWrongWidth = column + 1 !== columns.length
      if (hasWrongWidth) counts.wrongWidth += 1
      if (hasWrongWidth || hasMisfit) counts.rejectedRows += 1
    }
    at += lineEndSize(bytes, at)
    if (!isEmptyLine) isHeader = false
    column = 0
    hasMisfit = false
  }
  return { ...counts, columns: counters.map((counter) => counter.check()) }
}

const shownExamples = 3

/** Counts the values of a column that do not fit its type. */
function createMisfitCounter({ reading }: Pick<PlannedColumn, 'reading'>) {
  let [values, misfits] = [0, 0]
  const examples: string[] = []
  return {
    /** `null` for a value that fits. */
    add(misfit: string | null) {
      values += 1
      if (misfit === null) return
      misfits += 1
      if (examples.length < shownExamples && !examples.includes(misfit)) examples.push(misfit)
    },
    check: (): ColumnCheck => ({ values, misfits, examples, ...(reading && { reading }) }),
  }
}
