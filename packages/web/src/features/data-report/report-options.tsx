import { visibleText } from '@quarterdeck/protocol'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Analysis } from '../../analysis/analysis.ts'
import { mostReportRows, type ReportOptions } from '../../analysis/export/report.ts'
import { Button } from '../../ui/button.tsx'

interface ReportOptionsFormProps {
  readonly analysis: Analysis
  /** Every question, in the order they stand. */
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

  function move(place: number, by: -1 | 1): void {
    const [one, other] = [order[place], order[place + by]]
    if (one === undefined || other === undefined) return
    keepOrder(new Set(options.runIds), order.with(place, other).with(place + by, one))
  }

  return (
    <form className="report-options" onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>What is in it</legend>
        {parts.map(([name, words, detail]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={options[name] && (name !== 'rows' || options.steps)}
              disabled={name === 'rows' && !options.steps}
              onChange={({ target }) => onOptions({ ...options, [name]: target.checked }, order)}
            />
            <span>
              {words} <span className="muted">{detail}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>Questions</legend>
        {order.map((id, place) => {
          const question = visibleText(analysis.runs.find((run) => run.id === id)?.question ?? '')
          return (
            <div className="report-question" key={id}>
              <label className="grow">
                <input
                  type="checkbox"
                  checked={options.runIds.includes(id)}
                  onChange={({ target }) => choose(id, target.checked)}
                />
                <span>{question}</span>
              </label>
              <Button
                look={['s', 'quiet', 'square']}
                aria-label={`Move up: ${question}`}
                disabled={place === 0}
                onClick={() => move(place, -1)}
              >
                <ArrowUp className="icon s" aria-hidden="true" />
              </Button>
              <Button
                look={['s', 'quiet', 'square']}
                aria-label={`Move down: ${question}`}
                disabled={place === order.length - 1}
                onClick={() => move(place, 1)}
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
