import type { ChartTheme } from './chart-theme.ts'
import type { Drawing } from './drawing-of.ts'
import { scaleDomains } from './scale-domains.ts'
import { shortNumber } from './short-number.ts'
import {
  datumOf,
  type Layer,
  numberFormat,
  type SpecParts,
  seriesColours,
  timeAxis,
  titleOf,
  widthOf,
} from './spec-parts.ts'

const height = 210
const [rowHeight, barHeight] = [26, 14]
/** Names that are longer, or more of them, are read more easily down the side. */
const [longName, manyNames] = [14, 10]
const figuresUpTo = 24

/** From zero, always. Names that need room stand at the left and the bars lie down. */
export function barLayers(drawing: Drawing, theme: ChartTheme): SpecParts {
  const time = timeUnitOf(drawing)
  const series = [...drawing.series]
  const { y: domain } = scaleDomains(drawing)
  const data = drawing.marks.map((mark) => ({ ...datumOf(drawing, mark), ...(time === null ? { f0: mark.name } : {}) }))
  const isLying =
    time === null && (drawing.names.length > manyNames || drawing.names.some(({ length }) => length > longName))
  const title = drawing.columns.x === null ? null : titleOf(drawing.columns.x.name)
  const place =
    time === null
      ? {
          field: 'f0',
          type: 'nominal' as const,
          title: isLying ? null : title,
          sort: [...drawing.names],
          axis: {
            grid: false,
            ticks: false,
            domain: true,
            labelAngle: 0,
            labelOverlap: true as const,
            labelPadding: 6,
          },
        }
      : {
          field: 'f0',
          type: 'temporal' as const,
          timeUnit: time.unit,
          title,
          axis: {
            grid: false,
            ...timeAxis(
              data.map(({ f0 }) => Number(f0)),
              time.step,
            ),
          },
        }
  const size = {
    field: 'f1',
    type: 'quantitative' as const,
    title: titleOf(drawing.yTitle),
    scale: { domain: [...domain], nice: false },
    axis: { format: numberFormat([...domain]), tickCount: 5, domain: false, ticks: false },
    stack: null,
  }
  const colour =
    series.length > 0
      ? {
          field: 'f2',
          type: 'nominal' as const,
          title: null,
          scale: { domain: series, range: seriesColours(theme, series.length) },
        }
      : {
          field: 'f4',
          type: 'nominal' as const,
          legend: null,
          scale: { domain: ['one', 'others'], range: [theme.accent, theme.rest] },
        }
  const beside = series.length > 0 ? { field: 'f2', type: 'nominal' as const, sort: series } : null
  const [x, y] = isLying ? [size, place] : [place, size]
  const hasFigures =
    series.length === 0 && data.length <= figuresUpTo && (domain[0] ?? 0) >= 0 && (isLying || data.length <= manyNames)
  const layer: Layer[] = [
    {
      data: { values: data },
      mark: { type: 'bar', cornerRadiusEnd: 2, ...(time === null ? {} : { width: { band: 0.8 } }) },
      encoding: {
        x,
        y,
        color: colour,
        tooltip: { field: 'f3', type: 'nominal' },
        ...(beside === null ? {} : isLying ? { yOffset: beside } : { xOffset: beside }),
      },
    },
  ]
  if (hasFigures) {
    const words = isLying
      ? ({ align: 'left', baseline: 'middle', dx: 5 } as const)
      : ({ align: 'center', baseline: 'bottom', dy: -3 } as const)
    layer.push({
      data: { values: data.map(({ f0, f1 }) => ({ f0, f1, text: shortNumber(f1) })) },
      mark: { type: 'text', fontSize: 11, color: theme.muted, tooltip: null, ...words },
      encoding: { x, y, text: { field: 'text', type: 'nominal' } },
    })
  }
  const rows = drawing.names.length * Math.max(rowHeight, series.length * barHeight + 8)
  const room = hasFigures && isLying ? Math.max(...data.map(({ f1 }) => widthOf(shortNumber(f1)))) : 0
  return { layer, height: isLying ? Math.max(80, rows) : height, room, legend: 'top' }
}

const slotMs = { year: 31_556_952_000, month: 2_629_746_000, day: 86_400_000 }

const units = { year: 'utcyear', month: 'utcyearmonth', day: 'utcyearmonthdate' } as const

/** Bars stand in time where they fill it; else each beside the next, by its name. */
function timeUnitOf({ scale, marks, names, series }: Drawing) {
  if (scale.kind !== 'time' || scale.step === 'moment' || series.length > 0) return null
  const places = marks.map(({ at }) => at).filter((at) => at !== null)
  if (places.length < marks.length) return null
  const span = Math.max(...places) - Math.min(...places)
  if (names.length < 3 || names.length < (span / slotMs[scale.step]) * 0.5) return null
  return { unit: units[scale.step], step: scale.step }
}
