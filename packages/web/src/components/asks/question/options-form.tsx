import type { AnswerQuestionBody, QuestionItem } from '@quarterdeck/protocol'
import { useState } from 'react'
import { type Choice, chosenAnswers, noChoice } from '../../../stores/asks/chosen-answers.ts'
import { Button } from '../../controls/button.tsx'
import { DeclineForm } from './decline-form.tsx'
import { OptionsField } from './options-field.tsx'

interface OptionsFormProps {
  readonly items: readonly QuestionItem[]
  readonly disabled: boolean
  readonly onAnswer: (body: AnswerQuestionBody) => void
}

/** The questions of one card are sent together, as the agent asked them. */
export function OptionsForm({ items, disabled, onAnswer }: OptionsFormProps) {
  const [choices, setChoices] = useState<readonly Choice[]>(() => items.map(() => noChoice))
  const [isDeclining, setDeclining] = useState(false)
  const answers = chosenAnswers(items, choices)
  const change = (index: number) => (choice: Choice) =>
    setChoices(choices.map((one, other) => (other === index ? choice : one)))
  if (isDeclining) return <DeclineForm disabled={disabled} onAnswer={onAnswer} onBack={() => setDeclining(false)} />
  return (
    <>
      {items.map((item, index) => (
        <OptionsField
          // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one card keep their order
          key={index}
          item={item}
          choice={choices[index] ?? noChoice}
          disabled={disabled}
          onChange={change(index)}
        />
      ))}
      <div className="actions">
        <Button disabled={disabled || answers === null} onClick={() => answers !== null && onAnswer({ answers })}>
          {items.length > 1 ? 'Send answers' : 'Send answer'}
        </Button>
        <Button variant={['quiet', 'wide']} disabled={disabled} onClick={() => setDeclining(true)}>
          Decline
        </Button>
      </div>
    </>
  )
}
