import { formatCount } from '@quarterdeck/protocol'
import { countLabel } from '../domain/count-label.ts'
import type { Drawing } from './chart-drawing.ts'
import { shortNumber } from './number-label.ts'
import { scaleDomains } from './scale-domains.ts'

/** The footer of a chart: source, number of drawn rows, start of the axis, and omissions. */
export function drawnFacts(drawing: Drawing): readonly string[] {
  const { kind, choice, rows, notes } = drawing
  const facts = [`From step ${choice.sourceStep}`, rowsFact(drawing)]
  if (rows.totalRows === null || rows.totalRows > rows.loadedRows) {
    facts.push(`Uses only the first ${countLabel(rows.loadedRows, 'row')}`)
  }
  if (kind === 'marks' && choice.type !== 'pie') facts.push(axisFact(drawing))
  return [...facts, ...notes.map((note) => note.charAt(0).toUpperCase() + note.slice(1))]
}

function rowsFact({ kind, rows: { drawnRows, totalRows } }: Drawing): string {
  const word = kind === 'marks' || kind === 'figure' ? 'drawn' : 'shown'
  return totalRows === null
    ? `${countLabel(drawnRows, 'row')} ${word}`
    : `${formatCount(drawnRows)} of ${countLabel(totalRows, 'row')} ${word}`
}

function axisFact(drawing: Drawing): string {
  const { x, y } = scaleDomains(drawing)
  const start = ([low, high]: readonly [number, number]): string =>
    low < 0 ? `runs from ${shortNumber(low)} to ${shortNumber(high)}` : `starts at ${shortNumber(low)}`
  if (drawing.choice.type !== 'scatter' || x === null) return `Axis ${start(y)}`
  return `x axis ${start(x)}, y axis ${start(y)}`
}
