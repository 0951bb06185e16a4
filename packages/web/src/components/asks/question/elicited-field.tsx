import { type ElicitedField as Field, type FieldValue, visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import { ElicitedChoice } from './elicited-choice.tsx'

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
        <label htmlFor={id}>
          <input {...shared} type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
          <span className="option-words">
            {visibleText(field.title)}
            {field.description !== '' && <small id={`${id}-about`}>{visibleText(field.description)}</small>}
          </span>
        </label>
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
