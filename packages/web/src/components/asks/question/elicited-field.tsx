import { type ElicitedField as Field, type FieldValue, visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import { OptionRow } from '../../controls/option-row.tsx'

interface ElicitedFieldProps {
  readonly field: Field
  readonly value: FieldValue
  readonly disabled: boolean
  readonly isWrong: boolean
  readonly onChange: (value: FieldValue) => void
}

export function ElicitedField({ field, value, disabled, isWrong, onChange }: ElicitedFieldProps) {
  const id = useId()
  if (typeof value === 'object') {
    return <ElicitedChoice field={field} chosen={value} disabled={disabled} onChange={onChange} />
  }
  const shared = {
    id,
    disabled,
    'aria-invalid': isWrong,
    'aria-describedby': field.description === '' ? undefined : `${id}-about`,
  }
  if (typeof value === 'boolean') {
    return (
      <div className="options">
        <OptionRow {...shared} type="checkbox" checked={value} onChange={onChange}>
          {visibleText(field.title)}
          {field.description !== '' && <small id={`${id}-about`}>{visibleText(field.description)}</small>}
        </OptionRow>
      </div>
    )
  }
  const isNumber = field.kind === 'number' || field.kind === 'integer'
  return (
    <div className="stack">
      <label htmlFor={id}>
        {visibleText(field.title)}
        {field.isRequired ? '' : ' (optional)'}
        {field.kind === 'json' && <span className="muted"> as JSON</span>}
      </label>
      {field.kind === 'long-text' || field.kind === 'json' ? (
        <textarea
          {...shared}
          className={field.kind === 'json' ? 'field mono' : 'field'}
          rows={3}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input
          {...shared}
          className="field"
          type={isNumber ? 'text' : field.inputType}
          // Without this, browsers accept whole minutes only.
          step={field.inputType === 'datetime-local' ? 1 : undefined}
          inputMode={isNumber ? 'decimal' : undefined}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {field.description !== '' && (
        <small className="muted" id={`${id}-about`}>
          {visibleText(field.description)}
        </small>
      )}
    </div>
  )
}

interface ElicitedChoiceProps extends Pick<ElicitedFieldProps, 'field' | 'disabled'> {
  readonly chosen: readonly number[]
  readonly onChange: (chosen: readonly number[]) => void
}

function ElicitedChoice({ field, chosen, disabled, onChange }: ElicitedChoiceProps) {
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
        <OptionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order, and labels may repeat
          key={index}
          type={isMany ? 'checkbox' : 'radio'}
          name={id}
          checked={chosen.includes(index)}
          onChange={() => choose(index)}
        >
          {visibleText(option.label)}
        </OptionRow>
      ))}
    </fieldset>
  )
}
