import type { InputHTMLAttributes } from 'react'

interface OptionRowProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'onChange'> {
  readonly type: 'checkbox' | 'radio'
  readonly onChange: (isChecked: boolean) => void
}

/** One row of a list of options, with its words as its label. */
export function OptionRow({ onChange, children, ...input }: OptionRowProps) {
  return (
    <label>
      <input {...input} onChange={({ target }) => onChange(target.checked)} />
      <span className="option-words">{children}</span>
    </label>
  )
}
