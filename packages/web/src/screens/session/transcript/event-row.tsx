import type { ReactNode } from 'react'

interface EventRowProps {
  readonly seq: number | null
  readonly children: ReactNode
  /** A glyph only for results that matter; else the plain dot. */
  readonly mark?: ReactNode
  readonly tone?: 'waits' | 'offline' | 'forgotten' | 'earlier'
}

/** A place on the spine: number (a permalink), line, mark. */
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
