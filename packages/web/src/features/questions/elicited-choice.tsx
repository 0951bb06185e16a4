import { visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import type { ElicitedField } from '../../state/elicited-form.ts'

interface ElicitedChoiceProps {
  readonly field: ElicitedField
  readonly chosen: readonly number[]
  readonly disabled: boolean
  readonly onChange: (chosen: readonly number[]) => void
}

export function ElicitedChoice({ field, chosen, disabled, onChange }: ElicitedChoiceProps) {
  const id = useId()
  const isMany = field.kind === 'choices'
  function choose(place: number): void {
    if (!isMany) onChange([place])
    else onChange(chosen.includes(place) ? chosen.filter((one) => one !== place) : [...chosen, place])
  }
  return (
    <fieldset className="options" disabled={disabled}>
      <legend>
        {visibleText(field.title)}
        {field.isRequired ? '' : ' (optional)'}
        {field.description !== '' && <small className="muted">{visibleText(field.description)}</small>}
      </legend>
      {field.options.map((option, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order, and labels may repeat
        <label key={place}>
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={id}
            checked={chosen.includes(place)}
            onChange={() => choose(place)}
          />
          <span className="option-words">{visibleText(option.label)}</span>
        </label>
      ))}
    </fieldset>
  )
}
