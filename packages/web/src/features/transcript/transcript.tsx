import { ArrowDown } from 'lucide-react'
import { Fragment, type ReactNode, useMemo, useRef, useState } from 'react'
import { forgottenKeys } from '../../state/rewinds.ts'
import type { SessionView } from '../../state/session-store.ts'
import type { SessionStory } from '../../state/session-story.ts'
import { transcriptRows } from '../../state/transcript-rows.ts'
import { Button } from '../../ui/button.tsx'
import { Announcer } from './announcer.tsx'
import { EventRow } from './event-row.tsx'
import type { RowActs } from './row-acts.ts'
import { RowView } from './row-view.tsx'
import { useStickToEnd } from './use-stick-to-end.ts'

interface TranscriptProps {
  readonly story: SessionStory
  readonly view: SessionView
  /** Whose transcript: `''` is the lead's. */
  readonly agent: string
  readonly acts: RowActs
  /** What stands before the first event. */
  readonly before: ReactNode
  /** What stands after the last event. */
  readonly tail: ReactNode
  /** The composer and what belongs to it. */
  readonly foot: ReactNode
}

const windowSize = 400
const forgottenLook = { look: 'forgotten' } as const

export function Transcript({ story, view, agent, acts, before, tail, foot }: TranscriptProps) {
  const rows = useMemo(() => transcriptRows(story.transcript.items, agent), [story.transcript.items, agent])
  const forgotten = useForgotten(story)
  const [shown, setShown] = useState(windowSize)
  const box = useRef<HTMLOListElement>(null)
  const { isAtEnd, unseen, goToEnd, onScroll } = useStickToEnd(box, rows.length, story)
  const hidden = Math.max(0, rows.length - shown)
  const visible = hidden > 0 ? rows.slice(hidden) : rows
  const awayBefore = awayPlace(view, visible)
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
            <Button look={['s']} onClick={() => setShown(shown + windowSize)}>
              Show {Math.min(hidden, windowSize)} earlier of {hidden}
            </Button>
          </EventRow>
        )}
        {visible.map((row, place) => (
          <Fragment key={row.key}>
            {place === awayBefore && view.away !== null && (
              <EventRow seq={null} tone="offline">
                <div className="away">{awayWords(view.away)}</div>
              </EventRow>
            )}
            <RowView row={row} story={story} acts={acts} {...(forgotten.has(row.key) ? forgottenLook : {})} />
          </Fragment>
        ))}
        {view.connection === 'reconnecting' && (
          <EventRow seq={null} tone="offline">
            <div className="away" role="status">
              The connection is gone. Trying again; nothing is lost.
            </div>
          </EventRow>
        )}
        {tail !== null && <li className="ev">{tail}</li>}
      </ol>
      <Announcer rows={view.isReplaying ? [] : rows} />
      <div className="foot">
        {!isAtEnd && (
          <Button look={['s', 'to-end']} onClick={goToEnd}>
            <ArrowDown className="icon s" aria-hidden="true" />
            {unseen > 0 ? `${unseen} new ${unseen === 1 ? 'event' : 'events'}` : 'To the end'}
          </Button>
        )}
        {foot}
      </div>
    </>
  )
}

const useForgotten = ({ transcript: { items }, rewinds }: SessionStory): ReadonlySet<string> =>
  useMemo(() => forgottenKeys(items, rewinds), [items, rewinds])

const awayWords = ({ events, asks }: { events: number; asks: number }): string =>
  `While you were away: ${events} ${events === 1 ? 'event' : 'events'}${
    asks === 0 ? '' : `, ${asks} ${asks === 1 ? 'waits' : 'wait'} for you`
  }`

function awayPlace(view: SessionView, rows: ReturnType<typeof transcriptRows>): number {
  const { away } = view
  if (away === null) return -1
  return rows.findIndex((row) => {
    const seq = row.type === 'fold' ? row.items[0]?.seq : row.item.seq
    return seq != null && seq > away.afterSeq
  })
}
