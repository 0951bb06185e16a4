import type { ComponentProps, ReactNode } from 'react'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'className' | 'onChange'> {
  /** Of the label. */
  readonly className?: string
  readonly onChange: (isChecked: boolean) => void
  readonly children: ReactNode
}

/** A checkbox in its label. */
export function Checkbox({ className, onChange, children, ...input }: CheckboxProps) {
  return (
    <label className={className}>
      <input type="checkbox" {...input} onChange={({ target }) => onChange(target.checked)} />
      {children}
    </label>
  )
}
