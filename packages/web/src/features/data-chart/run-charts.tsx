import type { ChartChoice, Run } from '../../analysis/analysis.ts'
import type { Rows } from '../../analysis/cells.ts'
import { choicesOf, chosenCharts } from '../../analysis/chart/choices-of.ts'
import { ChartFrame } from './chart-frame.tsx'

interface RunChartsProps {
  readonly run: Run
  /** The rows of the good steps, by their numbers; `rowCount` where they are not all here. */
  readonly rowsByStep: ReadonlyMap<number, Rows & { readonly rowCount?: number | null }>
  readonly onChoose: (index: number, choice: ChartChoice) => Promise<void>
}

/** The charts of an answer, in its order. */
export function RunCharts({ run, rowsByStep, onChoose }: RunChartsProps) {
  if (run.answer === null) return null
  const originals = choicesOf(run.answer, rowsByStep)
  const choices = chosenCharts(run, rowsByStep)

  async function choose(index: number, choice: ChartChoice): Promise<void> {
    // They are kept in a row without gaps: those before it first.
    for (let before = run.charts.length; before < index; before += 1) {
      const same = choices[before]
      if (same !== undefined) await onChoose(before, same)
    }
    await onChoose(index, choice)
  }

  return choices.map((choice, index) => {
    const rows = rowsByStep.get(choice.sourceStep)
    const key = `${run.id}-${index}`
    if (rows === undefined) {
      return (
        <p className="chart-note" key={key}>
          Step {choice.sourceStep} has no rows, so there is nothing to draw from it.
        </p>
      )
    }
    return (
      <ChartFrame
        key={key}
        choice={choice}
        original={originals[index] ?? choice}
        rows={rows}
        found={foundRows(rows)}
        onChange={(next) => void choose(index, next)}
      />
    )
  })
}

const foundRows = ({ rows, rowCount }: Rows & { readonly rowCount?: number | null }): number | null =>
  rowCount === undefined ? rows.length : rowCount
