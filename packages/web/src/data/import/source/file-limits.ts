// Limits of this page. The database has about 3 GB, and reading a file needs more memory than its size.
import { formatCount } from '@quarterdeck/protocol'
import type { FileFormat } from '../../domain/imported-table.ts'
import { ImportError } from './import-error.ts'

const largeBytes = 200_000_000
const largeRows = 5_000_000
const memoryBytes = 2_500_000_000

/** A rough upper estimate: bytes of memory per byte of the file. */
const needs: Record<FileFormat, number> = { csv: 2.5, ndjson: 6, json: 6, parquet: 8, arrow: 2.5, excel: 15, sqlite: 5 }

/** The limit of the server for one table. */
export const maxColumns = 2000
/** Cells of a table including empty ones: each takes 8 bytes, and more during the import. */
const maxCells = 50_000_000

export const maxUnpackedBytes = memoryBytes / needs.csv

/** For a view of a database, which is not limited by the file size. */
export const viewRows = largeRows
export const viewBytes = memoryBytes / needs.sqlite

export function refuseTooLarge(file: string, sizeBytes: number, format: FileFormat): void {
  const needed = sizeBytes * needs[format]
  if (needed <= memoryBytes) return
  const advice =
    format === 'parquet' || format === 'arrow'
      ? 'Save fewer columns or rows'
      : 'Save fewer columns or rows, or save it as Parquet'
  throw new ImportError(
    'too-large',
    `"${file}" is ${megabytes(sizeBytes)} and would need about ${megabytes(needed)} of memory, but this page has ${megabytes(memoryBytes)}. ${advice}.`,
  )
}

/** Rows with ever new columns turn a small file into a table that fits into no memory. */
export function refuseTooWide(
  file: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): void {
  if (columns > maxColumns) {
    throw new ImportError(
      'too-large',
      `"${file}" has more than ${formatCount(maxColumns)} columns, the limit for a table. Save fewer columns.`,
    )
  }
  if (columns * rows <= maxCells) return
  const size = `${formatCount(rows)} rows of ${formatCount(columns)} columns`
  throw new ImportError('too-large', `"${file}" has ${size}, more than this page can hold. Save fewer columns or rows.`)
}

/** For a view that reached one of its limits after this number of rows. */
export function refuseTooLong(view: string, file: string, rows: number): never {
  const most = rows >= viewRows ? `${formatCount(viewRows)} rows` : megabytes(viewBytes)
  throw new ImportError(
    'too-large',
    `The view "${view}" of "${file}" has more than ${most}, the limit for a view. Leave it out.`,
  )
}

export function sizeWarnings(sizeBytes: number, rowCount: number | null): readonly string[] {
  return [
    ...(sizeBytes > largeBytes
      ? [`The file is ${megabytes(sizeBytes)}, which is large for a browser: the import takes a while.`]
      : []),
    ...((rowCount ?? 0) > largeRows
      ? [`The file has ${formatCount(rowCount ?? 0)} rows: some questions take long.`]
      : []),
  ]
}

const megabytes = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`
