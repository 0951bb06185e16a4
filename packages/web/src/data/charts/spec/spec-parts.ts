// Parts of the spec that all chart types share.
import { ellipsize } from '@quarterdeck/protocol'
import type { TopLevelSpec } from 'vega-lite'
import { nameOf } from '../chart-axis.ts'
import type { Drawing } from '../chart-drawing.ts'
import type { Mark } from '../chart-marks.ts'
import type { TimeStep } from '../chart-time.ts'
import { shortNumber } from '../number-label.ts'
import { type ChartTheme, shades } from './chart-theme.ts'

export type Layer = Extract<TopLevelSpec, { readonly layer: unknown }>['layer'][number]

export interface SpecParts {
  readonly layer: readonly Layer[]
  readonly height: number
  /** Pixels on the right for labels. */
  readonly labelWidth: number
  readonly legend: 'top' | 'right' | 'bottom'
}

export interface Datum {
  readonly x: string | number
  readonly y: number
  readonly series: string
  readonly label: string
  /** `others` is the mark that adds up all others. */
  readonly group: 'one' | 'others'
}

export function datumOf(drawing: Drawing, mark: Mark): Datum {
  const { name, at, series, x, y } = mark
  const isOthers = x === null && name.endsWith(' others')
  return {
    x: drawing.scale.kind === 'names' || at === null ? name : at,
    y,
    series: series ?? '',
    label: [series, name, `${titleOf(drawing.yTitle)} ${shortNumber(y)}`].filter((part) => part !== null).join(', '),
    group: isOthers ? 'others' : 'one',
  }
}

/** Titles are one short line, regardless of the name of the column. */
export const titleOf = (name: string): string => ellipsize(nameOf(name), 60)

/** Round steps of the numbers; large ones with k and M. */
function numberFormat(values: readonly number[]): string {
  const high = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return high >= 10_000_000 ? '~s' : ',~r'
}

/** The size of a mark along the given axis, which is rounded already. */
export const sizeEncoding = ({ yTitle }: Drawing, domain: readonly number[]) => ({
  field: 'y',
  type: 'quantitative' as const,
  title: titleOf(yTitle),
  scale: { domain: [...domain], nice: false },
  axis: { format: numberFormat(domain), tickCount: 5, domain: false, ticks: false },
})

/** Years have no thousands separator. */
export function numberAxis(values: readonly number[]) {
  const areYears = values.every((value) => Number.isInteger(value) && value >= 1000 && value < 3000)
  return { format: areYears ? 'd' : numberFormat(values), tickCount: 6 }
}

/** The title of the x axis, if there is one. */
export const titleOfX = ({ columns }: Drawing): string | null => (columns.x === null ? null : titleOf(columns.x.name))

const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600]

/** Labels of a time axis: years and months by name, shorter times in Vega's format. */
export function timeAxis(moments: readonly number[], step: TimeStep) {
  const first = moments.reduce((one, other) => Math.min(one, other))
  const last = moments.reduce((one, other) => Math.max(one, other))
  const months = (last - first) / 2_629_746_000
  if (step === 'moment') return { tickCount: 6 }
  if (step === 'day' && months < 2) {
    // With few days, each gets one tick: six ticks would fall on hours and repeat a day.
    const isShort = last - first < 7 * 86_400_000
    return { format: '%b %-d, %Y', tickCount: isShort ? { interval: 'day' as const, step: 1 } : 6 }
  }
  const every = monthSteps.find((count) => months / count <= 7) ?? 1200
  return every < 12 && step !== 'year'
    ? { format: '%b %Y', tickCount: { interval: 'month' as const, step: every } }
    : { format: '%Y', tickCount: { interval: 'year' as const, step: Math.max(1, every / 12) } }
}

/** One highlighted color; the others are distinguishable greys. */
export const seriesColor = (series: readonly string[], theme: ChartTheme) => ({
  field: 'series',
  type: 'nominal' as const,
  title: null,
  scale: {
    domain: [...series],
    range: [theme.accent, ...shades(theme.rest, theme.text2, Math.max(0, series.length - 1))],
  },
})

/** The approximate width of chart text. */
export const widthOf = (text: string): number => Math.ceil(text.length * 6.4)
