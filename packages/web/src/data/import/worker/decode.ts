// Plans files, and decodes files with their plans for the database. Runs in a worker, because it takes long.
import { formatCount } from '@quarterdeck/protocol'
import type { ImportPlan, PlannedTable } from '../../domain/import-plan.ts'
import type { NewCsv, Rejected } from '../../domain/query-engine.ts'
import { rowsFromIpc, toIpc } from '../../engine/arrow/ipc.ts'
import { type CsvChoices, planCsv } from '../csv/plan-csv.ts'
import { prepareCsv } from '../csv/prepare-csv.ts'
import { readArrow } from '../formats/arrow-stream.ts'
import type { RawTable } from '../formats/raw-table.ts'
import { readExcel } from '../formats/read-excel.ts'
import { readJson, readNdjson } from '../formats/read-json.ts'
import { countParquetRows, readParquet } from '../formats/read-parquet.ts'
import { readSqlite } from '../formats/read-sqlite.ts'
import { columnNames, namingWarnings } from '../plan/column-names.ts'
import { planRaw } from '../plan/plan-raw.ts'
import { personalRows, proposedLocks } from '../plan/proposed-locks.ts'
import { stemOf, tableName } from '../plan/table-name.ts'
import { previewCount, previewRows } from '../plan/table-preview.ts'
import { typeRaw } from '../plan/type-raw.ts'
import { detectFormat, isGzip } from '../source/detect-format.ts'
import { maxUnpackedBytes, refuseTooLarge, sizeWarnings } from '../source/file-limits.ts'
import { ImportError } from '../source/import-error.ts'
import type { LoadWasm } from '../source/load-wasm.ts'
import { sampleBytes } from '../source/sample-bytes.ts'
import { decodeText, detectEncoding, toUtf8 } from '../source/text-encoding.ts'
import { unpackGzip } from '../source/unpack-gzip.ts'

export interface FileToPlan {
  readonly file: string
  readonly sizeBytes: number
  /** One piece with the whole file, or samples of a large CSV. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  /** Names of existing tables. */
  readonly taken: readonly string[]
  /** Options that the user chose in an earlier plan. */
  readonly choices: CsvChoices
}

export interface FileToDecode {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly plan: ImportPlan
}

/** A table ready for the database. */
export type DecodedTable =
  /** `bytes: null` if the database can read the file unchanged. */
  | { readonly kind: 'csv'; readonly csv: Omit<NewCsv, 'signal' | 'bytes'>; readonly bytes: Uint8Array | null }
  | {
      readonly kind: 'arrow'
      readonly name: string
      readonly ipc: Uint8Array
      readonly columns: NewCsv['columns'] | null
      readonly rejectedCount: number
      readonly rejected: readonly Rejected[]
    }

/** A detected table without a name yet. */
type FoundTable = Pick<PlannedTable, 'part' | 'columns' | 'preview' | 'rowCount'> & { readonly isChosen?: boolean }
type FoundTables = Pick<ImportPlan, 'encoding' | 'delimiter' | 'hasHeader' | 'warnings'> & {
  readonly tables: readonly FoundTable[]
}
const noChoices = { encoding: null, delimiter: null, hasHeader: null } as const

export async function planBytes(
  { file, sizeBytes, pieces, taken, choices }: FileToPlan,
  loadWasm: LoadWasm,
): Promise<ImportPlan> {
  const [packed] = pieces
  if (packed === undefined || packed.length === 0) throw new ImportError('empty', `"${file}" is empty.`)
  const bytes = await unpacked(packed, file)
  const format = detectFormat(bytes.subarray(0, 4096), file)
  const size = pieces.length > 1 ? sizeBytes : bytes.length
  refuseTooLarge(file, size, format)
  const samples = pieces.length > 1 ? pieces : sampleBytes(bytes)
  const found = await planners[format]({ bytes, samples, file, choices, loadWasm })
  const names = [...taken]
  const tables = found.tables.map(({ part, isChosen = true, ...table }): PlannedTable => {
    const name = tableName(part ?? stemOf(file), names)
    names.push(name)
    return { part, isChosen, name, ...table }
  })
  const rows = Math.max(...tables.map(({ rowCount }) => rowCount ?? 0))
  const warnings = [...sizeWarnings(size, rows), ...found.warnings]
  return { ...found, file, sizeBytes: pieces.length > 1 ? sizeBytes : packed.length, format, tables, warnings }
}

/** Some files are packed twice. */
export async function unpacked(packed: Uint8Array<ArrayBuffer>, file: string): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = packed
  for (let times = 0; times < 2 && isGzip(bytes); times += 1) bytes = await unpackGzip(bytes, file, maxUnpackedBytes)
  if (!isGzip(bytes)) return bytes
  throw new ImportError('unsupported', `"${file}" is packed with gzip more than twice. Unpack it first.`)
}

interface Planned {
  /** The whole file, except for a large CSV. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly samples: readonly Uint8Array[]
  readonly file: string
  readonly choices: CsvChoices
  readonly loadWasm: LoadWasm
}
type Planner = (given: Planned) => Promise<FoundTables> | FoundTables

const planners: Record<ImportPlan['format'], Planner> = {
  csv({ samples, file, choices }) {
    const { columns, preview, rowCount, ...format } = planCsv(file, samples, choices)
    return { ...format, tables: [{ part: null, columns, preview, rowCount }] }
  },
  json: ({ bytes, file, choices }) => planJson(bytes, choices, (text) => readJson(text, file)),
  ndjson: ({ bytes, file, choices }) => planJson(bytes, choices, (text) => [readNdjson(text, file)]),
  async parquet({ bytes, file, loadWasm }) {
    const ipc = await readParquet({ bytes, file, maxRows: previewCount }, loadWasm)
    return foundArrow(ipc, await countParquetRows(bytes, loadWasm))
  },
  arrow({ bytes, file }) {
    const { head, rowCount } = readArrow(bytes, file)
    return foundArrow(head, rowCount)
  },
  async excel({ bytes, file, choices }) {
    const { sheets, hasHeader } = await readExcel(bytes, file, choices.hasHeader ?? null)
    const found = foundRaw(sheets.map(({ table }) => table))
    const tables = found.tables.map((table, index) => ({ ...table, isChosen: sheets[index]?.isHidden !== true }))
    const warnings = [...sheets.flatMap((sheet) => sheet.warnings), ...found.warnings]
    return { ...noChoices, hasHeader, tables, warnings }
  },
  async sqlite({ bytes, file, loadWasm }) {
    const parts = await readSqlite({ bytes, file, parts: null }, loadWasm)
    const found = foundRaw(parts.map(({ table }) => table))
    const tables = found.tables.map((table, index) =>
      parts[index]?.isWhole === false ? { ...table, rowCount: null, isChosen: false } : table,
    )
    const long = parts.filter(({ isWhole }) => !isWhole)
    return { ...noChoices, tables, warnings: [...long.map(({ table }) => longView(table)), ...found.warnings] }
  },
}

function longView({ part, rowCount }: RawTable): string {
  const rows = formatCount(rowCount)
  return `${part}: the review read only the first ${rows} rows of this view. Select it to import all of them.`
}

function planJson(bytes: Uint8Array, choices: CsvChoices, read: (text: string) => readonly RawTable[]): FoundTables {
  const encoding = choices.encoding ?? detectEncoding(sampleBytes(bytes))
  return { ...noChoices, encoding, ...foundRaw(read(decodeText(bytes, encoding))) }
}

function foundRaw(tables: readonly RawTable[]): Pick<FoundTables, 'tables' | 'warnings'> {
  const planned = tables.map(planRaw)
  return {
    tables: planned.map(({ part, columns, preview, rowCount }) => ({ part, columns, preview, rowCount })),
    warnings: planned.flatMap(({ part, warnings }) =>
      warnings.map((text) => (part === null ? text : `${part}: ${text}`)),
    ),
  }
}

function foundArrow(head: Uint8Array, rowCount: number): FoundTables {
  const { columns, rows } = rowsFromIpc(head)
  const named = columnNames(columns.map(({ name }) => name))
  const locks = proposedLocks(named, (index) => rows.slice(0, personalRows).map((row) => String(row[index] ?? '')))
  const planned = named.map((column, index) => {
    const type = columns[index]?.type ?? 'VARCHAR'
    return { ...column, type, ...locks[index] }
  })
  const table = { part: null, columns: planned, preview: previewRows(named, rows), rowCount }
  return { ...noChoices, tables: [table], warnings: namingWarnings(named) }
}

export async function decodeBytes(
  { bytes: packed, plan }: FileToDecode,
  loadWasm: LoadWasm,
): Promise<readonly DecodedTable[]> {
  const bytes = await unpacked(packed, plan.file)
  const chosen = plan.tables.filter(({ isChosen }) => isChosen)
  switch (plan.format) {
    case 'csv':
      return chosen.map((table) => {
        const { csv, bytes: prepared } = decodeCsv(bytes, plan, table)
        return { kind: 'csv', csv, bytes: bytes === packed ? prepared : (prepared ?? bytes) }
      })
    case 'parquet':
      return asArrow(await readParquet({ bytes, file: plan.file, maxRows: null }, loadWasm), chosen)
    case 'arrow':
      return asArrow(readArrow(bytes, plan.file).stream, chosen)
    default: {
      const tables = await readRaw(bytes, plan, loadWasm)
      return chosen.map((table) => decodeRaw(table, tables, plan.file))
    }
  }
}

function decodeCsv(bytes: Uint8Array, plan: ImportPlan, { name, columns }: PlannedTable) {
  const encoding = plan.encoding ?? 'utf-8'
  const written = { delimiter: plan.delimiter ?? ',', hasHeader: plan.hasHeader ?? true }
  const text = toUtf8(bytes, encoding)
  const prepared = prepareCsv({ ...written, bytes: text, columns })
  const csv = { ...written, name, columns: columns.map(({ name, type }) => ({ name, type })) }
  return { csv, bytes: encoding === 'utf-8' && prepared === text ? null : prepared }
}

const asArrow = (ipc: Uint8Array, chosen: readonly PlannedTable[]): readonly DecodedTable[] =>
  chosen.map(({ name, columns }) => ({
    kind: 'arrow',
    name,
    ipc,
    rejectedCount: 0,
    rejected: [],
    columns: columns.map(({ name, type, reading }) => ({
      name,
      type,
      ...(reading?.misfits === 'empty' && { leavesMisfitsEmpty: true as const }),
    })),
  }))

export async function readRaw(bytes: Uint8Array, plan: ImportPlan, loadWasm: LoadWasm): Promise<readonly RawTable[]> {
  const { file, format, encoding, hasHeader, tables } = plan
  if (format === 'excel') return (await readExcel(bytes, file, hasHeader)).sheets.map(({ table }) => table)
  if (format === 'sqlite') {
    const parts = tables.flatMap(({ part, isChosen }) => (part === null || !isChosen ? [] : [part]))
    return (await readSqlite({ bytes, file, parts }, loadWasm)).map(({ table }) => table)
  }
  const text = decodeText(bytes, encoding ?? 'utf-8')
  return format === 'json' ? readJson(text, file) : [readNdjson(text, file)]
}

function decodeRaw({ part, name, columns }: PlannedTable, tables: readonly RawTable[], file: string): DecodedTable {
  const table = tables.find((one) => one.part === part)
  if (table === undefined) throw new ImportError('unreadable', `"${file}" no longer contains "${part ?? name}".`)
  const { columns: typed, rejectedCount, rejected } = typeRaw(table, columns)
  return { kind: 'arrow', name, ipc: toIpc(typed), columns: null, rejectedCount, rejected }
}
