import { useEffect, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'

interface NoteFormProps {
  /** The label of the note field. */
  readonly label: string
  /** The label of the send button. */
  readonly action: string
  readonly disabled: boolean
  /** Called without `note` when the field is empty. */
  readonly onSend: (note: { readonly note?: string }) => void
  readonly onBack: () => void
}

/** A refusal with an optional note. */
export function NoteForm({ label, action, disabled, onSend, onBack }: NoteFormProps) {
  const [note, setNote] = useState('')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // The user has just opened this form, so the field takes the focus.
  useEffect(() => field.current?.focus(), [])
  return (
    <div className="stack">
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={field}
        id={id}
        className="field"
        rows={2}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="actions">
        <Button disabled={disabled} onClick={() => onSend(note.trim() === '' ? {} : { note: note.trim() })}>
          {action}
        </Button>
        <Button variant={['quiet']} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  )
}
