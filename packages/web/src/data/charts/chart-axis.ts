import { visibleText } from '@quarterdeck/protocol'
import { cellText } from '../domain/cell-text.ts'
import type { Cell, Rows } from '../domain/cells.ts'
import type { IndexedColumn } from './chart-columns.ts'
import { momentLabel, momentOf, type TimeStep, timeStep } from './chart-time.ts'
import { edgeDecimals } from './edge-decimals.ts'
import { roundedLabel } from './number-label.ts'

/** How the values of x lie beside each other: as names, on a scale of numbers, or in time. */
export type XScale =
  | { readonly kind: 'names'; readonly decimals?: number | null }
  | { readonly kind: 'numbers'; readonly decimals: number | null }
  | { readonly kind: 'time'; readonly step: TimeStep }

export function xScaleOf({ rows }: Rows, x: IndexedColumn): XScale {
  const cells = rows.map((row) => row[x.columnIndex] ?? null).filter((cell) => cell !== null)
  if (x.kind === 'number') return { kind: 'numbers', decimals: edgeDecimals(cells) }
  // Text that is a day or moment in every row counts as one: that is how SQL writes months.
  if (x.kind !== 'date' && x.kind !== 'text') return { kind: 'names' }
  const moments = cells.map((cell) => (typeof cell === 'string' ? momentOf(cell) : null))
  const found = moments.filter((ms) => ms !== null)
  return found.length === cells.length && found.length > 0 ? { kind: 'time', step: timeStep(found) } : { kind: 'names' }
}

/** Its place on a scale; `null` where it has none. */
export function positionOn(scale: XScale, cell: Cell): number | null {
  if (scale.kind === 'time') return typeof cell === 'string' ? momentOf(cell) : null
  if (scale.kind === 'names' || (typeof cell !== 'number' && typeof cell !== 'bigint')) return null
  const value = Number(cell)
  return Number.isFinite(value) ? value : null
}

/** In words, on one line, with nothing in it that hides or turns text. */
export function nameOf(cell: Cell, scale: XScale = { kind: 'names' }): string {
  if (cell === null) return '(empty)'
  const ms = scale.kind === 'time' && typeof cell === 'string' ? momentOf(cell) : null
  if (ms !== null && scale.kind === 'time') return momentLabel(ms, scale.step)
  if (typeof cell === 'number' && scale.kind === 'names' && typeof scale.decimals === 'number') {
    return roundedLabel(cell, { maximumFractionDigits: scale.decimals })
  }
  return visibleText(cellText(cell)).replace(/\s+/g, ' ').trim() || '(blank)'
}
