import type { ApprovalItem, QuestionEntry } from '@quarterdeck/protocol'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback } from 'react'
import { sessionName } from '../../../components/status/session-name.ts'
import type { EarlierSession } from '../../../stores/session/earlier-sessions.ts'
import { forgottenKeys } from '../../../stores/session/rewinds.ts'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import { transcriptRows } from '../../../stores/transcript/transcript-rows.ts'
import { EventRow } from '../transcript/event-row.tsx'
import type { RowActions } from '../transcript/row-actions.ts'
import { RowView } from '../transcript/row-view.tsx'

interface EarlierConversationProps {
  readonly earlierSessions: readonly EarlierSession[]
  readonly actions: RowActions
  /** Of the session it was asked in. */
  readonly renderAsk: (item: ApprovalItem | QuestionEntry, projection: SessionProjection) => ReactNode
}

/** What a fork knows from before it began: dimmed, read only, with the way to where it happened. */
export function EarlierConversation({ earlierSessions, ...shared }: EarlierConversationProps) {
  return earlierSessions.map((earlierSession) => (
    <EarlierSessionRows key={earlierSession.sessionId} earlierSession={earlierSession} {...shared} />
  ))
}

interface EarlierSessionRowsProps extends Omit<EarlierConversationProps, 'earlierSessions'> {
  readonly earlierSession: EarlierSession
}

function EarlierSessionRows({
  earlierSession: { sessionId, projection, isCut },
  actions,
  renderAsk,
}: EarlierSessionRowsProps) {
  const navigate = useNavigate()
  // What a subagent did is shown where it did it.
  const onShowAgent = useCallback(
    (agent: string) => void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: { agent } }),
    [navigate, sessionId],
  )
  if (projection === null) {
    return (
      <EventRow seq={null}>
        <div className="away">The session this one was forked from has been deleted</div>
      </EventRow>
    )
  }
  const forgotten = forgottenKeys(projection.transcript.items, projection.rewinds)
  const rows = transcriptRows(projection.transcript.items.filter(({ key }) => !forgotten.has(key)))
  const { session } = projection
  const sessionRowActions = {
    ...actions,
    onShowAgent,
    renderAsk: (item: ApprovalItem | QuestionEntry) => renderAsk(item, projection),
  }
  return (
    <>
      {isCut && (
        <EventRow seq={null}>
          <div className="away">What came before is in the session itself</div>
        </EventRow>
      )}
      {rows.map((row) => (
        <RowView key={row.key} row={row} projection={projection} actions={sessionRowActions} variant="earlier" />
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
