import { ArrowDown } from 'lucide-react'
import { Fragment, type ReactNode, useMemo, useRef, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { forgottenKeys } from '../../../stores/session/rewinds.ts'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import type { SessionView } from '../../../stores/session/session-store.ts'
import { transcriptRows } from '../../../stores/transcript/transcript-rows.ts'
import { Announcer } from './announcer.tsx'
import { EventRow } from './event-row.tsx'
import { NoteRow } from './note-row.tsx'
import type { RowActions } from './row-actions.ts'
import { RowView } from './row-view.tsx'
import { useStickToEnd } from './use-stick-to-end.ts'

interface TranscriptProps {
  readonly projection: SessionProjection
  readonly view: SessionView
  /** The agent whose transcript is shown: `''` is the lead. */
  readonly agent: string
  readonly actions: RowActions
  /** Content before the first event. */
  readonly before: ReactNode
  /** Content after the last event. */
  readonly tail: ReactNode
  /** The composer and its status lines. */
  readonly foot: ReactNode
}

const windowSize = 400

export function Transcript({ projection, view, agent, actions, before, tail, foot }: TranscriptProps) {
  const rows = useMemo(() => transcriptRows(projection.transcript.items, agent), [projection.transcript.items, agent])
  const forgotten = useForgotten(projection)
  const [shown, setShown] = useState(windowSize)
  const box = useRef<HTMLOListElement>(null)
  const { isAtEnd, unseen, goToEnd, onScroll } = useStickToEnd(box, rows.length, projection)
  const hidden = Math.max(0, rows.length - shown)
  const visible = hidden > 0 ? rows.slice(hidden) : rows
  const awayRow = awayRowIndex(view, visible)
  return (
    <>
      <ol
        className="log scroll"
        aria-label="Transcript"
        ref={box}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
      >
        {hidden === 0 && before}
        {hidden > 0 && (
          <EventRow seq={null}>
            <Button variant={['s']} onClick={() => setShown(shown + windowSize)}>
              Show {Math.min(hidden, windowSize)} earlier of {hidden}
            </Button>
          </EventRow>
        )}
        {visible.map((row, index) => (
          <Fragment key={row.key}>
            {index === awayRow && view.away !== null && <NoteRow tone="offline">{awayLabel(view.away)}</NoteRow>}
            <RowView
              row={row}
              projection={projection}
              actions={actions}
              variant={forgotten.has(row.key) ? 'forgotten' : undefined}
            />
          </Fragment>
        ))}
        {view.connection === 'reconnecting' && (
          <NoteRow tone="offline" role="status">
            Connection lost. Reconnecting; no events are lost.
          </NoteRow>
        )}
        {tail !== null && <li className="ev">{tail}</li>}
      </ol>
      <Announcer rows={view.isReplaying ? [] : rows} />
      <div className="foot">
        {!isAtEnd && (
          <Button variant={['s', 'to-end']} onClick={goToEnd}>
            <ArrowDown className="icon s" aria-hidden="true" />
            {unseen > 0 ? `${unseen} new ${unseen === 1 ? 'event' : 'events'}` : 'Jump to the end'}
          </Button>
        )}
        {foot}
      </div>
    </>
  )
}

const useForgotten = ({ transcript: { items }, rewinds }: SessionProjection): ReadonlySet<string> =>
  useMemo(() => forgottenKeys(items, rewinds), [items, rewinds])

const awayLabel = ({ events, asks }: { events: number; asks: number }): string =>
  `While you were away: ${events} ${events === 1 ? 'event' : 'events'}${asks === 0 ? '' : `, ${asks} waiting for you`}`

function awayRowIndex(view: SessionView, rows: ReturnType<typeof transcriptRows>): number {
  const { away } = view
  if (away === null) return -1
  return rows.findIndex((row) => {
    const seq = row.type === 'tool-group' ? row.items[0]?.seq : row.item.seq
    return seq != null && seq > away.afterSeq
  })
}
