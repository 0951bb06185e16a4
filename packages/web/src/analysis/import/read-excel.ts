// Workbooks, with the values their formulas had when they were saved.
import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import type { Cell } from '../cells.ts'
import { ImportError } from './import-error.ts'
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

/** Sheets without any value are left out. `asked: null` looks at the first sheet for whether they have a header. */
export async function readExcel(bytes: Uint8Array, file: string, asked: boolean | null): Promise<Workbook> {
  const { read, utils, SSF } = await import('@e965/xlsx')
  const book = open(read, bytes, file)
  const is1904 = book.Workbook?.WBProps?.date1904 === true
  const toCell = (cell: CellObject | undefined): Cell => cellOf(cell, { isDate: SSF.is_date, is1904 })
  const grids = book.SheetNames.flatMap((name, index) => {
    const sheet = book.Sheets[name]
    if (sheet?.['!ref'] === undefined) return []
    const grid = gridOf(sheet, utils.decode_range(sheet['!ref']), toCell)
    const isHidden = (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    return grid.rows.some(isFilled) ? [{ name, grid, isHidden }] : []
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
    const reason = error instanceof Error ? error.message : String(error)
    const isLocked = /password|encrypt/i.test(reason)
    throw new ImportError(
      isLocked ? 'unsupported' : 'unreadable',
      isLocked
        ? `"${file}" is protected by a password: save it without one.`
        : `"${file}" cannot be read as a workbook (${reason}). An archive has to be unpacked first.`,
    )
  }
}

interface Grid {
  /** From the first row of the sheet that is used. */
  readonly rows: readonly (readonly Cell[])[]
  /** Its number in the sheet, from 1. */
  readonly firstLine: number
  readonly errors: number
}

type Range = ReturnType<typeof import('@e965/xlsx').utils.decode_range>

function gridOf(sheet: WorkSheet, range: Range, toCell: (cell: CellObject | undefined) => Cell): Grid {
  const data = sheet['!data'] ?? []
  let errors = 0
  const rows: Cell[][] = []
  for (let line = range.s.r; line <= range.e.r; line += 1) {
    const row: Cell[] = []
    for (let column = range.s.c; column <= range.e.c; column += 1) {
      const cell = data[line]?.[column]
      if (cell?.t === 'e') errors += 1
      row.push(toCell(cell))
    }
    rows.push(row)
  }
  return { rows, firstLine: range.s.r + 1, errors }
}

interface Dates {
  readonly isDate: (format: string) => boolean
  readonly is1904: boolean
}

function cellOf(cell: CellObject | undefined, dates: Dates): Cell {
  if (cell === undefined || cell.v === undefined || cell.t === 'e' || cell.t === 'z') return null
  if (typeof cell.v === 'string') return cell.v === '' ? null : cell.v
  if (typeof cell.v === 'boolean') return cell.v
  if (cell.v instanceof Date) return cell.v.toISOString().slice(0, 19).replace('T', ' ')
  if (typeof cell.z === 'string' && dates.isDate(cell.z)) return moment(cell.v, dates.is1904)
  return cell.v
}

/** Excel counts days; a fraction is the time, and a number below one nothing else. */
export function moment(serial: number, is1904: boolean): string {
  const milliseconds = Math.round(serial * 86_400_000)
  if (serial >= 0 && serial < 1) return new Date(milliseconds).toISOString().slice(11, 19)
  // The first day of the count; before 1 March 1900 Excel has a day that never was.
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30)
  const iso = new Date(start + milliseconds).toISOString()
  return milliseconds % 86_400_000 === 0
    ? iso.slice(0, 10)
    : iso.slice(0, iso.endsWith('.000Z') ? 19 : 23).replace('T', ' ')
}

const isFilled = (row: readonly Cell[]): boolean => row.some((cell) => cell !== null)
const filledCount = (row: readonly Cell[]): number => row.filter((cell) => cell !== null).length

const looksLikeNames = ({ rows }: Grid): boolean =>
  (rows[firstRow(rows)] ?? []).every((cell) => cell === null || (typeof cell === 'string' && !/^\d/.test(cell)))

function sheetTable(part: string, grid: Grid, hasHeader: boolean): Omit<Sheet, 'isHidden'> {
  const first = firstRow(grid.rows)
  const names = grid.rows[first] ?? []
  const start = first + (hasHeader ? 1 : 0)
  const body = grid.rows.slice(start).map((row, index) => ({ row, line: grid.firstLine + start + index }))
  const filled = body.filter(({ row }) => isFilled(row))
  const used = names.map((_, column) => column).filter((column) => isUsed(column, hasHeader ? names : [], filled))
  const above = first === 1 ? 'a row above the table is' : `${first} rows above the table are`
  const warnings = [
    ...(first === 0 ? [] : [`${part}: ${above} left out.`]),
    ...(grid.errors === 0 ? [] : [`${part}: cells with an error such as #N/A (${grid.errors}) have no value here.`]),
  ]
  const columns = used.map((column) => ({
    sourceName: hasHeader ? String(names[column] ?? '') : '',
    values: filled.map(({ row }) => row[column] ?? null),
  }))
  return { table: { part, columns, rowCount: filled.length, lineOf: (row) => filled[row]?.line ?? 0 }, warnings }
}

const isUsed = (column: number, names: readonly Cell[], rows: readonly { readonly row: readonly Cell[] }[]): boolean =>
  (names[column] ?? null) !== null || rows.some(({ row }) => (row[column] ?? null) !== null)

/** Titles and remarks stand above a table with a cell or two; the table begins where most of its columns are filled. */
function firstRow(rows: readonly (readonly Cell[])[]): number {
  const counts = rows.slice(0, 30).map(filledCount)
  const widest = Math.max(...counts)
  return counts.findIndex((count) => count > 0 && count * 2 > widest)
}
