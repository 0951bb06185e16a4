import { sentence } from '../../../components/format/sentence.ts'
import { chartChoices, chosenCharts } from '../../charts/chosen-charts.ts'
import type { ChartChoice, Run } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { useChanges } from '../controls/use-changes.ts'
import { ChartFrame } from './chart-frame.tsx'

interface RunChartsProps {
  readonly run: Run
  /** The rows of successful steps by number. Absent while they are loading. */
  readonly rowsByStep: ReadonlyMap<number, Rows & { readonly rowCount: number | null }> | undefined
  readonly onChoose: (runId: string, index: number, choice: ChartChoice) => Promise<void>
}

/** The charts of an answer, in order. */
export function RunCharts({ run, rowsByStep, onChoose }: RunChartsProps) {
  const changing = useChanges()
  if (run.answer === null || rowsByStep === undefined) return null
  const originals = chartChoices(run.answer, rowsByStep)
  return (
    <>
      {chosenCharts(run, rowsByStep).map((choice, index) => {
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
            onChange={(next) => changing.make(() => onChoose(run.id, index, next))}
          />
        )
      })}
      {changing.failure !== null && (
        <p className="chart-note" role="alert">
          {sentence(`The chart was not changed: ${changing.failure.message}`)}
        </p>
      )}
    </>
  )
}
