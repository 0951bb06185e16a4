import type { Drawing } from '../drawing-of.ts'
import { scaleDomains } from '../scale-domains.ts'
import type { ChartTheme } from './chart-theme.ts'
import { datumOf, isYears, numberFormat, type SpecParts, seriesColors, titleOf } from './spec-parts.ts'

const shapes = ['circle', 'square', 'triangle-up', 'cross', 'diamond', 'triangle-down']

export function scatterLayers(drawing: Drawing, theme: ChartTheme): SpecParts {
  const { series, columns, scale, marks } = drawing
  const domains = scaleDomains(drawing)
  const title = columns.x === null ? null : titleOf(columns.x.name)
  const positions = marks.map(({ at }) => at ?? 0)
  const x =
    scale.kind === 'time'
      ? { field: 'x', type: 'temporal' as const, title, scale: { type: 'utc' as const } }
      : {
          field: 'x',
          type: 'quantitative' as const,
          title,
          scale: { domain: [...(domains.x ?? [0, 1])], nice: false },
          axis: { format: isYears(positions) ? 'd' : numberFormat(positions), tickCount: 6 },
        }
  const names = [...series]
  const groups =
    names.length === 0
      ? { color: { value: theme.accent } }
      : {
          color: {
            field: 'series',
            type: 'nominal' as const,
            title: null,
            scale: { domain: names, range: seriesColors(theme, names.length) },
          },
          shape: { field: 'series', type: 'nominal' as const, title: null, scale: { domain: names, range: shapes } },
        }
  return {
    layer: [
      {
        data: { values: marks.map((mark) => datumOf(drawing, mark)) },
        mark: { type: 'point', filled: true, size: 30, opacity: 0.75 },
        encoding: {
          x,
          y: {
            field: 'y',
            type: 'quantitative',
            title: titleOf(drawing.yTitle),
            scale: { domain: [...domains.y], nice: false },
            axis: { format: numberFormat([...domains.y]), tickCount: 5, domain: false, ticks: false },
          },
          ...groups,
          tooltip: { field: 'label', type: 'nominal' },
        },
      },
    ],
    height: 260,
    labelWidth: 0,
    legend: 'top',
  }
}
