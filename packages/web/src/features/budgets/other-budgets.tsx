import { type BudgetId, formatLimit, formatUnits, formatUsd } from '@quarterdeck/protocol'
import { useCallback } from 'react'
import { useLoaded } from '../../hooks/use-loaded.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { budgetsBehind, budgetTitle, suggestLimit } from '../../state/budget-raise.ts'
import type { StoppedBudget } from '../../state/inbox-store.ts'
import { Loading } from '../../ui/loading.tsx'
import { Meter } from '../../ui/meter.tsx'
import { RaiseForm } from './raise-form.tsx'

interface OtherBudgetsProps {
  readonly stopped: StoppedBudget
  readonly disabled: boolean
  readonly onRaise: (budgetId: BudgetId, limit: number) => void
}

/** The budgets of agents, users and periods that can have stopped it, each with a field to raise it. */
export function OtherBudgets({ stopped, disabled, onRaise }: OtherBudgetsProps) {
  const { client } = useWorkbench()
  const { value, failure } = useLoaded(useCallback(() => client.listBudgets(), [client]))
  if (failure !== null) return <p className="problem">The budgets could not be read: {failure.message}</p>
  if (value === null) return <Loading what="Reading the budgets" />
  const budgets = budgetsBehind(stopped, value.budgets)
  if (budgets.length === 0) {
    return <p className="muted">No budget here is used up any more: open the session and resume it.</p>
  }
  return budgets.map((budget) => (
    <div className="stack" key={budget.budgetId}>
      <p>
        Budget of <b>{budgetTitle(budget)}</b>:{' '}
        {budget.unit === 'usd'
          ? `${formatUsd(budget.spent)} of ${formatLimit(budget.limit)}`
          : `${formatUnits(budget.spent)} of ${formatUnits(budget.limit)}`}
      </p>
      <Meter value={budget.spent} limit={budget.limit} />
      <RaiseForm
        suggestion={suggestLimit(budget.spent, budget.limit)}
        least={Math.max(budget.spent, budget.limit)}
        unit={budget.unit}
        disabled={disabled}
        onRaise={(limit) => onRaise(budget.budgetId, limit)}
      />
    </div>
  ))
}
