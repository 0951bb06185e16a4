// The last word: what was found, where each number comes from, what to draw, and what to keep in mind.
import { type Found, numberOf } from './answer-text.ts'
import { describe, listSaid, type Results, rowCaveats } from './describe.ts'
import { followUps } from './follow-ups.ts'
import { rowsLabel, saidFilters } from './plan-queries.ts'
import type { Filter, Reading } from './reading.ts'

const honest = 'The simulator answers by rules: it knows the question only by the names and words in it.'

const keptBack = 'Only counts and names were sent, as you chose. The rows are in the step.'

export interface Ending {
  readonly reading: Reading
  readonly results: Results | null
  readonly failures: readonly string[]
  readonly caveats: readonly string[]
}

export function composeAnswer({ reading, results, failures, caveats }: Ending): Readonly<Record<string, unknown>> {
  const notes = [...reading.caveats, ...caveats, ...failures.map((text) => `A query failed: ${text.slice(0, 300)}`)]
  if (results === null) {
    const answer = 'I could not find out: no query came back with rows.'
    return { answer, chartType: 'table', caveats: [...notes, honest] }
  }
  const none = nothingSaid(reading, results)
  if (none !== null) {
    const sourceStep = (results.context ?? results.main).step
    return {
      answer: none,
      chartType: 'table',
      sourceStep,
      claims: [],
      caveats: [...notes, honest],
      followUps: followUps(reading),
    }
  }
  const said = saidOf(reading, results)
  const drawn = drawingOf(reading, results)
  return {
    answer: said.text,
    ...drawn,
    claims: said.claims.slice(0, 100),
    caveats: [...notes, ...rowCaveats(reading, forPerson(results)), honest],
    followUps: followUps(reading),
  }
}

/** A note about rows that were kept back is written for a model. */
function forPerson(results: Results): Results {
  const { main } = results
  const isKeptBack = main.note !== null && main.rows.length === 0 && main.rowCount > 0
  return isKeptBack ? { ...results, main: { ...main, note: keptBack } } : results
}

/** Where what was asked leaves no row, or no value, nothing else is said of it. */
function nothingSaid({ source, task, filters }: Reading, { main, context }: Results): string | null {
  const { name } = source.table
  const counted = (label: string) => {
    const column = context?.columns.indexOf(label) ?? -1
    return column < 0 ? null : numberOf(context?.rows[0]?.[column])
  }
  const isBare = counted(rowsLabel) === 0
  if (isBare && filters.length === 0) return `${name} has no rows.`
  if (task.type !== 'rows' && (isBare || main.rowCount === 0)) return noRowText(name, filters)
  const isEmpty = main.rows.length > 0 && main.rows.every((row) => row.every((cell) => cell === null))
  if (task.type !== 'values' || !isEmpty) return null
  return `The rows of ${name} have no value for this${saidFilters(filters)}.`
}

/** "No row of sales is in March and has city Oslo." */
function noRowText(name: string, filters: readonly Filter[]): string {
  if (filters.length === 0) return `No rows of ${name} fit the question.`
  const parts = filters.map(({ words }) => {
    if (words.startsWith('with ')) return `has ${words.slice(5)}`
    return words.startsWith('only ') ? `is one of the ${words.slice(5)}` : `is ${words}`
  })
  return `No row of ${name} ${parts.join(' and ')}.`
}

function saidOf(reading: Reading, results: Results) {
  const { main } = results
  if (main.rows.length > 0) return describe(reading, results)
  const { task, filters, source } = reading
  if (task.type === 'list' && results.context !== null && results.context.rows.length > 0) {
    return listSaid(task, { name: source.table.name, about: saidFilters(filters) }, results)
  }
  const columns = main.columns.join(' and ')
  return {
    text: `I may not see values here. Step ${main.step} has the answer: ${columns}, drawn below.`,
    claims: [],
  }
}

type Drawing = {
  readonly chartType: string
  readonly xAxis?: string
  readonly yAxis?: string
  readonly sourceStep: number
}

function drawingOf({ task }: Reading, { main, context, more }: Results): Drawing {
  const of = (found: Found, chartType: string): Drawing => {
    const [xAxis, yAxis] = found.columns
    const isEmpty = found.rowCount === 0 || xAxis === undefined || yAxis === undefined
    return isEmpty
      ? { chartType: 'table', sourceStep: found.step }
      : { chartType, xAxis, yAxis, sourceStep: found.step }
  }
  switch (task.type) {
    case 'groups':
      return of(main, 'bar')
    case 'trend':
      return of(more[0] ?? main, 'line')
    case 'missing':
      return task.time !== null && context !== null && context.rowCount > 0 ? of(context, 'line') : of(main, 'bar')
    case 'distribution':
      return of(main, 'bar')
    case 'correlation':
      return context !== null && context.rowCount > 0
        ? of(context, 'scatter')
        : { chartType: 'table', sourceStep: main.step }
    case 'overview':
      return main.columns.length === 2 ? of(main, 'bar') : { chartType: 'table', sourceStep: main.step }
    default:
      return { chartType: 'table', sourceStep: main.step }
  }
}
