import { formatCount } from '@quarterdeck/protocol'
import type { Drawing } from '../chart-drawing.ts'
import { shortNumber } from '../number-label.ts'
import { scaleDomains } from '../scale-domains.ts'
import type { ChartTheme } from './chart-theme.ts'
import {
  type Datum,
  datumOf,
  type Layer,
  type SpecParts,
  seriesColor,
  sizeEncoding,
  timeAxis,
  titleOfX,
  widthOf,
} from './spec-parts.ts'

const height = 210
const [rowHeight, barHeight] = [26, 14]
/** Longer or more names are easier to read on the side. */
const [longName, manyNames] = [14, 10]
const figuresUpTo = 24

/** Always from zero. If names need space, they are on the left and the bars are horizontal. */
export function barLayers(drawing: Drawing, theme: ChartTheme, width: number): SpecParts {
  const time = timesOf(drawing)
  const series = [...drawing.series]
  const data = drawing.marks.map((mark) => ({ ...datumOf(drawing, mark), ...(time === null ? { x: mark.name } : {}) }))
  const isHorizontal =
    time === null && (drawing.names.length > manyNames || drawing.names.some(({ length }) => length > longName))
  const { y: domain } = scaleDomains(drawing)
  const position = time === null ? namedPosition(drawing, isHorizontal) : timePosition(drawing, time)
  const size = { ...sizeEncoding(drawing, domain), stack: null }
  const [x, y] = isHorizontal ? [size, position] : [position, size]
  const beside = series.length > 0 ? { field: 'series', type: 'nominal' as const, sort: series } : null
  const labels = data.map(({ y }) => shortNumber(y))
  const widest = Math.max(...labels.map(widthOf))
  const slots = time === null ? drawing.names.length : time.slots
  const hasFigures =
    series.length === 0 &&
    data.length <= figuresUpTo &&
    domain[0] >= 0 &&
    (isHorizontal || widest + figureGap <= plotWidth(width, domain) / slots)
  const bars: Layer = {
    data: { values: time === null ? data : data.map((datum) => ({ ...datum, ...spanOf(datum, time) })) },
    mark: { type: 'bar', cornerRadiusEnd: 2, ...(time === null ? {} : { orient: 'vertical' as const }) },
    encoding: {
      ...(time === null ? { x } : { x: { ...x, field: 'from' }, x2: { field: 'to' } }),
      y,
      color: colorOf(series, theme),
      tooltip: { field: 'label', type: 'nominal' },
      ...(beside === null ? {} : isHorizontal ? { yOffset: beside } : { xOffset: beside }),
    },
  }
  const figures: Layer = {
    data: { values: data.map(({ x, y }, at) => ({ x, y, text: labels[at] })) },
    mark: {
      type: 'text',
      fontSize: 11,
      color: theme.muted,
      tooltip: null,
      ...(isHorizontal ? labelBesideBar : aboveBar),
    },
    encoding: { x, y, text: { field: 'text', type: 'nominal' } },
  }
  const rows = drawing.names.length * Math.max(rowHeight, series.length * barHeight + 8)
  return {
    layer: hasFigures ? [bars, figures] : [bars],
    height: isHorizontal ? Math.max(80, rows) : height,
    labelWidth: hasFigures && isHorizontal ? widest : 0,
    legend: 'top',
  }
}

const labelBesideBar = { align: 'left', baseline: 'middle', dx: 5 } as const
const aboveBar = { align: 'center', baseline: 'bottom', dy: -3 } as const
const figureGap = 4

/** The approximate width for the bars without axis, title and padding. */
const plotWidth = (width: number, domain: readonly number[]): number =>
  width - Math.max(...domain.map((value) => widthOf(formatCount(value)))) - 44

const namedPosition = (drawing: Drawing, isHorizontal: boolean) => ({
  field: 'x',
  type: 'nominal' as const,
  title: isHorizontal ? null : titleOfX(drawing),
  sort: [...drawing.names],
  axis: { grid: false, ticks: false, domain: true, labelAngle: 0, labelOverlap: true as const, labelPadding: 6 },
})

const timePosition = (drawing: Drawing, { step, first, last }: Times) => ({
  field: 'x',
  type: 'temporal' as const,
  title: titleOfX(drawing),
  scale: { type: 'utc' as const, nice: false, padding: 4 },
  axis: { grid: false, ...timeAxis([first, last], step) },
})

/** Centered on its time, so that name, bar and figure align and the axis ends with the last bar. */
const spanOf = ({ x }: Pick<Datum, 'x'>, { step }: Times) => ({
  from: Number(x) - slotMs[step] * 0.4,
  to: Number(x) + slotMs[step] * 0.4,
})

const colorOf = (series: readonly string[], theme: ChartTheme) =>
  series.length > 0
    ? seriesColor(series, theme)
    : {
        field: 'group',
        type: 'nominal' as const,
        legend: null,
        scale: { domain: ['one', 'others'], range: [theme.accent, theme.rest] },
      }

type Times = NonNullable<ReturnType<typeof timesOf>>

const slotMs = { year: 31_556_952_000, month: 2_629_746_000, day: 86_400_000 }

/** Bars are placed on a time scale if they fill it, otherwise next to each other by name. */
function timesOf({ scale, marks, names, series }: Drawing) {
  if (scale.kind !== 'time' || scale.step === 'moment' || series.length > 0) return null
  const positions = marks.map(({ at }) => at).filter((at) => at !== null)
  if (positions.length < marks.length) return null
  const [first, last] = [Math.min(...positions), Math.max(...positions)]
  const slots = Math.round((last - first) / slotMs[scale.step]) + 1
  if (names.length < 3 || names.length < slots * 0.5) return null
  return { step: scale.step, first, last, slots }
}
