// Reads workbooks, with formula values as of the last save.
import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import { messageOf } from '@quarterdeck/protocol'
import type { Cell } from '../../domain/cells.ts'
import { refuseTooWide } from '../source/file-limits.ts'
import { ImportError } from '../source/import-error.ts'
import type { RawTable } from './raw-table.ts'

export interface Sheet {
  readonly table: RawTable
  readonly isHidden: boolean
  readonly warnings: readonly string[]
}

export interface Workbook {
  readonly hasHeader: boolean
  readonly sheets: readonly Sheet[]
}

/** Sheets without values are left out. `asked: null` detects the header from the first sheet. */
export async function readExcel(bytes: Uint8Array, file: string, asked: boolean | null): Promise<Workbook> {
  const { read, SSF } = await import('@e965/xlsx')
  const book = open(read, bytes, file)
  const dates = { isDate: SSF.is_date, is1904: book.Workbook?.WBProps?.date1904 === true }
  const grids = book.SheetNames.flatMap((name, index) => {
    const sheet = book.Sheets[name]
    const grid = sheet === undefined ? null : gridOf(sheet, file, dates)
    const isHidden = (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    return grid === null || grid.rows.length === 0 ? [] : [{ name, grid, isHidden }]
  })
  const [first] = grids
  if (first === undefined) throw new ImportError('empty', `"${file}" has no values in any of its sheets.`)
  const hasHeader = asked ?? looksLikeNames(first.grid)
  const sheets = grids.map(({ name, grid, isHidden }) => ({ ...sheetTable(name, grid, hasHeader), isHidden }))
  return { hasHeader, sheets }
}

function open(read: typeof import('@e965/xlsx').read, bytes: Uint8Array, file: string): WorkBook {
  try {
    return read(bytes, { type: 'array', dense: true, cellNF: true, cellHTML: false, cellText: false })
  } catch (error) {
    const reason = messageOf(error)
    const saysLocked = /password|encrypt/i.test(reason)
    // Workbooks with a password are compound files. For an archive, the library's message is a guess at broken bytes.
    const isLocked = saysLocked && bytes[0] === 0xd0
    throw new ImportError(
      isLocked ? 'unsupported' : 'unreadable',
      isLocked
        ? `"${file}" is protected by a password. Save it without one.`
        : `"${file}" ${saysLocked ? 'is not a workbook' : `cannot be read as a workbook (${reason})`}. Unpack archives first.`,
    )
  }
}

interface Grid {
  /** The rows and columns with values. */
  readonly rows: readonly GridRow[]
  readonly errors: number
  readonly oddDates: number
}

interface GridRow {
  /** Row number in the sheet, from 1. */
  readonly line: number
  readonly cells: readonly Cell[]
}

/** Visits existing cells only: the declared size of a sheet may be a billion times larger. */
function gridOf(sheet: WorkSheet, file: string, dates: Dates): Grid {
  const counts = { errors: 0, oddDates: 0 }
  const used = new Set<number>()
  const found: { readonly line: number; readonly values: ReadonlyMap<number, Cell> }[] = []
  ;(sheet['!data'] ?? []).forEach((row, index) => {
    const values = new Map<number, Cell>()
    row?.forEach((cell: CellObject | undefined, column) => {
      const value = cellOf(cell, dates, counts)
      if (value === null) return
      values.set(column, value)
      used.add(column)
    })
    if (values.size > 0) found.push({ line: index + 1, values })
  })
  refuseTooWide(file, { columns: used.size, rows: found.length })
  const columns = [...used].sort((one, other) => one - other)
  const rows = found.map(({ line, values }) => ({ line, cells: columns.map((column) => values.get(column) ?? null) }))
  return { rows, ...counts }
}

interface Dates {
  readonly isDate: (format: string) => boolean
  readonly is1904: boolean
}

function cellOf(cell: CellObject | undefined, dates: Dates, counts: { errors: number; oddDates: number }): Cell {
  if (cell?.t === 'e') counts.errors += 1
  if (cell === undefined || cell.v === undefined || cell.t === 'e' || cell.t === 'z') return null
  if (typeof cell.v === 'string') return cell.v === '' ? null : cell.v
  if (typeof cell.v === 'boolean') return cell.v
  if (cell.v instanceof Date) return cell.v.toISOString().slice(0, 19).replace('T', ' ')
  if (typeof cell.z !== 'string' || !dates.isDate(cell.z)) return cell.v
  const day = moment(cell.v, dates.is1904)
  if (day === null) counts.oddDates += 1
  return day ?? cell.v
}

const lastDay = Date.UTC(9999, 11, 31)

/** Excel counts days; the fraction is the time, and a number below one is only a time. `null` outside its calendar. */
export function moment(serial: number, is1904: boolean): string | null {
  if (!(serial >= 0)) return null
  const milliseconds = Math.round(serial * 86_400_000)
  if (serial < 1) return new Date(milliseconds).toISOString().slice(11, 19)
  // The first day of the calendar. Before 1 March 1900, Excel has a day that did not exist.
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30)
  if (start + milliseconds >= lastDay + 86_400_000) return null
  const iso = new Date(start + milliseconds).toISOString()
  return milliseconds % 86_400_000 === 0
    ? iso.slice(0, 10)
    : iso.slice(0, iso.endsWith('.000Z') ? 19 : 23).replace('T', ' ')
}

const looksLikeNames = ({ rows }: Grid): boolean =>
  (rows[firstRow(rows)]?.cells ?? []).every((cell) => cell === null || (typeof cell === 'string' && !/^\d/.test(cell)))

function sheetTable(part: string, grid: Grid, hasHeader: boolean): Omit<Sheet, 'isHidden'> {
  const first = firstRow(grid.rows)
  const names = grid.rows[first]?.cells ?? []
  const body = grid.rows.slice(first + (hasHeader ? 1 : 0))
  const used = names.map((_, column) => column).filter((column) => isUsed(column, hasHeader ? names : [], body))
  const columns = used.map((column) => ({
    sourceName: hasHeader ? String(names[column] ?? '') : '',
    values: body.map(({ cells }) => cells[column] ?? null),
  }))
  const warnings = remarksOn(grid, first).map((remark) => `${part}: ${remark}`)
  return { table: { part, columns, rowCount: body.length, lineOf: (row) => body[row]?.line ?? 0 }, warnings }
}

function remarksOn({ errors, oddDates }: Grid, rowsAbove: number): readonly string[] {
  const above = rowsAbove === 1 ? 'a row above the table is' : `${rowsAbove} rows above the table are`
  return [
    ...(rowsAbove === 0 ? [] : [`${above} left out.`]),
    ...(errors === 0 ? [] : [`cells with an error such as #N/A (${errors}) are empty here.`]),
    ...(oddDates === 0 ? [] : [`cells with a date format outside of Excel's calendar (${oddDates}) stay numbers.`]),
  ]
}

const isUsed = (column: number, names: readonly Cell[], rows: readonly GridRow[]): boolean =>
  (names[column] ?? null) !== null || rows.some(({ cells }) => (cells[column] ?? null) !== null)

/** Titles and remarks above a table fill one or two cells. The table starts where most columns are filled. */
function firstRow(rows: readonly GridRow[]): number {
  const counts = rows.slice(0, 30).map(({ cells }) => cells.filter((cell) => cell !== null).length)
  const widest = Math.max(...counts)
  return counts.findIndex((count) => count * 2 > widest)
}
