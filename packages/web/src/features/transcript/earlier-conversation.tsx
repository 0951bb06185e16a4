import type { ApprovalItem, QuestionEntry } from '@quarterdeck/protocol'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback } from 'react'
import type { EarlierPart } from '../../state/earlier-story.ts'
import { forgottenKeys } from '../../state/rewinds.ts'
import type { SessionStory } from '../../state/session-story.ts'
import { transcriptRows } from '../../state/transcript-rows.ts'
import { sessionName } from '../../ui/session-name.ts'
import { EventRow } from './event-row.tsx'
import type { RowActs } from './row-acts.ts'
import { RowView } from './row-view.tsx'

interface EarlierConversationProps {
  readonly parts: readonly EarlierPart[]
  readonly acts: RowActs
  /** Of the session it was asked in. */
  readonly renderAsk: (item: ApprovalItem | QuestionEntry, story: SessionStory) => ReactNode
}

/** What a fork knows from before it began: dimmed, read only, with the way to where it happened. */
export function EarlierConversation({ parts, ...shared }: EarlierConversationProps) {
  return parts.map((part) => <Part key={part.sessionId} part={part} {...shared} />)
}

interface PartProps extends Omit<EarlierConversationProps, 'parts'> {
  readonly part: EarlierPart
}

function Part({ part: { sessionId, story, isCut }, acts, renderAsk }: PartProps) {
  const navigate = useNavigate()
  // What a subagent did is shown where it did it.
  const onShowAgent = useCallback(
    (agent: string) => void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: { agent } }),
    [navigate, sessionId],
  )
  if (story === null) {
    return (
      <EventRow seq={null}>
        <div className="away">The session this one was forked from has been deleted</div>
      </EventRow>
    )
  }
  const forgotten = forgottenKeys(story.transcript.items, story.rewinds)
  const rows = transcriptRows(story.transcript.items.filter(({ key }) => !forgotten.has(key)))
  const { session } = story
  const partActs = { ...acts, onShowAgent, renderAsk: (item: ApprovalItem | QuestionEntry) => renderAsk(item, story) }
  return (
    <>
      {isCut && (
        <EventRow seq={null}>
          <div className="away">What came before is in the session itself</div>
        </EventRow>
      )}
      {rows.map((row) => (
        <RowView key={row.key} row={row} story={story} acts={partActs} look="earlier" />
      ))}
      <EventRow seq={null}>
        <div className="away">
          Forked here from
          <Link className="link cut" to="/sessions/$sessionId" params={{ sessionId }}>
            {sessionName(session)}
          </Link>
        </div>
      </EventRow>
    </>
  )
}
