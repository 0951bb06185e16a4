import { visibleText } from '@quarterdeck/protocol'
import { type ReactNode, useId, useState } from 'react'
import { type Ask, rowsAnswers, type Step } from '../../analysis/analysis.ts'
import { countWords } from '../../analysis/count-words.ts'
import { disclosureOf } from '../../analysis/disclosure.ts'
import { smallGroupsLabel } from '../../analysis/small-groups.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { StateLabel } from '../../ui/state-label.tsx'

interface AskCardProps {
  readonly ask: Ask
  /** Of the run. */
  readonly steps: readonly Step[]
  /** Who asks. */
  readonly agent: string
  /** Rejects where the answer was not taken. */
  readonly onAnswer: (to: Ask, answer: string) => Promise<void>
}

/** What a person is asked in the middle of a run. */
export function AskCard({ ask, steps, agent, onAnswer }: AskCardProps) {
  const { run, isBusy, failure } = useAction()
  const answer = (words: string) => void run(() => onAnswer(ask, words))
  const foot = failure !== null && (
    <p className="problem" role="alert">
      Not sent: {failure.message}
    </p>
  )
  return ask.kind === 'rows' ? (
    <RowsAsk
      ask={ask}
      step={steps.find(({ n }) => n === ask.step)}
      agent={agent}
      foot={foot}
      disabled={isBusy}
      onAnswer={answer}
    />
  ) : (
    <ClarifyAsk ask={ask} foot={foot} disabled={isBusy} onAnswer={answer} />
  )
}

interface AskPartProps {
  readonly foot: ReactNode
  readonly disabled: boolean
  readonly onAnswer: (answer: string) => void
}

interface RowsAskProps extends AskPartProps {
  readonly ask: Extract<Ask, { kind: 'rows' }>
  readonly step: Step | undefined
  readonly agent: string
}

/** Whoever allows it sees all of what it is about: who asks, the whole query, where the rows come from and what is in them. */
function RowsAsk({ ask, step, agent, foot, disabled, onAnswer }: RowsAskProps) {
  const { rowCount, tables = [], columns = [], smallGroups } = ask
  const most = disclosureOf(1).maxRows
  return (
    <article className="ask" aria-label={`Approval for step ${ask.step}`}>
      <header className="ask-head">
        <StateLabel state="waiting_approval" />
        <span className="text-2 cut">Step {ask.step}</span>
      </header>
      <div className="ask-body">
        <p className="question-words" role="alert">
          {visibleText(agent)} wants to see{' '}
          {smallGroups === undefined
            ? `${countWords(rowCount, 'row')} of your files`
            : countWords(rowCount, 'small group')}
          .
        </p>
        {step !== undefined && <pre className="input">{visibleText(step.code)}</pre>}
        <dl className="facts-grid">
          {tables.length > 0 && (
            <>
              <dt>From</dt>
              <dd>{visibleText(tables.join(', '))}</dd>
            </>
          )}
          {columns.length > 0 && (
            <>
              <dt>Columns</dt>
              <dd>{visibleText(columns.join(', '))}</dd>
            </>
          )}
        </dl>
        <p className="text-2">
          {smallGroups === undefined ? 'These are single rows, not a summary.' : smallGroupsLabel(smallGroups)} If you
          allow it, {sentWords(rowCount, most)}, once. With “Summary only” the model gets the number of rows and the
          column names.
        </p>
        <div className="actions">
          <Button disabled={disabled} onClick={() => onAnswer(rowsAnswers.allow)}>
            Allow these rows
          </Button>
          <Button disabled={disabled} onClick={() => onAnswer(rowsAnswers.summary)}>
            Summary only
          </Button>
        </div>
        {foot}
      </div>
    </article>
  )
}

function sentWords(rowCount: number, most: number): string {
  if (rowCount > most) return `the first ${most} are sent`
  return rowCount === 1 ? 'this row is sent' : `these ${rowCount} are sent`
}

interface ClarifyAskProps extends AskPartProps {
  readonly ask: Extract<Ask, { kind: 'question' }>
}

const other = -1

function ClarifyAsk({ ask: { question, options }, foot, disabled, onAnswer }: ClarifyAskProps) {
  const id = useId()
  const [chosen, setChosen] = useState<number | null>(options.length === 0 ? other : null)
  const [words, setWords] = useState('')
  const answer = chosen === null ? '' : chosen === other ? words.trim() : (options[chosen] ?? '')
  return (
    <article className="ask" aria-labelledby={id}>
      <header className="ask-head" id={id}>
        <StateLabel state="waiting_user" />
      </header>
      <p className="unseen" role="alert">
        Question: {visibleText(question)}
      </p>
      <div className="ask-body">
        <fieldset className="options" disabled={disabled}>
          <legend>
            <span className="question-words">{visibleText(question)}</span>
          </legend>
          {options.map((option, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order, and may repeat
            <label key={place}>
              <input type="radio" name={id} checked={chosen === place} onChange={() => setChosen(place)} />
              <span className="option-words">{visibleText(option)}</span>
            </label>
          ))}
          {options.length > 0 && (
            <label>
              <input type="radio" name={id} checked={chosen === other} onChange={() => setChosen(other)} />
              <span className="option-words muted">Something else</span>
            </label>
          )}
          {chosen === other && (
            <textarea
              className="field"
              rows={2}
              aria-label="Your own answer"
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
          )}
        </fieldset>
        <div className="actions">
          <Button disabled={disabled || answer === ''} onClick={() => onAnswer(answer)}>
            Send answer
          </Button>
        </div>
        {foot}
      </div>
    </article>
  )
}
