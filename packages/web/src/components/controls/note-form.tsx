import { useId, useState } from 'react'
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
  return (
    <div className="stack">
      <label htmlFor={id}>{label}</label>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the user has just opened this form
        autoFocus
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
