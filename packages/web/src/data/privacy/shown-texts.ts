// The texts of a result that would be shown, and which of them are harmless.
import { type Cell, kindOf, type Rows } from '../domain/cells.ts'
import { commonCount } from '../domain/disclosure.ts'
import { codeTokens, sqlTokens } from '../sql/sql-names.ts'

/** Normalizes text for comparison: `  Nord ` equals `nord`. */
export const normalText = (text: string): string => text.trim().toLowerCase()

/** The distinct texts of text columns. Lists and similar are excluded: see `hasNested`. */
export function shownTexts({ columns, rows }: Rows): readonly string[] {
  const at = columns.flatMap((column, index) => (kindOf(column) === 'text' ? [index] : []))
  const found = new Set<string>()
  for (const row of rows) for (const index of at) if (typeof row[index] === 'string') found.add(row[index])
  return [...found]
}

/** Texts that always appear next to a count of five or more. Results without `count(*)` have none. */
export function countedTexts({ columns, rows }: Rows, code: string): ReadonlySet<string> {
  const at = columns.findIndex(({ name }) => isCountName(name, code))
  const [counted, rare] = [new Set<string>(), new Set<string>()]
  for (const row of at < 0 ? [] : rows) {
    const found = Number(row[at] ?? 0) >= commonCount ? counted : rare
    for (const cell of row) if (typeof cell === 'string') found.add(cell)
  }
  return new Set([...counted].filter((text) => !rare.has(text)))
}

/** `count_star()`, or a name that is used only for one `count(*)`. */
function isCountName(name: string, code: string): boolean {
  const words = codeTokens(code).map(({ kind, text }) => (kind === 'quoted' ? text.slice(1, -1) : text).toLowerCase())
  const wanted = name.toLowerCase()
  if (wanted === 'count_star()') return !words.includes(wanted)
  const given = words.flatMap((word, index) => (word === wanted ? [index] : []))
  const isGiven = (index: number): boolean =>
    /(^| )count \( \* \)( as)?$/.test(words.slice(Math.max(0, index - 5), index).join(' '))
  // `ORDER BY n` uses the name; `AS n` and a name after a bracket or a value define it.
  const renames = given.filter((index) => words[index - 1] === 'as' || words[index - 1] === ')')
  return renames.length === 1 && renames.every(isGiven)
}

/** A list may contain a whole column. */
export const hasNested = ({ columns }: Rows): boolean =>
  columns.some((column) => kindOf(column) === 'other' && column.type.toUpperCase() !== 'INTERVAL')

/** String literals of the query: `'late'` of `CASE WHEN … THEN 'late'`. */
export function sqlStrings(sql: string): readonly string[] {
  return [...sqlTokens(sql)].flatMap(({ kind, text }) =>
    kind === 'string' && text.startsWith("'") ? [text.slice(1, -1).replaceAll("''", "'")] : [],
  )
}

const months = 'january february march april may june july august september october november december'
const days = 'monday tuesday wednesday thursday friday saturday sunday'
const calendar = new Set(`${months} ${days}`.split(' ').flatMap((word) => [word, word.slice(0, 3)]))

/** Numbers, periods and ranges as text: `2026-09`, `Q3 2026`, `10–20 %`, `03 Sep`. */
export function isLabel(text: string): boolean {
  if (text.length > 24) return false
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const isPlain = /^[\p{L}\d\s.,:;+\-–—/%<>=()[\]€$£]*$/u.test(text)
  const isWorded = words.every((word) => calendar.has(word) || /^([qwthkmz]|to|am|pm|kg|cm|km)$/.test(word))
  return isPlain && isWorded && isNumberOrRange(text)
}

const period = String.raw`q\d[ /-]?\d{4}|\d{4}[ /-]?[qw]\d{1,2}`
const clock = String.raw`[0-2]?\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:z|[+-]\d{2}(?::?\d{2})?)?`
const day = String.raw`\d{4}[-/.][01]?\d(?:[-/.][0-3]?\d(?:[ t]${clock})?)?|[0-3]?\d[-/.][0-3]?\d[-/.]\d{4}`
const amount = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?`
const figure = new RegExp(`(?<!\\d)(?:${[period, day, clock, amount].join('|')})(?!\\d)`, 'gi')

/** One or two numbers: more of them, or digits joined by dots, could spell a text. */
function isNumberOrRange(text: string): boolean {
  const rest = text.replace(figure, '#')
  return !/\d|#[.,:]?#/.test(rest) && rest.split('#').length <= 3
}

/** The same rows with these texts hidden, in cells and in column names. */
export const withoutTexts = ({ columns, rows }: Rows, hidden: ReadonlySet<string>, mark: string): Rows => ({
  columns: columns.map((one, index) => (hidden.has(one.name) ? { ...one, name: `column ${index + 1}` } : one)),
  rows: rows.map((row) => row.map((cell): Cell => (typeof cell === 'string' && hidden.has(cell) ? mark : cell))),
})
