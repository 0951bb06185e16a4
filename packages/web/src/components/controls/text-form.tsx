import { useId, useState } from 'react'
import { Button } from './button.tsx'
import { Problem } from './problem.tsx'

interface TextFormProps {
  /** The label of the text field. */
  readonly label: string
  /** The label of the send button. */
  readonly action: string
  readonly initial?: string
  /** Code is in monospace, and its field grows with its lines. */
  readonly isCode?: boolean
  readonly problem?: string | null
  readonly disabled: boolean
  readonly onSend: (text: string) => void
  readonly onBack: () => void
}

/** One text with a button that sends it, and a Back button. */
export function TextForm({ label, action, initial = '', isCode = false, disabled, ...props }: TextFormProps) {
  const [text, setText] = useState(initial)
  const id = useId()
  const code = {
    className: 'field mono',
    rows: Math.min(16, Math.max(2, text.split('\n').length + 1)),
    spellCheck: false,
  }
  return (
    <div className="stack">
      <label htmlFor={id}>{label}</label>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the user has just opened this form
        autoFocus
        id={id}
        {...(isCode ? code : { className: 'field', rows: 2 })}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Problem text={props.problem} />
      <div className="actions">
        <Button disabled={disabled} onClick={() => props.onSend(text)}>
          {action}
        </Button>
        <Button variant={['quiet']} onClick={props.onBack}>
          Back
        </Button>
      </div>
    </div>
  )
}

/** An empty field means that there is no note. */
export const noteOf = (text: string): { readonly note?: string } => (text.trim() === '' ? {} : { note: text.trim() })
