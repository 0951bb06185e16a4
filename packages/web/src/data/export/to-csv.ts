import { exactText } from '../domain/cell-text.ts'
import type { Cell, Rows } from '../domain/cells.ts'

interface CsvOptions {
  /** Excel reads UTF-8 only with it. */
  readonly hasMark?: boolean
}

/** RFC 4180. Nothing and an empty text stay two things: `,,` and `,"",`. */
export function toCsv({ columns, rows }: Rows, { hasMark = false }: CsvOptions = {}): string {
  const lines = [columns.map(({ name }) => field(name)), ...rows.map((row) => row.map(field))]
  return `${hasMark ? '\uFEFF' : ''}${lines.map((line) => `${line.join(',')}\r\n`).join('')}`
}

function field(cell: Cell): string {
  if (cell === null) return ''
  const text = typeof cell === 'string' ? guarded(cell) : exactText(cell)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const formula = /^[=+\-@\t\r]/
const plainNumber = /^-\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Spreadsheets run what begins like a formula, wherever it came from. */
const guarded = (text: string): string => (formula.test(text) && !plainNumber.test(text) ? `'${text}` : text)
