import type { ApprovalItem, QuestionEntry } from '@quarterdeck/protocol'
import { ApprovalCard } from '../features/approvals/approval-card.tsx'
import { SettledApproval } from '../features/approvals/settled-approval.tsx'
import { QuestionCard } from '../features/questions/question-card.tsx'
import { SettledQuestion } from '../features/questions/settled-question.tsx'
import { useStore } from '../hooks/use-store.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import { agentTitle } from '../state/agent-title.ts'
import type { SessionStory } from '../state/session-story.ts'

interface SessionAskProps {
  readonly item: ApprovalItem | QuestionEntry
  readonly story: SessionStory
  readonly onStop: () => void
}

/** What an agent asks of people: a card while it is open, a line when it is settled. */
export function SessionAsk({ item, story, onStop }: SessionAskProps) {
  const { inbox } = useWorkbench()
  const { verdicts } = useStore(inbox)
  const { approvals, questions, cwd } = story.session
  if (item.type === 'approval') {
    const open = approvals.find(({ approvalId }) => approvalId === item.request.approvalId)
    if (open === undefined) return <SettledApproval item={item} folder={cwd} />
    return (
      <ApprovalCard
        approval={open}
        who={agentTitle(story, open.agent)}
        folder={cwd}
        verdict={verdicts.get(open.approvalId)}
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
      who={agentTitle(story, open.agent)}
      verdict={verdicts.get(open.questionId)}
      onAnswer={(body) => void inbox.answer(open.questionId, body)}
    />
  )
}
