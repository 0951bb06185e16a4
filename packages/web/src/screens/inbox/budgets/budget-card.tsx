import { type BudgetId, formatLimit, formatUsd, visibleText } from '@quarterdeck/protocol'
import { type ReactNode, useId } from 'react'
import { SubmissionLine } from '../../../components/asks/submission-line.tsx'
import { WaitingClock } from '../../../components/asks/waiting-clock.tsx'
import { Meter } from '../../../components/controls/meter.tsx'
import { StateLabel } from '../../../components/status/state-label.tsx'
import type { SubmissionStatus } from '../../../stores/asks/submission-status.ts'
import { suggestLimit } from '../../../stores/asks/suggest-limit.ts'
import type { StoppedBudget } from '../../../stores/server/inbox-store.ts'
import { OtherBudget } from './other-budget.tsx'
import { RaiseForm } from './raise-form.tsx'

interface BudgetCardProps {
  readonly stopped: StoppedBudget
  readonly title?: ReactNode
  readonly submission: SubmissionStatus | undefined
  readonly onRaiseLimit: (maxBudgetUsd: number) => void
  /** Resolves when the server has answered, even with a refusal. */
  readonly onRaiseBudget: (budgetId: BudgetId, limit: number) => Promise<void>
}

/** A session that stopped because its budget is spent. Raising the limit lets it continue. */
export function BudgetCard({ stopped, title, submission, onRaiseLimit, onRaiseBudget }: BudgetCardProps) {
  const headId = useId()
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  const { spentUsd, limitUsd, reason } = stopped
  return (
    <article className="ask" aria-labelledby={headId} data-stopped={stopped.sessionId}>
      <header className="ask-head" id={headId}>
        <StateLabel state="stopped_budget" />
        <span className="text-2 cut who">{stopped.agentName}</span>
        <WaitingClock since={stopped.at} />
      </header>
      <div className="ask-body">
        {title}
        {stopped.isOwnLimit ? (
          <>
            <p>
              {formatUsd(spentUsd)} of {formatLimit(limitUsd)} is spent. The session continues when you raise its limit.
            </p>
            <Meter value={spentUsd} limit={limitUsd} />
            <RaiseForm
              suggestion={suggestLimit(spentUsd, limitUsd)}
              least={Math.max(spentUsd, limitUsd)}
              unit="usd"
              disabled={isSettled}
              onRaise={onRaiseLimit}
            />
          </>
        ) : (
          <>
            <p>{visibleText(reason)}</p>
            <OtherBudget stopped={stopped} disabled={isSettled} onRaise={onRaiseBudget} />
          </>
        )}
        {submission !== undefined && <SubmissionLine submission={submission} />}
      </div>
    </article>
  )
}
