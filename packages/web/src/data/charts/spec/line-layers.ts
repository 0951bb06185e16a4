import { ellipsize } from '@quarterdeck/protocol'
import type { Drawing } from '../chart-drawing.ts'
import { shortNumber } from '../number-label.ts'
import { scaleDomains } from '../scale-domains.ts'
import type { ChartTheme } from './chart-theme.ts'
import {
  type Datum,
  datumOf,
  type Layer,
  numberAxis,
  type SpecParts,
  sizeEncoding,
  timeAxis,
  titleOfX,
  widthOf,
} from './spec-parts.ts'

const height = 210
const dashes = [
  [1, 0],
  [5, 3],
  [1.5, 3],
  [8, 3, 2, 3],
  [10, 4],
  [3, 2],
  [1, 5],
]
const dotsUpTo = 40

/** One line in the accent color, the others grey and dashed, each labelled at its end. */
export function lineLayers(drawing: Drawing, theme: ChartTheme): SpecParts {
  const [highlighted = '', ...rest] = drawing.series
  const { y: domain } = scaleDomains(drawing)
  const data = drawing.marks.map((mark) => datumOf(drawing, mark))
  const first = data.filter(({ series }) => series === highlighted)
  const x = xEncoding(drawing)
  const y = sizeEncoding(drawing, domain)
  const layer: Layer[] = []
  if (rest.length > 0) {
    const range = rest.map((_, index) => dashes[index % dashes.length] ?? [1, 0])
    layer.push({
      data: { values: data.filter(({ series }) => series !== highlighted) },
      mark: { type: 'line', strokeJoin: 'round', color: theme.rest, strokeWidth: 1.5, tooltip: null },
      encoding: {
        x,
        y,
        strokeDash: { field: 'series', type: 'nominal', scale: { domain: rest, range }, legend: null },
      },
    })
  }
  // The highlighted line is drawn on top.
  layer.push({
    data: { values: first },
    mark: { type: 'line', strokeJoin: 'round', color: theme.accent, strokeWidth: 2.5, tooltip: null },
    encoding: { x, y },
  })
  if (first.length <= dotsUpTo) {
    const dot = { fill: theme.surface, stroke: theme.accent, strokeWidth: 1.75, size: 34, opacity: 1 }
    layer.push({
      data: { values: first },
      mark: { type: 'point', filled: true, ...dot },
      encoding: { x, y, tooltip: { field: 'label', type: 'nominal' } },
    })
  }
  const ends = rest.length > 0 ? endLabels(data, drawing.series, domain) : []
  const textStyle = { type: 'text', align: 'left', baseline: 'middle', dx: 10, fontSize: 11, tooltip: null } as const
  const beside = {
    x: { value: 'width' as const },
    y: { ...y, field: 'at' },
    text: { field: 'text', type: 'nominal' as const },
  }
  if (ends.length > 0) {
    const own = ends.filter(({ series }) => series === highlighted)
    const others = ends.filter(({ series }) => series !== highlighted)
    layer.push(
      { data: { values: others }, mark: { ...textStyle, color: theme.muted }, encoding: beside },
      { data: { values: own }, mark: { ...textStyle, color: theme.accent, fontWeight: 600 }, encoding: beside },
    )
  }
  return { layer, height, labelWidth: Math.max(0, ...ends.map(({ text }) => widthOf(text) + 8)), legend: 'top' }
}

function xEncoding(drawing: Drawing) {
  const { scale, names, marks } = drawing
  const title = titleOfX(drawing)
  const positions = marks.map(({ at }) => at ?? 0)
  if (scale.kind === 'time') {
    const axis = { grid: false, ...timeAxis(positions, scale.step) }
    return { field: 'x', type: 'temporal' as const, title, scale: { type: 'utc' as const }, axis }
  }
  if (scale.kind === 'names') {
    const axis = { grid: false, labelAngle: 0, labelOverlap: true as const }
    return { field: 'x', type: 'ordinal' as const, title, sort: [...names], axis }
  }
  const axis = { grid: false, ...numberAxis(positions) }
  return { field: 'x', type: 'quantitative' as const, title, scale: { zero: false, nice: false }, axis }
}

interface EndLabel {
  readonly series: string
  readonly text: string
  /** The position of the label on the value scale. */
  readonly at: number
}

const lineGap = 14
const nameLength = 22

/** The name and last value of each line. Labels of lines that end close together are moved apart. */
function endLabels(
  data: readonly Datum[],
  series: readonly string[],
  [low, high]: readonly [number, number],
): readonly EndLabel[] {
  const ends = series.flatMap((name) => {
    const end = data.findLast((datum) => datum.series === name)
    if (end === undefined) return []
    const text = `${ellipsize(name, nameLength)} ${shortNumber(end.y)}`
    return [{ series: name, text, pixel: ((high - end.y) / (high - low)) * height }]
  })
  const sorted = ends.toSorted((one, other) => one.pixel - other.pixel)
  let above = -lineGap
  return sorted.map(({ series, text, pixel }, index) => {
    const lowest = height - (sorted.length - 1 - index) * lineGap
    above = Math.min(Math.max(pixel, above + lineGap), Math.max(lowest, above + lineGap))
    return { series, text, at: high - (above / height) * (high - low) }
  })
}
