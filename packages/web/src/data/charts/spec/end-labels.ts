import { shortNumber } from '../number-label.ts'
import type { Datum } from './spec-parts.ts'

export interface EndLabel {
  readonly f2: string
  readonly text: string
  /** The position of the label on the value scale. */
  readonly at: number
}

interface Plot {
  readonly domain: readonly [number, number]
  readonly height: number
}

const lineGap = 14
const nameLength = 22

/** The name and last value of each line. Labels of lines that end close together are moved apart. */
export function endLabels(data: readonly Datum[], series: readonly string[], plot: Plot): readonly EndLabel[] {
  const [low, high] = plot.domain
  const ends = series.flatMap((name) => {
    const end = data.findLast(({ f2 }) => f2 === name)
    if (end === undefined) return []
    const cut = name.length > nameLength ? `${name.slice(0, nameLength - 1)}…` : name
    return [{ f2: name, text: `${cut} ${shortNumber(end.f1)}`, pixel: ((high - end.f1) / (high - low)) * plot.height }]
  })
  const sorted = ends.toSorted((one, other) => one.pixel - other.pixel)
  let above = -lineGap
  return sorted.map(({ f2, text, pixel }, index) => {
    const lowest = plot.height - (sorted.length - 1 - index) * lineGap
    above = Math.min(Math.max(pixel, above + lineGap), Math.max(lowest, above + lineGap))
    return { f2, text, at: high - (above / plot.height) * (high - low) }
  })
}
