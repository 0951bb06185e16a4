import { visibleText } from '@quarterdeck/protocol'
import { useId, useState } from 'react'
import { type Ask, rowsAnswers } from '../../analysis/analysis.ts'
import { Button } from '../../ui/button.tsx'
import { StateLabel } from '../../ui/state-label.tsx'
import { countWords } from './run-story.ts'

interface AskCardProps {
  readonly ask: Ask
  readonly disabled: boolean
  readonly onAnswer: (answer: string) => void
}

/** What a person is asked in the middle of a run. */
export function AskCard({ ask, disabled, onAnswer }: AskCardProps) {
  return ask.kind === 'rows' ? (
    <RowsAsk ask={ask} disabled={disabled} onAnswer={onAnswer} />
  ) : (
    <ClarifyAsk key={ask.question} ask={ask} disabled={disabled} onAnswer={onAnswer} />
  )
}

interface RowsAskProps extends AskCardProps {
  readonly ask: Extract<Ask, { kind: 'rows' }>
}

function RowsAsk({ ask: { step, rowCount }, disabled, onAnswer }: RowsAskProps) {
  const rows = countWords(rowCount, 'row')
  return (
    <article className="ask" role="alert">
      <header className="ask-head">
        <StateLabel state="waiting_approval" />
        <span className="text-2 cut">Step {step}</span>
      </header>
      <div className="ask-body">
        <p className="question-words">The model wants to see {rows}.</p>
        <p className="text-2">
          Step {step} gives single rows of your files, not a summary. Allowed, these {rows} are sent once; with “Summary
          only” the model gets their number and the names of the columns.
        </p>
        <div className="actions">
          <Button disabled={disabled} onClick={() => onAnswer(rowsAnswers.allow)}>
            Allow these rows
          </Button>
          <Button disabled={disabled} onClick={() => onAnswer(rowsAnswers.summary)}>
            Summary only
          </Button>
        </div>
      </div>
    </article>
  )
}

interface ClarifyAskProps extends AskCardProps {
  readonly ask: Extract<Ask, { kind: 'question' }>
}

const other = -1

function ClarifyAsk({ ask: { question, options }, disabled, onAnswer }: ClarifyAskProps) {
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
      </div>
    </article>
  )
}
