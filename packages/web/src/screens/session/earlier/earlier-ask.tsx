import type { ApprovalItem, QuestionEntry } from '@quarterdeck/protocol'
import { SettledApproval } from '../../../components/asks/approval/settled-approval.tsx'
import { SettledQuestion } from '../../../components/asks/question/settled-question.tsx'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'

interface EarlierAskProps {
  readonly item: ApprovalItem | QuestionEntry
  /** Of the session that asked. */
  readonly projection: SessionProjection
}

/** What was asked before a fork: it is decided where it was asked, never here. */
export function EarlierAsk({ item, projection: { session } }: EarlierAskProps) {
  if (item.type === 'approval') {
    const isOpen = session.approvals.some(({ approvalId }) => approvalId === item.request.approvalId)
    return (
      <SettledApproval item={item} folder={session.cwd} {...(isOpen ? { undecided: 'Open in that session' } : {})} />
    )
  }
  const isOpen = session.questions.some(({ questionId }) => questionId === item.question.questionId)
  return <SettledQuestion item={item} {...(isOpen ? { unanswered: 'Open in that session' } : {})} />
}
