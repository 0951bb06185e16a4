import { visibleText } from '@quarterdeck/protocol'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { OptionRow } from '../../../components/controls/option-row.tsx'
import { Problem } from '../../../components/controls/problem.tsx'
import { StateLabel } from '../../../components/status/state-label.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import { type AnalysisStep, type RunPrompt, rowsAnswers } from '../../domain/analysis.ts'
import { countLabel } from '../../domain/count-label.ts'
import { disclosureOf } from '../../domain/disclosure.ts'
import { smallGroupsLabel } from '../../domain/small-groups.ts'

interface PromptCardProps {
  readonly prompt: RunPrompt
  /** Of the run. */
  readonly steps: readonly AnalysisStep[]
  /** The agent that asks. */
  readonly agent: string
  /** Rejects if the answer was refused. */
  readonly onAnswer: (to: RunPrompt, answer: string) => Promise<void>
}

/** A prompt to the user during a run. */
export function PromptCard({ prompt, steps, agent, onAnswer }: PromptCardProps) {
  const { run, isBusy, failure } = useAction()
  const answer = (typed: string) => void run(() => onAnswer(prompt, typed))
  const foot = failure !== null && <Problem text={`Not sent: ${failure.message}`} />
  return prompt.kind === 'rows' ? (
    <RowsPrompt
      prompt={prompt}
      step={steps.find(({ n }) => n === prompt.step)}
      agent={agent}
      foot={foot}
      disabled={isBusy}
      onAnswer={answer}
    />
  ) : (
    <QuestionPrompt prompt={prompt} foot={foot} disabled={isBusy} onAnswer={answer} />
  )
}

interface PromptPartProps {
  readonly foot: ReactNode
  readonly disabled: boolean
  readonly onAnswer: (answer: string) => void
}

interface RowsPromptProps extends PromptPartProps {
  readonly prompt: Extract<RunPrompt, { kind: 'rows' }>
  readonly step: AnalysisStep | undefined
  readonly agent: string
}

/**
 * Shows everything that the user consents to: the agent, the whole query, the sources of the rows and their columns.
 */
function RowsPrompt({ prompt, step, agent, foot, disabled, onAnswer }: RowsPromptProps) {
  const { rowCount, tables = [], columns = [], smallGroups } = prompt
  const most = disclosureOf(1).maxRows
  return (
    <article className="ask" aria-label={`Approval for step ${prompt.step}`}>
      <header className="ask-head">
        <StateLabel state="waiting_approval" />
        <span className="text-2 ellipsis">Step {prompt.step}</span>
      </header>
      <div className="ask-body">
        <p className="question-words" role="alert">
          {visibleText(agent)} wants to see{' '}
          {smallGroups === undefined
            ? `${countLabel(rowCount, 'row')} of your files`
            : countLabel(rowCount, 'small group')}
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
          allow it, {sentLabel(rowCount, most)}, once. With “Summary only” the model gets the number of rows and the
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

function sentLabel(rowCount: number, most: number): string {
  if (rowCount > most) return `the first ${most} are sent`
  return rowCount === 1 ? 'this row is sent' : `these ${rowCount} are sent`
}

interface QuestionPromptProps extends PromptPartProps {
  readonly prompt: Extract<RunPrompt, { kind: 'question' }>
}

const other = -1

function QuestionPrompt({ prompt: { question, options }, foot, disabled, onAnswer }: QuestionPromptProps) {
  const id = useId()
  const [chosen, setChosen] = useState<number | null>(options.length === 0 ? other : null)
  const [typed, setTyped] = useState('')
  const answer = chosen === null ? '' : chosen === other ? typed.trim() : (options[chosen] ?? '')
  return (
    <article className="ask" aria-labelledby={id}>
      <header className="ask-head" id={id}>
        <StateLabel state="waiting_user" />
      </header>
      <p className="visually-hidden" role="alert">
        Question: {visibleText(question)}
      </p>
      <div className="ask-body">
        <fieldset className="options" disabled={disabled}>
          <legend>
            <span className="question-words">{visibleText(question)}</span>
          </legend>
          {options.map((option, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order, and may repeat
            <OptionRow key={index} type="radio" name={id} checked={chosen === index} onChange={() => setChosen(index)}>
              {visibleText(option)}
            </OptionRow>
          ))}
          {options.length > 0 && (
            <OptionRow type="radio" name={id} checked={chosen === other} onChange={() => setChosen(other)}>
              <span className="muted">Something else</span>
            </OptionRow>
          )}
          {chosen === other && (
            <textarea
              className="field"
              rows={2}
              aria-label="Your own answer"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
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
