import { type AgentChange, visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import type { Verdict } from '../../state/verdict.ts'
import { Button } from '../../ui/button.tsx'
import { StateLabel } from '../../ui/state-label.tsx'
import { VerdictLine } from '../../ui/verdict-line.tsx'
import { WaitingClock } from '../../ui/waiting-clock.tsx'

interface AgentChangeCardProps {
  readonly change: AgentChange
  readonly verdict: Verdict | undefined
  readonly onDecide: (decision: 'accept' | 'reject') => void
}

/** A new or changed agent file that adds tools or permissions and waits for confirmation. */
export function AgentChangeCard({ change, verdict, onDecide }: AgentChangeCardProps) {
  const headId = useId()
  const { agentName, added, at, isNew } = change
  const isSettled = verdict !== undefined && verdict.phase !== 'failed'
  return (
    <article className="ask" aria-labelledby={headId} data-change={change.version}>
      <header className="ask-head" id={headId}>
        <StateLabel state="waiting_approval" />
        <span className="text-2 cut who">{visibleText(agentName)}</span>
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
          <Button look={['s']} disabled={isSettled} onClick={() => onDecide('reject')}>
            Reject
          </Button>
        </div>
        {verdict !== undefined && <VerdictLine verdict={verdict} />}
      </div>
    </article>
  )
}
