import type { AnswerQuestionBody } from '@quarterdeck/protocol'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'

interface DeclineFormProps {
  readonly disabled: boolean
  readonly onAnswer: (body: AnswerQuestionBody) => void
  readonly onBack: () => void
}

export function DeclineForm({ disabled, onAnswer, onBack }: DeclineFormProps) {
  const [note, setNote] = useState('')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // The person has just asked for this field: the next key belongs to it.
  useEffect(() => field.current?.focus(), [])
  const decline = () => onAnswer({ answers: null, ...(note.trim() === '' ? {} : { note: note.trim() }) })
  return (
    <div className="stack">
      <label htmlFor={id}>Say why, or what to do without an answer (optional)</label>
      <textarea
        ref={field}
        id={id}
        className="field"
        rows={2}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="actions">
        <Button disabled={disabled} onClick={decline}>
          Decline to answer
        </Button>
        <Button look={['quiet']} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  )
}
