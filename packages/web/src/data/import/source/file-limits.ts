// What this page takes: the database has some 3 GB, and reading a file needs more than the file is large.
import type { FileFormat } from '../../domain/imported-table.ts'
import { ImportError } from './import-error.ts'

const largeBytes = 200_000_000
const largeRows = 5_000_000
const memoryBytes = 2_500_000_000

/** Measured roughly, on the dear side: bytes of memory for a byte of the file. */
const needs: Record<FileFormat, number> = { csv: 2.5, ndjson: 6, json: 6, parquet: 8, arrow: 2.5, excel: 15, sqlite: 5 }

/** As many as the server takes of one table. */
export const maxColumns = 2000
/** Places of a table, those without a value too: each takes 8 bytes, and some more on its way to the database. */
const maxCells = 50_000_000

export const maxUnpackedBytes = memoryBytes / needs.csv

/** Of a view of a database: the size of the file does not bound it. */
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
    `"${file}" has ${megabytes(sizeBytes)} and would need about ${megabytes(needed)} of memory; a page has ${megabytes(memoryBytes)}. ${advice}.`,
  )
}

/** Rows with ever other columns make a small file a table that no memory holds. */
export function refuseTooWide(
  file: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): void {
  if (columns > maxColumns) {
    throw new ImportError(
      'too-large',
      `"${file}" has more than ${maxColumns.toLocaleString('en')} columns: that is the most a table may have here.`,
    )
  }
  if (columns * rows <= maxCells) return
  const size = `${rows.toLocaleString('en')} rows of ${columns.toLocaleString('en')} columns`
  throw new ImportError('too-large', `"${file}" has ${size}: more than a page can hold. Save fewer columns or rows.`)
}

/** A view that was left at one of its limits, after so many rows. */
export function refuseTooLong(view: string, file: string, rows: number): never {
  const most = rows >= viewRows ? `${viewRows.toLocaleString('en')} rows` : megabytes(viewBytes)
  throw new ImportError(
    'too-large',
    `The view "${view}" of "${file}" has more than ${most}: that is the most a view may have here. Leave it out.`,
  )
}

export function sizeWarnings(sizeBytes: number, rowCount: number | null): readonly string[] {
  return [
    ...(sizeBytes > largeBytes
      ? [`With ${megabytes(sizeBytes)} it is large for a browser: adding it takes a while.`]
      : []),
    ...((rowCount ?? 0) > largeRows ? [`With ${rowCount?.toLocaleString('en')} rows some questions take long.`] : []),
  ]
}

const megabytes = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`
