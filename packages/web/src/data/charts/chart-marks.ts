// Turns rows into marks: one per row or one per group.
import type { ChartChoice } from '../domain/analysis.ts'
import type { Cell, Rows } from '../domain/cells.ts'
import { nameOf, positionOn, type XScale } from './chart-axis.ts'
import type { ChartColumns, IndexedColumn } from './chart-columns.ts'

export interface Mark {
  /** The cell of the rows; `null` for the mark of all others. */
  readonly x: Cell
  readonly name: string
  /** The position of `x` on a numeric or time scale. */
  readonly at: number | null
  readonly series: string | null
  readonly y: number
  /** The number of rows in this mark. */
  readonly rows: number
}

export interface Marks {
  readonly marks: readonly Mark[]
  /** Rows without a value to draw. */
  readonly emptyRows: number
  /** Several rows with the same position were combined. */
  readonly areAdded: boolean
}

interface Group extends Omit<Mark, 'y' | 'rows'> {
  readonly values: number[]
}

export function chartMarks(choice: ChartChoice, rows: Rows, { columns, scale }: MarksFrom): Marks {
  const groups = new Map<string, Group>()
  const needsPosition = scale.kind !== 'names'
  const isSingle = choice.aggregate === 'none' && (choice.type === 'scatter' || choice.type === 'line')
  const nameFor = uniqueNames(scale)
  let emptyRows = 0
  let areAdded = false
  for (const [index, row] of rows.rows.entries()) {
    const x = columns.x === null ? null : (row[columns.x.columnIndex] ?? null)
    const at = positionOn(scale, x)
    let drawn = 0
    for (const y of columns.y.length > 0 ? columns.y : [null]) {
      const value = numberIn(row, y, choice.aggregate)
      if (value === null || (needsPosition && at === null)) continue
      drawn += 1
      const name = columns.x === null ? (y?.name ?? 'rows') : nameFor(x)
      const series = columns.x === null ? null : seriesOf(row, columns, y)
      const key = JSON.stringify([isSingle ? index : null, at ?? name, series])
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { x, name, at, series, values: [value] })
      else {
        group.values.push(value)
        areAdded ||= choice.aggregate === 'none'
      }
    }
    if (drawn === 0) emptyRows += 1
  }
  const marks = [...groups.values()].map(({ values, ...mark }) => ({
    ...mark,
    y: aggregated(values, choice.aggregate),
    rows: values.length,
  }))
  return { marks, emptyRows, areAdded }
}

interface MarksFrom {
  readonly columns: ChartColumns
  readonly scale: XScale
}

/** Different values get different names, even if they differ only in blanks or invisible characters. */
function uniqueNames(scale: XScale): (cell: Cell) => string {
  const names = new Map<Cell, string>()
  const taken = new Set<string>()
  return (cell) => {
    const known = names.get(cell)
    if (known !== undefined) return known
    const plain = nameOf(cell, scale)
    let name = plain
    for (let count = 2; scale.kind === 'names' && taken.has(name); count += 1) name = `${plain} (${count})`
    names.set(cell, name)
    taken.add(name)
    return name
  }
}

function numberIn(row: readonly Cell[], y: IndexedColumn | null, aggregate: ChartChoice['aggregate']): number | null {
  if (y === null) return 1
  const cell = row[y.columnIndex] ?? null
  if (aggregate === 'count') return cell === null ? null : 1
  if (typeof cell !== 'number' && typeof cell !== 'bigint') return null
  const value = Number(cell)
  return Number.isFinite(value) ? value : null
}

function seriesOf(row: readonly Cell[], { series, y: all }: ChartColumns, y: IndexedColumn | null): string | null {
  const parts = [
    ...(series === null ? [] : [nameOf(row[series.columnIndex] ?? null)]),
    ...(all.length > 1 && y !== null ? [nameOf(y.name)] : []),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}

function aggregated(values: readonly number[], aggregate: ChartChoice['aggregate']): number {
  const sum = values.reduce((total, value) => total + value, 0)
  switch (aggregate) {
    case 'mean':
      return sum / values.length
    case 'min':
      return values.reduce((least, value) => Math.min(least, value))
    case 'max':
      return values.reduce((most, value) => Math.max(most, value))
    case 'sum':
    case 'count':
    case 'none':
      return sum
  }
}
