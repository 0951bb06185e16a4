import type { ReactNode } from 'react'
import { StateLabel } from './state-label.tsx'

interface ErrorCardProps {
  readonly what: string
  readonly detail?: string
  /** What is safe in spite of it. */
  readonly kept?: string
  readonly id?: string
  readonly children?: ReactNode
}

/** What failed, what was kept, what to do, and an id to quote. */
export function ErrorCard({ what, detail, kept, id, children }: ErrorCardProps) {
  return (
    <article className="error" role="alert">
      <div className="row">
        <StateLabel state="failed" label={what} />
      </div>
      {detail !== undefined && detail !== '' && <p>{detail}</p>}
      {kept !== undefined && <p>Kept: {kept}</p>}
      {(children !== undefined || id !== undefined) && (
        <div className="actions">
          {children}
          {id !== undefined && <span className="muted end mono">{id}</span>}
        </div>
      )}
    </article>
  )
}
