import type { ButtonHTMLAttributes } from 'react'

type ButtonVariant =
  | 'primary'
  | 'quiet'
  | 'danger'
  | 's'
  | 'square'
  | 'wide'
  | 'end'
  | 'sheet-open'
  | 'sheet-close'
  | 'to-end'
  | 'rename'
  | 'drop-narrow'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'type'> {
  readonly variant?: readonly ButtonVariant[]
}

/** Use at most one `primary` button per view, and none on an approval. */
export function Button({ variant = [], ...rest }: ButtonProps) {
  return <button type="button" className={['btn', ...variant].join(' ')} {...rest} />
}
