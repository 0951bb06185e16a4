// Limits the marks of a chart: sorts and cuts them, and adds up the remaining ones where possible. Reports omissions.
import { formatCount } from '@quarterdeck/protocol'
import type { ChartChoice } from '../domain/analysis.ts'
import type { XScale } from './chart-axis.ts'
import type { Mark } from './chart-marks.ts'
import { pieSlices } from './pie-slices.ts'

const mostMarks = 5000
const mostNames = 30
const mostSeries = { line: 8, bar: 6, scatter: 6 }

export function limitedMarks(all: readonly Mark[], choice: ChartChoice, scale: XScale) {
  const ordered = orderedMarks(all, choice, scale)
  const bySeries = limitSeries(ordered, choice)
  const byName = limitNames(bySeries.marks, choice, scale)
  const thinned = thinMarks(byName.marks)
  return {
    marks: thinned.marks,
    /** In order of their names; the first is highlighted. */
    series: bySeries.series,
    /** The x values in drawing order. */
    names: [...new Set(byName.marks.map(({ name }) => name))],
    notes: [...bySeries.notes, ...byName.notes, ...thinned.notes],
  }
}

function orderedMarks(all: readonly Mark[], { type, order }: ChartChoice, scale: XScale): readonly Mark[] {
  const isInOrder = type === 'line' || order === 'x' || (type === 'pie' && order === 'none')
  if (scale.kind !== 'names' && isInOrder) {
    return all.toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0))
  }
  if (order === 'none' && type !== 'pie') return all
  const totals = new Map<string, number>()
  for (const { name, y } of all) totals.set(name, (totals.get(name) ?? 0) + y)
  const total = ({ name }: Mark): number => totals.get(name) ?? 0
  if (order === 'x') return all.toSorted((one, other) => collator.compare(one.name, other.name))
  const sign = order === 'y-up' ? 1 : -1
  return all.toSorted((one, other) => sign * (total(one) - total(other)))
}

const collator = new Intl.Collator('en', { numeric: true })

interface Limited {
  readonly marks: readonly Mark[]
  readonly notes: readonly string[]
}

/** Lines by their last value, highest first. Series of bars and points keep their order. */
function limitSeries(
  marks: readonly Mark[],
  { type, limit }: ChartChoice,
): Limited & { readonly series: readonly string[] } {
  if (type === 'pie' || type === 'table') return { marks, series: [], notes: [] }
  const ends = new Map<string, number>()
  for (const { series, y } of marks) if (series !== null) ends.set(series, y)
  const names = [...ends.keys()]
  if (type === 'line') names.sort((one, other) => (ends.get(other) ?? 0) - (ends.get(one) ?? 0))
  const series = names.slice(0, type === 'line' && limit !== null ? Math.min(limit, 20) : mostSeries[type])
  if (series.length === names.length) return { marks, series, notes: [] }
  const drawn = new Set(series)
  return {
    marks: marks.filter((mark) => mark.series === null || drawn.has(mark.series)),
    series,
    notes: [`${series.length} of ${names.length} series drawn`],
  }
}

function limitNames(marks: readonly Mark[], choice: ChartChoice, scale: XScale): Limited {
  const { type, limit, aggregate } = choice
  if (type === 'scatter') return limit === null ? { marks, notes: [] } : cutTo(marks, limit)
  if (type === 'line' || (type === 'bar' && scale.kind !== 'names' && limit === null)) return { marks, notes: [] }
  const names = [...new Set(marks.map(({ name }) => name))]
  const most = type === 'pie' ? pieSlices(marks, choice, scale).parts : (limit ?? mostNames)
  if (names.length <= most) return { marks, notes: [] }
  const canAdd = aggregate === 'sum' || aggregate === 'count' || (aggregate === 'none' && type === 'pie')
  const drawn = new Set(names.slice(0, canAdd ? most - 1 : most))
  const rest = marks.filter(({ name }) => !drawn.has(name))
  const shown = marks.filter(({ name }) => drawn.has(name))
  const count = names.length - drawn.size
  if (!canAdd) return { marks: shown, notes: [`${drawn.size} of ${names.length} drawn, ${count} left out`] }
  return { marks: [...shown, ...others(rest, count, drawn)], notes: [`${count} of ${names.length} added up as others`] }
}

function others(rest: readonly Mark[], count: number, taken: ReadonlySet<string>): readonly Mark[] {
  let name = `${count} others`
  while (taken.has(name)) name += '…'
  const bySeries = new Map<string | null, Mark>()
  for (const { series, y, rows } of rest) {
    const before = bySeries.get(series)
    bySeries.set(series, { x: null, name, at: null, series, y: (before?.y ?? 0) + y, rows: (before?.rows ?? 0) + rows })
  }
  return [...bySeries.values()]
}

const cutTo = (marks: readonly Mark[], limit: number): Limited =>
  marks.length <= limit
    ? { marks, notes: [] }
    : {
        marks: marks.slice(0, limit),
        notes: [`first ${formatCount(limit)} of ${formatCount(marks.length)} points drawn`],
      }

/** Evenly sampled to preserve the shape. */
function thinMarks(marks: readonly Mark[]): Limited {
  if (marks.length <= mostMarks) return { marks, notes: [] }
  const step = marks.length / mostMarks
  const picked = Array.from({ length: mostMarks }, (_, index) => marks[Math.floor(index * step)])
  return {
    marks: picked.filter((mark) => mark !== undefined),
    notes: [`every ${step.toFixed(1)}th of ${formatCount(marks.length)} points drawn`],
  }
}
