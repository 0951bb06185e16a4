import { type ChartTheme, shades } from './chart-theme.ts'
import type { Drawing } from './drawing-of.ts'
import { shortNumber } from './short-number.ts'
import { datumOf, type SpecParts } from './spec-parts.ts'

/** Parts of a whole, named with their share beside it: no part is too thin for its name. */
export function pieLayers(drawing: Drawing, theme: ChartTheme): SpecParts {
  const total = drawing.marks.reduce((sum, { y }) => sum + y, 0)
  const data = drawing.marks.map((mark, place) => {
    const share = total === 0 ? 0 : (mark.y / total) * 100
    const text = `${mark.name.length > 28 ? `${mark.name.slice(0, 27)}…` : mark.name}  ${Number(share.toPrecision(3))} %  (${shortNumber(mark.y)})`
    return { ...datumOf(drawing, mark), text, place }
  })
  const names = data.map(({ text }) => text)
  return {
    layer: [
      {
        data: { values: data },
        mark: { type: 'arc', outerRadius: 92, stroke: theme.surface, strokeWidth: 1.5 },
        encoding: {
          theta: { field: 'f1', type: 'quantitative', stack: true },
          order: { field: 'place', type: 'quantitative' },
          color: {
            field: 'text',
            type: 'nominal',
            title: null,
            sort: names,
            scale: {
              domain: names,
              range: [theme.accent, ...shades(theme.text2, theme.rest, Math.max(0, names.length - 1))],
            },
          },
          tooltip: { field: 'f3', type: 'nominal' },
        },
      },
    ],
    height: 200,
    room: 0,
    legend: 'right',
  }
}
