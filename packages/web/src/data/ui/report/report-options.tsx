import { visibleText } from '@quarterdeck/protocol'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import type { Analysis } from '../../domain/analysis.ts'
import { mostReportRows, type ReportOptions } from '../../export/report.ts'
import { Checkbox } from '../controls/checkbox.tsx'

interface ReportOptionsFormProps {
  readonly analysis: Analysis
  /** All questions, in order. */
  readonly order: readonly string[]
  readonly options: ReportOptions
  readonly onOptions: (options: ReportOptions, order: readonly string[]) => void
}

const parts = [
  ['answers', 'Answers', 'with their caveats'],
  ['charts', 'Charts', 'and the numbers they draw'],
  ['steps', 'Steps', 'with their SQL or code'],
  ['rows', 'Rows', `the first ${mostReportRows} of each step: data of your files`],
] as const

export function ReportOptionsForm({ analysis, order, options, onOptions }: ReportOptionsFormProps) {
  const keepOrder = (chosen: ReadonlySet<string>, next: readonly string[]) =>
    onOptions({ ...options, runIds: next.filter((id) => chosen.has(id)) }, next)

  function choose(id: string, isChosen: boolean): void {
    const chosen = new Set(options.runIds)
    if (isChosen) chosen.add(id)
    else chosen.delete(id)
    keepOrder(chosen, order)
  }

  function move(index: number, by: -1 | 1): void {
    const [one, other] = [order[index], order[index + by]]
    if (one === undefined || other === undefined) return
    keepOrder(new Set(options.runIds), order.with(index, other).with(index + by, one))
  }

  return (
    <form className="report-options" onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>Contents</legend>
        {parts.map(([name, caption, detail]) => (
          <Checkbox
            key={name}
            checked={options[name] && (name !== 'rows' || options.steps)}
            disabled={name === 'rows' && !options.steps}
            onChange={(isIn) => onOptions({ ...options, [name]: isIn }, order)}
          >
            <span>
              {caption} <span className="muted">{detail}</span>
            </span>
          </Checkbox>
        ))}
      </fieldset>
      <fieldset>
        <legend>Questions</legend>
        {order.map((id, index) => {
          const question = visibleText(analysis.runs.find((run) => run.id === id)?.question ?? '')
          return (
            <div className="report-question" key={id}>
              <Checkbox
                className="grow"
                checked={options.runIds.includes(id)}
                onChange={(isChosen) => choose(id, isChosen)}
              >
                <span>{question}</span>
              </Checkbox>
              <Button
                variant={['s', 'quiet', 'square']}
                aria-label={`Move up: ${question}`}
                disabled={index === 0}
                onClick={() => move(index, -1)}
              >
                <ArrowUp className="icon s" aria-hidden="true" />
              </Button>
              <Button
                variant={['s', 'quiet', 'square']}
                aria-label={`Move down: ${question}`}
                disabled={index === order.length - 1}
                onClick={() => move(index, 1)}
              >
                <ArrowDown className="icon s" aria-hidden="true" />
              </Button>
            </div>
          )
        })}
      </fieldset>
    </form>
  )
}
