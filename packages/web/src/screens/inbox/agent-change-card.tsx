import { type AgentChange, visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import { SubmissionLine } from '../../components/asks/submission-line.tsx'
import { WaitingClock } from '../../components/asks/waiting-clock.tsx'
import { Button } from '../../components/controls/button.tsx'
import { StateLabel } from '../../components/status/state-label.tsx'
import type { SubmissionStatus } from '../../stores/asks/submission-status.ts'

interface AgentChangeCardProps {
  readonly change: AgentChange
  readonly submission: SubmissionStatus | undefined
  readonly onDecide: (decision: 'accept' | 'reject') => void
}

/** A new or changed agent file that adds tools or permissions and waits for confirmation. */
export function AgentChangeCard({ change, submission, onDecide }: AgentChangeCardProps) {
  const headId = useId()
  const { agentName, added, at, isNew } = change
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  return (
    <article className="ask" aria-labelledby={headId} data-change={change.version}>
      <header className="ask-head" id={headId}>
        <StateLabel state="waiting_approval" />
        <span className="text-2 ellipsis who">{visibleText(agentName)}</span>
        <WaitingClock since={at} />
      </header>
      <div className="ask-body">
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
        {submission !== undefined && <SubmissionLine submission={submission} />}
      </div>
    </article>
  )
}
