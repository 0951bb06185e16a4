import { useEffect, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'

interface NoteFormProps {
  /** What the note is for. */
  readonly label: string
  /** What the button does. */
  readonly action: string
  readonly disabled: boolean
  /** With the note, or with nothing when the field is empty. */
  readonly onSend: (note: { readonly note?: string }) => void
  readonly onBack: () => void
}

/** A refusal with a word about it, which nobody has to write. */
export function NoteForm({ label, action, disabled, onSend, onBack }: NoteFormProps) {
  const [note, setNote] = useState('')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // The person has just asked for this field: the next key belongs to it.
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
