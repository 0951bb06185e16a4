import type { DecideApprovalBody, JsonObject } from '@quarterdeck/protocol'
import { useEffect, useId, useRef, useState } from 'react'
import { editableText, parseEdited } from '../../../stores/asks/asked-input.ts'
import { Button } from '../../controls/button.tsx'

interface EditFormProps {
  readonly toolName: string
  readonly input: JsonObject
  readonly onDecide: (body: DecideApprovalBody) => void
  readonly onBack: () => void
  readonly disabled: boolean
}

/** The call runs with exactly the text in this field when the user presses Allow. */
export function EditForm({ toolName, input, onDecide, onBack, disabled }: EditFormProps) {
  const [text, setText] = useState(() => editableText(toolName, input))
  const [problem, setProblem] = useState<string | null>(null)
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // The user has just opened this form, so the field takes the focus.
  useEffect(() => field.current?.focus(), [])

  function allow(): void {
    const edited = parseEdited(toolName, input, text)
    if ('problem' in edited) setProblem(edited.problem)
    else onDecide({ decision: 'allow', input: edited.input })
  }

  return (
    <div className="stack">
      <label htmlFor={id}>{toolName === 'Bash' ? 'Run this instead' : 'Run it with this input instead'}</label>
      <textarea
        ref={field}
        id={id}
        className="field mono"
        rows={Math.min(16, Math.max(2, text.split('\n').length + 1))}
        value={text}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="actions">
        <Button onClick={allow} disabled={disabled}>
          Allow this edit once
        </Button>
        <Button variant={['quiet']} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  )
}
