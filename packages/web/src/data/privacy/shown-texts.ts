// The texts of a result that would be shown, and which of them give nothing away.
import { type Cell, kindOf, type Rows } from '../domain/cells.ts'
import { commonCount } from '../domain/disclosure.ts'
import { sqlTokens } from '../sql/sql-names.ts'

/** As two texts are compared: `  Nord ` and `nord` are one. */
export const normalText = (text: string): string => text.trim().toLowerCase()

/** Of columns with text, each once. Lists and the like are not among them: see `hasNested`. */
export function shownTexts({ columns, rows }: Rows): readonly string[] {
  const at = columns.flatMap((column, index) => (kindOf(column) === 'text' ? [index] : []))
  const found = new Set<string>()
  for (const row of rows) for (const index of at) if (typeof row[index] === 'string') found.add(row[index])
  return [...found]
}

/** Texts that stand beside a count of five or more wherever they stand. Of results without a `count(*)` there are none. */
export function countedTexts({ columns, rows }: Rows, code: string): ReadonlySet<string> {
  const at = columns.findIndex(({ name }) => isCountName(name, code))
  const [counted, rare] = [new Set<string>(), new Set<string>()]
  for (const row of at < 0 ? [] : rows) {
    const found = Number(row[at] ?? 0) >= commonCount ? counted : rare
    for (const cell of row) if (typeof cell === 'string') found.add(cell)
  }
  return new Set([...counted].filter((text) => !rare.has(text)))
}

/** `count_star()`, or the one name that is given to a `count(*)` and to nothing else. */
function isCountName(name: string, code: string): boolean {
  const tokens = [...sqlTokens(code)].filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  const words = tokens.map(({ kind, text }) => (kind === 'quoted' ? text.slice(1, -1) : text).toLowerCase())
  const wanted = name.toLowerCase()
  if (wanted === 'count_star()') return !words.includes(wanted)
  const given = words.flatMap((word, index) => (word === wanted ? [index] : []))
  const isGiven = (index: number): boolean => {
    const before = words.slice(Math.max(0, index - 5), index).join(' ')
    return /(^| )count \( \* \)( as)?$/.test(before)
  }
  // `ORDER BY n` is a use of it, `AS n` and a name behind a bracket or a value give it anew.
  const renames = given.filter((index) => words[index - 1] === 'as' || words[index - 1] === ')')
  return renames.length === 1 && renames.every(isGiven)
}

/** A list may hold a whole column. */
export const hasNested = ({ columns }: Rows): boolean =>
  columns.some((column) => kindOf(column) === 'other' && column.type.toUpperCase() !== 'INTERVAL')

/** The strings a query says itself: `'late'` of `CASE WHEN … THEN 'late'`. */
export function sqlStrings(sql: string): readonly string[] {
  return [...sqlTokens(sql)].flatMap(({ kind, text }) =>
    kind === 'string' && text.startsWith("'") ? [text.slice(1, -1).replaceAll("''", "'")] : [],
  )
}

const months = 'january february march april may june july august september october november december'
const days = 'monday tuesday wednesday thursday friday saturday sunday'
const calendar = new Set(`${months} ${days}`.split(' ').flatMap((word) => [word, word.slice(0, 3)]))

/** Numbers, periods and ranges that were made into text: `2026-09`, `Q3 2026`, `10–20 %`, `03 Sep`. */
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

/** One or two figures: more of them, or digits that hang together by dots, can spell a text. */
function isNumberOrRange(text: string): boolean {
  const rest = text.replace(figure, '#')
  return !/\d|#[.,:]?#/.test(rest) && rest.split('#').length <= 3
}

/** The same rows with each of these texts hidden, where it is a cell and where it is the name of a column. */
export const withoutTexts = ({ columns, rows }: Rows, hidden: ReadonlySet<string>, mark: string): Rows => ({
  columns: columns.map((one, index) => (hidden.has(one.name) ? { ...one, name: `column ${index + 1}` } : one)),
  rows: rows.map((row) => row.map((cell): Cell => (typeof cell === 'string' && hidden.has(cell) ? mark : cell))),
})
