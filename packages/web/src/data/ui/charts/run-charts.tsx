import { choicesOf, chosenCharts } from '../../charts/choices-of.ts'
import type { ChartChoice, Run } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { ChartFrame } from './chart-frame.tsx'

interface RunChartsProps {
  readonly run: Run
  /** The rows of successful steps by number. */
  readonly rowsByStep: ReadonlyMap<number, Rows & { readonly rowCount: number | null }>
  readonly onChoose: (index: number, choice: ChartChoice) => void
}

/** The charts of an answer, in order. */
export function RunCharts({ run, rowsByStep, onChoose }: RunChartsProps) {
  if (run.answer === null) return null
  const originals = choicesOf(run.answer, rowsByStep)
  const choices = chosenCharts(run, rowsByStep)

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
        totalRows={rows.rowCount}
        onChange={(next) => onChoose(index, next)}
      />
    )
  })
}
