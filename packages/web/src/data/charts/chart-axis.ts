import { visibleText } from '@quarterdeck/protocol'
import { type Cell, cellText, type Rows } from '../domain/cells.ts'
import type { IndexedColumn } from './chart-columns.ts'
import { momentLabel, momentOf, type TimeStep, timeStep } from './chart-time.ts'
import { roundedLabel } from './number-label.ts'

/** The kind of the x axis: names, numbers or time. */
export type XScale =
  | { readonly kind: 'names'; readonly decimals?: number | null }
  | { readonly kind: 'numbers'; readonly decimals: number | null }
  | { readonly kind: 'time'; readonly step: TimeStep }

export function xScaleOf({ rows }: Rows, x: IndexedColumn): XScale {
  const cells = rows.map((row) => row[x.columnIndex] ?? null).filter((cell) => cell !== null)
  if (x.kind === 'number') return { kind: 'numbers', decimals: edgeDecimals(cells) }
  // Text that is a date or timestamp in every row is drawn as time, because SQL returns months as text.
  if (x.kind !== 'date' && x.kind !== 'text') return { kind: 'names' }
  const moments = cells.map((cell) => (typeof cell === 'string' ? momentOf(cell) : null))
  const found = moments.filter((ms) => ms !== null)
  return found.length === cells.length && found.length > 0 ? { kind: 'time', step: timeStep(found) } : { kind: 'names' }
}

/** The position on a numeric or time scale, or `null`. */
export function positionOn(scale: XScale, cell: Cell): number | null {
  if (scale.kind === 'time') return typeof cell === 'string' ? momentOf(cell) : null
  if (scale.kind === 'names' || (typeof cell !== 'number' && typeof cell !== 'bigint')) return null
  const value = Number(cell)
  return Number.isFinite(value) ? value : null
}

/** The cell as visible text on one line, without invisible or bidirectional control characters. */
export function nameOf(cell: Cell, scale: XScale = { kind: 'names' }): string {
  if (cell === null) return '(empty)'
  const ms = scale.kind === 'time' && typeof cell === 'string' ? momentOf(cell) : null
  if (ms !== null && scale.kind === 'time') return momentLabel(ms, scale.step)
  if (typeof cell === 'number' && scale.kind === 'names' && typeof scale.decimals === 'number') {
    return roundedLabel(cell, { maximumFractionDigits: scale.decimals })
  }
  return visibleText(cellText(cell)).replace(/\s+/g, ' ').trim() || '(blank)'
}

const [fewestBins, mostBins] = [4, 60]

/** The number of decimals that distinguishes evenly spaced numbers such as bin edges; `null` for other numbers. */
function edgeDecimals(cells: readonly Cell[]): number | null {
  const values = [...new Set(cells.map(Number))].toSorted((one, other) => one - other)
  if (values.length < fewestBins || values.length > mostBins) return null
  // Numbers with two decimals stay unchanged: prices, shares.
  if (values.every((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6)) return null
  const gaps = values.slice(1).map((value, at) => value - (values[at] ?? 0))
  const step = Math.min(...gaps)
  // Empty bins are missing, so a gap may be several steps.
  const isEven = gaps.every((gap) => Math.abs(gap / step - Math.round(gap / step)) < 0.05)
  return isEven ? Math.min(20, Math.max(0, Math.ceil(-Math.log10(step) + 1))) : null
}
