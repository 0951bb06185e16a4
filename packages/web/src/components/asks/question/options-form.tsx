import { type AnswerQuestionBody, type QuestionItem, visibleText } from '@quarterdeck/protocol'
import { useId, useState } from 'react'
import {
  chooseOption,
  chooseOther,
  chosenAnswers,
  noChoice,
  type QuestionChoice,
} from '../../../stores/asks/chosen-answers.ts'
import { OptionRow } from '../../controls/option-row.tsx'
import { AnswerForm } from './answer-form.tsx'

interface OptionsFormProps {
  readonly items: readonly QuestionItem[]
  readonly disabled: boolean
  readonly onAnswer: (body: AnswerQuestionBody) => void
}

/** The questions of one card are sent together, as the agent asked them. */
export function OptionsForm({ items, disabled, onAnswer }: OptionsFormProps) {
  const [choices, setChoices] = useState<readonly QuestionChoice[]>(() => items.map(() => noChoice))
  const answers = chosenAnswers(items, choices)
  const change = (index: number) => (choice: QuestionChoice) =>
    setChoices(choices.map((one, other) => (other === index ? choice : one)))
  return (
    <AnswerForm
      action={items.length > 1 ? 'Send answers' : 'Send answer'}
      canSend={answers !== null}
      disabled={disabled}
      onSend={() => answers !== null && onAnswer({ answers })}
      onDecline={onAnswer}
    >
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
    </AnswerForm>
  )
}

interface OptionsFieldProps {
  readonly item: QuestionItem
  readonly choice: QuestionChoice
  readonly disabled: boolean
  readonly onChange: (choice: QuestionChoice) => void
}

/** One question with its options as full-width rows. A free-text answer always comes last. */
function OptionsField({ item, choice, disabled, onChange }: OptionsFieldProps) {
  const id = useId()
  const type = item.multiSelect ? 'checkbox' : 'radio'
  return (
    <fieldset className="options" disabled={disabled}>
      <legend>
        {item.header !== '' && <span className="chip">{visibleText(item.header)}</span>}
        <span className="question-words">{visibleText(item.question)}</span>
        {item.multiSelect && <span className="muted">Choose one or more</span>}
      </legend>
      {item.options.map((option, index) => (
        <OptionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order, and labels may repeat
          key={index}
          type={type}
          name={id}
          checked={choice.options.includes(index)}
          onChange={() => onChange(chooseOption(item, choice, index))}
        >
          {visibleText(option.label)}
          {option.description !== '' && <small>{visibleText(option.description)}</small>}
        </OptionRow>
      ))}
      <OptionRow type={type} name={id} checked={choice.isOther} onChange={() => onChange(chooseOther(item, choice))}>
        <span className="muted">Something else</span>
      </OptionRow>
      {choice.isOther && (
        <textarea
          className="field"
          rows={2}
          aria-label={`Your own answer to: ${visibleText(item.question)}`}
          value={choice.other}
          onChange={(event) => onChange({ ...choice, other: event.target.value })}
        />
      )}
    </fieldset>
  )
}
