import type { DecideApprovalBody, JsonObject } from '@quarterdeck/protocol'
import { useState } from 'react'
import { editableText, parseEdited } from '../../../stores/asks/asked-input.ts'
import { TextForm } from '../../controls/text-form.tsx'

interface EditInputFormProps {
  readonly disabled: boolean
  readonly toolName: string
  readonly input: JsonObject
  readonly onDecide: (body: DecideApprovalBody) => void
  readonly onBack: () => void
}

/** The call runs with exactly the text in this field when the user presses Allow. */
export function EditInputForm({ toolName, input, onDecide, onBack, disabled }: EditInputFormProps) {
  const [problem, setProblem] = useState<string | null>(null)

  function allow(text: string): void {
    const edited = parseEdited(toolName, input, text)
    if ('problem' in edited) setProblem(edited.problem)
    else onDecide({ decision: 'allow', input: edited.input })
  }

  return (
    <TextForm
      label={toolName === 'Bash' ? 'Run this instead' : 'Run it with this input instead'}
      action="Allow this edit once"
      initial={editableText(toolName, input)}
      isCode
      problem={problem}
      disabled={disabled}
      onSend={allow}
      onBack={onBack}
    />
  )
}
