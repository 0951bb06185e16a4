import { type QuestionItem, visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import { type Choice, chooseOption, chooseOther } from '../../../stores/asks/chosen-answers.ts'

interface OptionsFieldProps {
  readonly item: QuestionItem
  readonly choice: Choice
  readonly disabled: boolean
  readonly onChange: (choice: Choice) => void
}

/** One question with its options as full-width rows. A free-text answer always comes last. */
export function OptionsField({ item, choice, disabled, onChange }: OptionsFieldProps) {
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
        // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order, and labels may repeat
        <label key={index}>
          <input
            type={type}
            name={id}
            checked={choice.options.includes(index)}
            onChange={() => onChange(chooseOption(item, choice, index))}
          />
          <span className="option-words">
            {visibleText(option.label)}
            {option.description !== '' && <small>{visibleText(option.description)}</small>}
          </span>
        </label>
      ))}
      <label>
        <input type={type} name={id} checked={choice.isOther} onChange={() => onChange(chooseOther(item, choice))} />
        <span className="option-words muted">Something else</span>
      </label>
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
