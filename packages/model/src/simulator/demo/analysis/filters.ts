// What a question leaves out: a time, a size, a value that stands in a cell.
import { isFiller } from '../../words.ts'
import { kindOf } from './column-kind.ts'
import type { ColumnRef, Filter } from './reading.ts'
import { dateField, quotedText } from './sql-parts.ts'

type NameColumn = (ref: ColumnRef) => string

const months = 'january february march april may june july august september october november december'.split(' ')

/** "in September", "in 2025", "in Q2". */
export function timeFilters(question: string, date: ColumnRef | null, nameOf: NameColumn): readonly Filter[] {
  if (date === null) return []
  const text = question.toLowerCase()
  const field = (name: string) => dateField(nameOf(date), date.column, name)
  const filters: Filter[] = []
  const named = new RegExp(`\\b(?:in|of|for|during|since|from)\\s+(${months.join('|')})\\b`).exec(text)?.[1]
  const alone = months.find((month) => month !== 'may' && month !== 'march' && new RegExp(`\\b${month}\\b`).test(text))
  const month = named ?? alone
  if (month !== undefined) {
    filters.push({ sql: `${field('month')} = ${months.indexOf(month) + 1}`, words: `in ${capital(month)}` })
  }
  const year =
    /\b(?:in|of|for|during|january|february|march|april|may|june|july|august|september|october|november|december)\s+((?:19|20)\d\d)\b/.exec(
      text,
    )?.[1]
  if (year !== undefined) filters.push({ sql: `${field('year')} = ${year}`, words: `in ${year}` })
  const quarter = /\bq([1-4])\b/.exec(text)?.[1]
  if (quarter !== undefined) filters.push({ sql: `${field('quarter')} = ${quarter}`, words: `in quarter ${quarter}` })
  return filters
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** "over 300", "at most 5", "between 10 and 20". */
export function sizeFilters(question: string, measure: ColumnRef | null, nameOf: NameColumn): readonly Filter[] {
  if (measure === null) return []
  const text = question.toLowerCase().replaceAll(/(\d),(\d{3})\b/g, '$1$2')
  const number = '(-?\\d+(?:\\.\\d+)?)'
  const both = new RegExp(`\\bbetween\\s+${number}\\s+and\\s+${number}`).exec(text)
  const { name } = measure
  if (both !== null) {
    return [
      {
        sql: `${nameOf(measure)} BETWEEN ${both[1]} AND ${both[2]}`,
        words: `with ${name} between ${both[1]} and ${both[2]}`,
      },
    ]
  }
  const signs: readonly (readonly [string, string, string])[] = [
    ['(?:at least|>=|no less than)', '>=', 'at least'],
    ['(?:at most|<=|no more than|up to)', '<=', 'at most'],
    ['(?:over|above|more than|greater than|higher than|larger than|exceeding|>)', '>', 'over'],
    ['(?:under|below|less than|lower than|smaller than|<)', '<', 'under'],
  ]
  for (const [words, operator, said] of signs) {
    const found = new RegExp(`${words}\\s*${number}\\b`).exec(text)?.[1]
    if (found !== undefined)
      return [{ sql: `${nameOf(measure)} ${operator} ${found}`, words: `with ${name} ${said} ${found}` }]
  }
  return []
}

export interface FoundValue {
  readonly ref: ColumnRef
  readonly value: string
}

/** Values of cells that stand in the question as they are, the longest first. */
export function saidValues(question: string, known: readonly FoundValue[]): readonly FoundValue[] {
  const text = question.toLowerCase()
  const said = known.filter(({ value }) => {
    const low = value.toLowerCase().trim()
    if (low.length < 2 || isFiller(low) || /^\d{1,2}$/.test(low)) return false
    // Codes of two letters are words too: they count as they are written.
    const [where, what] = low.length === 2 ? [question, value.trim()] : [text, low]
    return placesOf(where, what).some((at) => isEdge(where[at - 1]) && isEdge(where[at + what.length]))
  })
  const taken: string[] = []
  return [...said]
    .sort((one, other) => other.value.length - one.value.length)
    .filter(({ value }) => {
      if (taken.some((other) => other.toLowerCase().includes(value.toLowerCase()))) return false
      taken.push(value)
      return true
    })
}

const isEdge = (letter: string | undefined): boolean => letter === undefined || !/[\p{L}\p{N}]/u.test(letter)

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at)
  return places
}

/** Several values of one column are one filter: any of them. */
export function valueFilters(values: readonly FoundValue[], nameOf: NameColumn): readonly Filter[] {
  const columns = [...new Map(values.map(({ ref }) => [nameOf(ref), ref])).values()]
  return columns.map((ref) => {
    const own = values.filter((one) => nameOf(one.ref) === nameOf(ref)).map(({ value }) => value)
    const [first = ''] = own
    const sql = own.length === 1 ? `= ${quotedText(first)}` : `IN (${own.map(quotedText).join(', ')})`
    return { sql: `${nameOf(ref)} ${sql}`, words: `with ${ref.name} ${own.join(' or ')}` }
  })
}

/** What the summaries of the tables tell of frequent values. */
export const summaryValues = (refs: readonly ColumnRef[]): readonly FoundValue[] =>
  refs.flatMap((ref) =>
    kindOf(ref.column) !== 'text'
      ? []
      : (ref.column.summary?.top ?? []).flatMap(({ value }) => (typeof value === 'string' ? [{ ref, value }] : [])),
  )

/** Names and quoted words that nothing explains yet: they may be values. */
export function unexplainedNames(question: string, explained: readonly string[]): readonly string[] {
  const quotes = [...question.matchAll(/["“'‘]([^"”'’]{2,60})["”'’]/gu)].map(([, text = '']) => text)
  const capitals = [
    ...question.matchAll(/(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{N}&.-]+(?: \p{Lu}[\p{L}\p{N}&.-]+)*/gu),
  ].map(([text]) => text)
  const known = explained.map((text) => text.toLowerCase())
  return [...quotes, ...capitals].filter((text) => {
    const low = text.toLowerCase()
    return (
      !months.includes(low) && !/^q[1-4]$/.test(low) && !known.some((one) => one.includes(low) || low.includes(one))
    )
  })
}
