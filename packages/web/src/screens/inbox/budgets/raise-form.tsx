import { type Budget, formatLimit, formatUnits } from '@quarterdeck/protocol'
import { type FormEvent, useId, useState } from 'react'

interface RaiseFormProps {
  readonly suggestion: number
  /** The new limit must be above this. */
  readonly least: number
  readonly unit: Budget['unit']
  readonly disabled: boolean
  readonly onRaise: (limit: number) => void
}

/** The field starts with a sensible amount, so that one click is enough. */
export function RaiseForm({ suggestion, least, unit, disabled, onRaise }: RaiseFormProps) {
  const [text, setText] = useState(String(suggestion))
  const id = useId()
  const limit = Number(text.replace(',', '.'))
  const format = unit === 'usd' ? formatLimit : formatUnits
  const isEnough = Number.isFinite(limit) && limit > least
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isEnough) onRaise(limit)
  }
  return (
    <form className="raise" onSubmit={submit}>
      <label htmlFor={id}>New limit{unit === 'usd' ? ' in dollars' : ' in units'}</label>
      <input
        id={id}
        className="field num"
        inputMode="decimal"
        autoComplete="off"
        value={text}
        disabled={disabled}
        aria-invalid={!isEnough}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="btn" disabled={disabled || !isEnough}>
        {isEnough ? `Raise to ${format(limit)} and continue` : `Must be above ${format(least)}`}
      </button>
    </form>
  )
}
