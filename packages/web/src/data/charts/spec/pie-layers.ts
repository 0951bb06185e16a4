import { ellipsize } from '@quarterdeck/protocol'
import type { Drawing } from '../chart-drawing.ts'
import { shortNumber } from '../number-label.ts'
import { type ChartTheme, shades } from './chart-theme.ts'
import { type Datum, datumOf, type SpecParts, widthOf } from './spec-parts.ts'

/** Slices with a label beside the pie, so that even a thin slice has its name and share. */
export function pieLayers(drawing: Drawing, theme: ChartTheme, width: number): SpecParts {
  const total = drawing.marks.reduce((sum, { y }) => sum + y, 0)
  const data = drawing.marks.map((mark, place) => {
    const share = total === 0 ? 0 : (mark.y / total) * 100
    const text = `${ellipsize(mark.name, 28)}  ${Number(share.toPrecision(3))} %  (${shortNumber(mark.y)})`
    return { ...datumOf(drawing, mark), text, place }
  })
  const names = data.map(({ text }) => text)
  const isNarrow = width < radius * 2 + Math.max(...names.map(widthOf)) + 60
  return {
    layer: [
      {
        data: { values: data },
        mark: { type: 'arc', outerRadius: radius, stroke: theme.surface, strokeWidth: 1.5 },
        encoding: {
          theta: { field: 'y', type: 'quantitative', stack: true },
          order: { field: 'place', type: 'quantitative' },
          color: {
            field: 'text',
            type: 'nominal',
            title: null,
            sort: names,
            scale: { domain: names, range: colorsOf(data, theme) },
            legend: { columns: 1 },
          },
          tooltip: { field: 'label', type: 'nominal' },
        },
      },
    ],
    height: 200,
    labelWidth: 0,
    legend: isNarrow ? 'bottom' : 'right',
  }
}

const radius = 92

/** Named slices are shades of one color; all others are grey. */
function colorsOf(data: readonly Datum[], theme: ChartTheme): string[] {
  const palest = shades(theme.accent, theme.surface, 11)[6] ?? theme.accent
  const named = shades(theme.accent, palest, data.filter(({ group }) => group === 'one').length)
  return data.map(({ group }, place) => (group === 'others' ? theme.rest : (named[place] ?? theme.accent)))
}
