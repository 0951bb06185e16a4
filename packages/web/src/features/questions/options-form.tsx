import type { AnswerQuestionBody, QuestionItem } from '@quarterdeck/protocol'
import { useState } from 'react'
import { type Choice, chosenAnswers, noChoice } from '../../state/chosen-answers.ts'
import { Button } from '../../ui/button.tsx'
import { DeclineForm } from './decline-form.tsx'
import { OptionsField } from './options-field.tsx'

interface OptionsFormProps {
  readonly items: readonly QuestionItem[]
  readonly disabled: boolean
  readonly onAnswer: (body: AnswerQuestionBody) => void
}

/** Several questions in one card are answered together, as the agent asked them. */
export function OptionsForm({ items, disabled, onAnswer }: OptionsFormProps) {
  const [choices, setChoices] = useState<readonly Choice[]>(() => items.map(() => noChoice))
  const [isDeclining, setDeclining] = useState(false)
  const answers = chosenAnswers(items, choices)
  const change = (place: number) => (choice: Choice) =>
    setChoices(choices.map((one, other) => (other === place ? choice : one)))
  if (isDeclining) return <DeclineForm disabled={disabled} onAnswer={onAnswer} onBack={() => setDeclining(false)} />
  return (
    <>
      {items.map((item, place) => (
        <OptionsField
          // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one card keep their order
          key={place}
          item={item}
          choice={choices[place] ?? noChoice}
          disabled={disabled}
          onChange={change(place)}
        />
      ))}
      <div className="actions">
        <Button disabled={disabled || answers === null} onClick={() => answers !== null && onAnswer({ answers })}>
          {items.length > 1 ? 'Send answers' : 'Send answer'}
        </Button>
        <Button look={['quiet', 'wide']} disabled={disabled} onClick={() => setDeclining(true)}>
          Decline
        </Button>
      </div>
    </>
  )
}
