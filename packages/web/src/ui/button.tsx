import type { ButtonHTMLAttributes } from 'react'

type Look =
  | 'ink'
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
  readonly look?: readonly Look[]
}

/** At most one `ink` per view, and none on an approval. */
export function Button({ look = [], ...rest }: ButtonProps) {
  return <button type="button" className={['btn', ...look].join(' ')} {...rest} />
}
