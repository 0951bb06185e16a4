import type { ApprovalItem, QuestionEntry } from '@quarterdeck/protocol'
import { ApprovalCard } from '../../components/asks/approval/approval-card.tsx'
import { SettledApproval } from '../../components/asks/approval/settled-approval.tsx'
import { QuestionCard } from '../../components/asks/question/question-card.tsx'
import { SettledQuestion } from '../../components/asks/question/settled-question.tsx'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { agentTitle } from '../../stores/session/agent-title.ts'
import type { SessionProjection } from '../../stores/session/session-projection.ts'

interface SessionAskProps {
  readonly item: ApprovalItem | QuestionEntry
  readonly projection: SessionProjection
  readonly onStop: () => void
}

/** An approval or a question: a card while it is open, one line when it is settled. */
export function SessionAsk({ item, projection, onStop }: SessionAskProps) {
  const { inbox } = useWorkbench()
  const { submissions } = useStore(inbox)
  const { approvals, questions, cwd } = projection.session
  if (item.type === 'approval') {
    const open = approvals.find(({ approvalId }) => approvalId === item.request.approvalId)
    if (open === undefined) return <SettledApproval item={item} folder={cwd} />
    return (
      <ApprovalCard
        approval={open}
        who={agentTitle(projection, open.agent)}
        folder={cwd}
        submission={submissions.get(open.approvalId)}
        onDecide={(body) => void inbox.decide(open.approvalId, body)}
        onStop={onStop}
      />
    )
  }
  const open = questions.find(({ questionId }) => questionId === item.question.questionId)
  if (open === undefined) return <SettledQuestion item={item} />
  return (
    <QuestionCard
      question={open}
      who={agentTitle(projection, open.agent)}
      submission={submissions.get(open.questionId)}
      onAnswer={(body) => void inbox.answer(open.questionId, body)}
    />
  )
}
