import type { ApprovalItem, QuestionEntry, SessionState } from '@quarterdeck/protocol'
import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { SettledApproval } from '../../../components/asks/approval/settled-approval.tsx'
import { SettledQuestion } from '../../../components/asks/question/settled-question.tsx'
import { sessionName } from '../../../components/status/session-name.ts'
import type { EarlierSession } from '../../../stores/session/earlier-sessions.ts'
import { forgottenKeys } from '../../../stores/session/rewinds.ts'
import { transcriptRows } from '../../../stores/transcript/transcript-rows.ts'
import { NoteRow } from '../transcript/note-row.tsx'
import type { RowActions } from '../transcript/row-actions.ts'
import { RowView } from '../transcript/row-view.tsx'

interface EarlierSessionRowsProps {
  readonly earlierSession: EarlierSession
  readonly actions: RowActions
}

export function EarlierSessionRows({ earlierSession, actions }: EarlierSessionRowsProps) {
  const { sessionId, projection, isCut } = earlierSession
  const navigate = useNavigate()
  // The steps of a subagent are shown in its own session.
  const onShowAgent = useCallback(
    (agent: string) => void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: { agent } }),
    [navigate, sessionId],
  )
  if (projection === null) {
    return <NoteRow>The session this one was forked from has been deleted</NoteRow>
  }
  const forgotten = forgottenKeys(projection.transcript.items, projection.rewinds)
  const rows = transcriptRows(projection.transcript.items.filter(({ key }) => !forgotten.has(key)))
  const { session } = projection
  const sessionRowActions = {
    ...actions,
    onShowAgent,
    renderAsk: (item: ApprovalItem | QuestionEntry) => <EarlierAsk item={item} session={session} />,
  }
  return (
    <>
      {isCut && <NoteRow>Earlier events are in the original session</NoteRow>}
      {rows.map((row) => (
        <RowView key={row.key} row={row} projection={projection} actions={sessionRowActions} variant="earlier" />
      ))}
      <NoteRow>
        Forked here from
        <Link className="link ellipsis" to="/sessions/$sessionId" params={{ sessionId }}>
          {sessionName(session)}
        </Link>
      </NoteRow>
    </>
  )
}

interface EarlierAskProps {
  readonly item: ApprovalItem | QuestionEntry
  /** The session that asked. */
  readonly session: SessionState
}

const openThere = 'Open in that session'

/** A request from before a fork. It can be decided only in the original session. */
function EarlierAsk({ item, session }: EarlierAskProps) {
  if (item.type === 'approval') {
    const isOpen = session.approvals.some(({ approvalId }) => approvalId === item.request.approvalId)
    return <SettledApproval item={item} folder={session.cwd} undecided={isOpen ? openThere : undefined} />
  }
  const isOpen = session.questions.some(({ questionId }) => questionId === item.question.questionId)
  return <SettledQuestion item={item} unanswered={isOpen ? openThere : undefined} />
}
