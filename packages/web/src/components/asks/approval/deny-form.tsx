import type { DecideApprovalBody } from '@quarterdeck/protocol'
import { NoteForm } from '../../controls/note-form.tsx'

interface DenyFormProps {
  readonly onDecide: (body: DecideApprovalBody) => void
  readonly onBack: () => void
  readonly disabled: boolean
}

export function DenyForm({ onDecide, onBack, disabled }: DenyFormProps) {
  return (
    <NoteForm
      label="Tell the agent why, or what to do instead (optional)"
      action="Deny"
      disabled={disabled}
      onSend={(note) => onDecide({ decision: 'deny', ...note })}
      onBack={onBack}
    />
  )
}
