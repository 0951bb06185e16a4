import type { ReactNode } from 'react'
import { StateLabel } from './state-label.tsx'

interface ErrorCardProps {
  readonly what: string
  readonly detail?: string
  /** Data that is safe despite the error. */
  readonly saved?: string
  readonly id?: string
  readonly children?: ReactNode
}

/** The error, its details, the data that is safe, the next actions, and an id to quote. */
export function ErrorCard({ what, detail, saved, id, children }: ErrorCardProps) {
  return (
    <article className="stack error" role="alert">
      <div className="row">
        <StateLabel state="failed" label={what} />
      </div>
      {detail !== undefined && detail !== '' && <p>{detail}</p>}
      {saved !== undefined && <p>Saved: {saved}</p>}
      {(children !== undefined || id !== undefined) && (
        <div className="actions">
          {children}
          {id !== undefined && <span className="muted end mono">{id}</span>}
        </div>
      )}
    </article>
  )
}
