// The last word: what was found, where each number comes from, what to draw, and what to keep in mind.
import type { Found } from './answer-text.ts'
import { describe, type Results, rowCaveats } from './describe.ts'
import { followUps } from './follow-ups.ts'
import type { Reading } from './reading.ts'

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

function saidOf(reading: Reading, results: Results) {
  const { main } = results
  if (main.rows.length > 0) return describe(reading, results)
  if (main.rowCount === 0) return { text: `No rows of ${reading.source.table.name} fit the question.`, claims: [] }
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
