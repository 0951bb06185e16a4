// Two looks at a table that answer something about any of them: how much there is, and what stands out.
import type { KnownTable } from './known-tables.ts'

export interface PlannedQuery {
  readonly thought: string
  readonly sql: string
}

export interface AnalysisPlan {
  readonly table: KnownTable
  readonly count: PlannedQuery
  readonly look: PlannedQuery
  /** The columns of the second look, where it has two to be drawn. */
  readonly axes: { readonly x: string; readonly y: string } | null
}

const isNumber = (type: string): boolean => /INT|DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC|NUMBER|HUGE/i.test(type)
const isText = (type: string): boolean => /CHAR|TEXT|STRING|ENUM/i.test(type)
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The table and the columns that the question names, or else the first that fit. */
export function planQueries(tables: readonly KnownTable[], question: string): AnalysisPlan | null {
  const words = question.toLowerCase()
  const named = ({ name }: { readonly name: string }) => isNamed(words, name)
  const table = tables.find(named) ?? tables.find(({ columns }) => columns.some(named)) ?? tables[0]
  if (table === undefined) return null
  const pick = (fits: (type: string) => boolean) => {
    const fitting = table.columns.filter(({ type }) => fits(type))
    return (fitting.find(named) ?? fitting[0])?.name
  }
  const from = `FROM ${quoted(table.name)}`
  const count = { thought: `How many rows ${table.name} has`, sql: `SELECT count(*) AS "rows" ${from}` }
  const group = pick(isText)
  const value = pick(isNumber)
  if (group !== undefined) {
    const measure = value === undefined ? 'count(*)' : `sum(${quoted(value)})`
    const y = value === undefined ? 'count' : `total ${value}`
    const sql = `SELECT ${quoted(group)}, ${measure} AS ${quoted(y)} ${from} GROUP BY 1 ORDER BY 2 DESC LIMIT 20`
    return { table, count, look: { thought: `${y} for each ${group}`, sql }, axes: { x: group, y } }
  }
  if (value !== undefined) {
    const of = quoted(value)
    const sql = `SELECT min(${of}) AS "least", max(${of}) AS "most", avg(${of}) AS "average" ${from}`
    return { table, count, look: { thought: `The range of ${value}`, sql }, axes: null }
  }
  return { table, count, look: { thought: 'The first rows', sql: `SELECT * ${from} LIMIT 5` }, axes: null }
}

const isNamed = (words: string, name: string): boolean => {
  const said = name.toLowerCase()
  return words.includes(said) || (said.endsWith('s') && words.includes(said.slice(0, -1)))
}
