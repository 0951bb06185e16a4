import { type ElicitedField, visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'

interface ElicitedChoiceProps {
  readonly field: ElicitedField
  readonly chosen: readonly number[]
  readonly disabled: boolean
  readonly onChange: (chosen: readonly number[]) => void
}

export function ElicitedChoice({ field, chosen, disabled, onChange }: ElicitedChoiceProps) {
  const id = useId()
  const isMany = field.kind === 'choices'
  function choose(index: number): void {
    if (!isMany) onChange([index])
    else onChange(chosen.includes(index) ? chosen.filter((one) => one !== index) : [...chosen, index])
  }
  return (
    <fieldset className="options" disabled={disabled}>
      <legend>
        {visibleText(field.title)}
        {field.isRequired ? '' : ' (optional)'}
        {field.description !== '' && <small className="muted">{visibleText(field.description)}</small>}
      </legend>
      {field.options.map((option, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order, and labels may repeat
        <label key={index}>
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={id}
            checked={chosen.includes(index)}
            onChange={() => choose(index)}
          />
          <span className="option-words">{visibleText(option.label)}</span>
        </label>
      ))}
    </fieldset>
  )
}
