import type { SelectHTMLAttributes } from 'react'

interface SelectProps<Value extends string>
  extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'value' | 'onChange' | 'children'> {
  readonly value: Value
  /** Label of each value, in this order. */
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
}

export function Select<Value extends string>({ value, options, onChange, ...rest }: SelectProps<Value>) {
  const values = Object.keys(options) as Value[] // `Object.keys` returns string[]
  return (
    <select
      className="field"
      {...rest}
      value={value}
      onChange={({ target }) => onChange(values.find((one) => one === target.value) ?? value)}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {options[one]}
        </option>
      ))}
    </select>
  )
}
