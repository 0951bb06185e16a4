import { type Cell, exactText, type Rows } from '../domain/cells.ts'

/** RFC 4180. Null and empty text differ: `,,` and `,"",`. `hasMark`: Excel reads UTF-8 only with a byte order mark. */
export function toCsv({ columns, rows }: Rows, { hasMark = false }: { readonly hasMark?: boolean } = {}): string {
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

/** Spreadsheets evaluate cells that start like a formula. */
const guarded = (text: string): string => (formula.test(text) && !plainNumber.test(text) ? `'${text}` : text)
