import { formatCount } from '@quarterdeck/protocol'
import type { ChartChoice } from '../../domain/analysis.ts'
import type { Drawing } from '../chart-drawing.ts'
import { shortNumber } from '../number-label.ts'
import { titleOf } from './spec-parts.ts'

/** The title of a chart without a name. */
export function chartTitle(choice: ChartChoice, drawing: Drawing): string {
  if (choice.title !== null && choice.title.trim() !== '') return titleOf(choice.title)
  if (drawing.kind === 'table') return `Rows of step ${choice.sourceStep}`
  const { x } = drawing.columns
  // Capitalizes our own words but leaves column names unchanged.
  const y = drawing.choice.aggregate === 'none' && drawing.yTitle !== 'rows' ? drawing.yTitle : capital(drawing.yTitle)
  return titleOf(
    [
      titleOf(y),
      x && `by ${x.kind === 'number' ? binned(x.name) : x.name}`,
      drawing.columns.series && `and ${drawing.columns.series.name}`,
    ]
      .filter(Boolean)
      .join(' '),
  )
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** Bin columns are named after their start (`price from`), but the counted values are prices. */
const binned = (name: string): string => name.replace(/[ _]from$/i, '')

const spoken = 6

/** A text description for screen readers. The table view has all numbers. */
export function chartSummary(title: string, drawing: Drawing): string {
  const { choice, marks, series } = drawing
  if (choice.type === 'scatter') return `${title}. Scatter chart of ${formatCount(marks.length)} points.`
  if (choice.type === 'line')
    return [`${title}. Line chart.`, ...lineMarkdown(drawing), more(series.length)].join(' ').trim()
  const kind = choice.type === 'pie' ? 'Pie chart' : 'Bar chart'
  const values = marks
    .slice(0, spoken)
    .map(({ name, series: one, y }) => `${[name, one].filter(Boolean).join(', ')}: ${shortNumber(y)}`)
  return `${title}. ${kind}. ${values.join('; ')}. ${more(marks.length)}`.trim()
}

function lineMarkdown({ marks, series }: Drawing): readonly string[] {
  return (series.length === 0 ? [null] : series.slice(0, spoken)).map((name) => {
    const own = marks.filter((mark) => mark.series === name)
    const [first, last] = [own[0], own.at(-1)]
    if (first === undefined || last === undefined) return ''
    return `${name ?? 'It'} goes from ${shortNumber(first.y)} (${first.name}) to ${shortNumber(last.y)} (${last.name}).`
  })
}

const more = (count: number): string => (count > spoken ? `And ${count - spoken} more.` : '')
