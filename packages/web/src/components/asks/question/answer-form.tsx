import type { AnswerQuestionBody } from '@quarterdeck/protocol'
import { type ReactNode, useState } from 'react'
import { Button } from '../../controls/button.tsx'
import { noteOf, TextForm } from '../../controls/text-form.tsx'

interface AnswerFormProps {
  /** The label of the send button. */
  readonly action: string
  /** False while an answer is missing. */
  readonly canSend: boolean
  readonly disabled: boolean
  readonly onSend: () => void
  readonly onDecline: (body: AnswerQuestionBody) => void
  /** The fields. */
  readonly children: ReactNode
}

/** Sends an answer, or declines with an optional note. */
export function AnswerForm({ action, canSend, disabled, onSend, onDecline, children }: AnswerFormProps) {
  const [isDeclining, setDeclining] = useState(false)
  if (isDeclining) {
    return (
      <TextForm
        label="Say why, or what to do without an answer (optional)"
        action="Decline to answer"
        disabled={disabled}
        onSend={(text) => onDecline({ answers: null, ...noteOf(text) })}
        onBack={() => setDeclining(false)}
      />
    )
  }
  return (
    <>
      {children}
      <div className="actions">
        <Button disabled={disabled || !canSend} onClick={onSend}>
          {action}
        </Button>
        <Button variant={['quiet', 'wide']} disabled={disabled} onClick={() => setDeclining(true)}>
          Decline
        </Button>
      </div>
    </>
  )
}
