import type { Drawing } from '../chart-drawing.ts'
import { scaleDomains } from '../scale-domains.ts'
import type { ChartTheme } from './chart-theme.ts'
import { datumOf, numberAxis, type SpecParts, seriesColor, sizeEncoding, titleOfX } from './spec-parts.ts'

const shapes = ['circle', 'square', 'triangle-up', 'cross', 'diamond', 'triangle-down']

export function scatterLayers(drawing: Drawing, theme: ChartTheme): SpecParts {
  const { series, scale, marks } = drawing
  const domains = scaleDomains(drawing)
  const title = titleOfX(drawing)
  const x =
    scale.kind === 'time'
      ? { field: 'x', type: 'temporal' as const, title, scale: { type: 'utc' as const } }
      : {
          field: 'x',
          type: 'quantitative' as const,
          title,
          scale: { domain: [...(domains.x ?? [0, 1])], nice: false },
          axis: numberAxis(marks.map(({ at }) => at ?? 0)),
        }
  const color = seriesColor(series, theme)
  const groups =
    series.length === 0
      ? { color: { value: theme.accent } }
      : { color, shape: { ...color, scale: { domain: [...series], range: shapes } } }
  return {
    layer: [
      {
        data: { values: marks.map((mark) => datumOf(drawing, mark)) },
        mark: { type: 'point', filled: true, size: 30, opacity: 0.75 },
        encoding: { x, y: sizeEncoding(drawing, domains.y), ...groups, tooltip: { field: 'label', type: 'nominal' } },
      },
    ],
    height: 260,
    labelWidth: 0,
    legend: 'top',
  }
}
