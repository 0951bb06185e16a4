import type { AnswerQuestionBody } from '@quarterdeck/protocol'
import { NoteForm } from '../../controls/note-form.tsx'

interface DeclineFormProps {
  readonly disabled: boolean
  readonly onAnswer: (body: AnswerQuestionBody) => void
  readonly onBack: () => void
}

export function DeclineForm({ disabled, onAnswer, onBack }: DeclineFormProps) {
  return (
    <NoteForm
      label="Say why, or what to do without an answer (optional)"
      action="Decline to answer"
      disabled={disabled}
      onSend={(note) => onAnswer({ answers: null, ...note })}
      onBack={onBack}
    />
  )
}
