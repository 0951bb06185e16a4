import {
  type AnswerQuestionBody,
  elicitedAnswers,
  elicitedFields,
  initialValues,
  type OpenQuestion,
} from '@quarterdeck/protocol'
import { useMemo, useState } from 'react'
import { Problem } from '../../controls/problem.tsx'
import { AnswerForm } from './answer-form.tsx'
import { ElicitedField } from './elicited-field.tsx'

interface ElicitedFormProps {
  readonly question: OpenQuestion
  readonly disabled: boolean
  readonly onAnswer: (body: AnswerQuestionBody) => void
}

/** The form that an MCP server requests. Without fields, the user can only accept or decline. */
export function ElicitedForm({ question, disabled, onAnswer }: ElicitedFormProps) {
  const fields = useMemo(() => elicitedFields(question.schema ?? {}), [question.schema])
  const [values, setValues] = useState(() => initialValues(fields))
  const [problem, setProblem] = useState<{ readonly problem: string; readonly field: string } | null>(null)

  function send(): void {
    const elicited = elicitedAnswers(fields, values)
    if ('problem' in elicited) setProblem(elicited)
    else onAnswer({ answers: elicited.answers })
  }

  return (
    <AnswerForm
      action={fields.length > 0 ? 'Send answer' : question.url === null ? 'Accept' : 'I have done it'}
      canSend
      disabled={disabled}
      onSend={send}
      onDecline={onAnswer}
    >
      {fields.map((field) => (
        <ElicitedField
          key={field.name}
          field={field}
          value={values.get(field.name) ?? field.initial}
          disabled={disabled}
          isWrong={problem?.field === field.name}
          onChange={(value) => setValues(new Map(values).set(field.name, value))}
        />
      ))}
      <Problem text={problem?.problem} />
    </AnswerForm>
  )
}
