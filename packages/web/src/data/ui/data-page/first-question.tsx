import { type FormEvent, useId, useState } from 'react'
import { noAnalysis, readDraft, saveDraft } from '../../storage/analysis-drafts.ts'

interface FirstQuestionProps {
  readonly hasTables: boolean
  /** Called with the question for a new analysis. */
  readonly onAsk: (question: string) => void
}

/**
 * A question without an analysis yet: nothing is sent before the user sees the tables and what leaves. Without a table
 * the question is kept.
 */
export function FirstQuestion({ hasTables, onAsk }: FirstQuestionProps) {
  const [question, setQuestion] = useState(() => readDraft(noAnalysis))
  const id = useId()

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!hasTables || question.trim() === '') return
    saveDraft(noAnalysis, '')
    onAsk(question.trim())
  }

  return (
    <form className="first-question" onSubmit={submit}>
      <label htmlFor={id} className="label">
        What do you want to know?
      </label>
      <div className="row">
        <input
          id={id}
          className="field grow"
          value={question}
          placeholder="Which region grew most this year?"
          onChange={({ target }) => {
            setQuestion(target.value)
            saveDraft(noAnalysis, target.value)
          }}
        />
        <button className="btn" type="submit" disabled={!hasTables || question.trim() === ''}>
          Continue
        </button>
      </div>
      <p className="muted" role="status">
        {!hasTables && question.trim() !== '' && 'Saved. Add a table below, then continue.'}
      </p>
    </form>
  )
}
