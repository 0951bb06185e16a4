import { type BudgetId, formatLimit, formatUsd, visibleText } from '@quarterdeck/protocol'
import { type ReactNode, useId } from 'react'
import type { StoppedBudget } from '../../state/inbox-store.ts'
import { suggestLimit } from '../../state/suggest-limit.ts'
import type { Verdict } from '../../state/verdict.ts'
import { Meter } from '../../ui/meter.tsx'
import { StateLabel } from '../../ui/state-label.tsx'
import { VerdictLine } from '../../ui/verdict-line.tsx'
import { WaitingClock } from '../../ui/waiting-clock.tsx'
import { OtherBudget } from './other-budget.tsx'
import { RaiseForm } from './raise-form.tsx'

interface BudgetCardProps {
  readonly stopped: StoppedBudget
  readonly title?: ReactNode
  readonly verdict: Verdict | undefined
  readonly onRaiseLimit: (maxBudgetUsd: number) => void
  /** Resolves when the server has answered, whatever it said. */
  readonly onRaiseBudget: (budgetId: BudgetId, limit: number) => Promise<void>
}

/** A session that rests because its money is used up: one press gives it more, and it goes on. */
export function BudgetCard({ stopped, title, verdict, onRaiseLimit, onRaiseBudget }: BudgetCardProps) {
  const headId = useId()
  const isSettled = verdict !== undefined && verdict.phase !== 'failed'
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
              {formatUsd(spentUsd)} of {formatLimit(limitUsd)} is spent. The session rests and goes on when its limit is
              raised.
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
        {verdict !== undefined && <VerdictLine verdict={verdict} />}
      </div>
    </article>
  )
}
