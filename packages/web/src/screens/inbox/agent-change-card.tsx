import { type AgentChange, visibleText } from '@quarterdeck/protocol'
import { AskCard } from '../../components/asks/ask-card.tsx'
import { Button } from '../../components/controls/button.tsx'
import type { SubmissionStatus } from '../../stores/asks/submission-status.ts'

interface AgentChangeCardProps {
  readonly change: AgentChange
  readonly submission: SubmissionStatus | undefined
  readonly onDecide: (decision: 'accept' | 'reject') => void
}

/** A new or changed agent file that adds tools or permissions and waits for confirmation. */
export function AgentChangeCard({ change, submission, onDecide }: AgentChangeCardProps) {
  const { agentName, added, at, isNew } = change
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  return (
    <AskCard
      state="waiting_approval"
      who={visibleText(agentName)}
      since={at}
      submission={submission}
      data={{ 'data-change': change.version }}
    >
      <p>
        {isNew
          ? 'This agent file is new. The agent cannot start until you accept the file.'
          : 'This agent file was changed. Sessions use the accepted version until you accept the change.'}{' '}
        An agent may have written it. It adds:
      </p>
      <ul>
        {added.map((addition) => (
          <li key={addition}>{visibleText(addition)}</li>
        ))}
      </ul>
      <div className="row">
        <Button disabled={isSettled} onClick={() => onDecide('accept')}>
          Accept
        </Button>
        <Button variant={['s']} disabled={isSettled} onClick={() => onDecide('reject')}>
          Reject
        </Button>
      </div>
    </AskCard>
  )
}
