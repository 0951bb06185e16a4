import type { ReactNode } from 'react'

export interface EventRowProps {
  readonly seq: number | null
  readonly children: ReactNode
  /** A glyph for important results. Other rows have a plain dot. */
  readonly mark?: ReactNode
  readonly tone?: 'waits' | 'offline' | 'forgotten' | 'earlier' | undefined
}

/** One row of the log: event number (a permalink), line and mark. */
export function EventRow({ seq, children, mark, tone }: EventRowProps) {
  return (
    <li className={tone === undefined ? 'ev' : `ev ${tone}`} id={seq === null ? undefined : `e${seq}`}>
      {seq !== null && (
        <a className="seq" href={`#e${seq}`} aria-label={`Event ${seq}`}>
          {seq}
        </a>
      )}
      <span className="mark">{mark}</span>
      {children}
    </li>
  )
}
