import type { SessionStatus } from '@quarterdeck/protocol'
import type { ReactNode } from 'react'
import { StateGlyph } from '../../components/status/state-glyph.tsx'
import { stateLabels } from '../../components/status/state-labels.ts'

interface InboxRowProps {
  readonly state: SessionStatus
  readonly title: string
  readonly who: string
  readonly what: string
  readonly age: string
  /** The control that opens the item. */
  readonly children: ReactNode
}

/** One waiting item on one line. */
export function InboxRow({ state, title, who, what, age, children }: InboxRowProps) {
  return (
    <div className="row item">
      <span className="g">
        <StateGlyph state={state} />
      </span>
      <div className="grow">
        <div className="row">
          <h2 className="ellipsis">
            <span className="visually-hidden">{stateLabels[state]}: </span>
            {title}
          </h2>
          <span className="muted ellipsis wide-only">{who}</span>
        </div>
        <div className="what">{what}</div>
      </div>
      <div className="meta caption num">{age}</div>
      {children}
    </div>
  )
}
