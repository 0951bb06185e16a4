import type { DecideApprovalBody } from '@quarterdeck/protocol'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'

interface DenyFormProps {
  readonly onDecide: (body: DecideApprovalBody) => void
  readonly onBack: () => void
  readonly disabled: boolean
}

export function DenyForm({ onDecide, onBack, disabled }: DenyFormProps) {
  const [note, setNote] = useState('')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // The person has just asked for this field: the next key belongs to it.
  useEffect(() => field.current?.focus(), [])
  const deny = () => onDecide({ decision: 'deny', ...(note.trim() === '' ? {} : { note: note.trim() }) })
  return (
    <div className="stack">
      <label htmlFor={id}>Tell the agent why, or what to do instead (optional)</label>
      <textarea
        ref={field}
        id={id}
        className="field"
        rows={2}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="actions">
        <Button onClick={deny} disabled={disabled}>
          Deny
        </Button>
        <Button look={['quiet']} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  )
}
