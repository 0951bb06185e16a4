import { type BudgetId, budgetLabel, formatLimit, formatUnits, formatUsd } from '@quarterdeck/protocol'
import { useCallback, useState } from 'react'
import { Meter } from '../../../components/controls/meter.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { suggestLimit } from '../../../stores/asks/suggest-limit.ts'
import type { StoppedBudget } from '../../../stores/server/inbox-store.ts'
import { RaiseForm } from './raise-form.tsx'

interface OtherBudgetProps {
  readonly stopped: StoppedBudget
  readonly disabled: boolean
  readonly onRaise: (budgetId: BudgetId, limit: number) => Promise<void>
}

/** The agent, user or server budget that stopped the session, with a field to raise it. */
export function OtherBudget({ stopped: { budgetId }, disabled, onRaise }: OtherBudgetProps) {
  const { client } = useWorkbench()
  const [raisedTo, setRaisedTo] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was raised is read again
  const read = useCallback(() => client.listBudgets(), [client, raisedTo])
  const { value, failure } = useLoaded(read)
  if (failure !== null) return <p className="problem">The budgets could not be loaded: {failure.message}</p>
  if (value === null) return <Loading what="Loading the budgets" />
  const budget = value.budgets.find((one) => one.budgetId === budgetId)
  if (budget === undefined) {
    return (
      <p className="muted">The budget that stopped this session no longer exists. Open the session and resume it.</p>
    )
  }

  async function raise(raised: BudgetId, limit: number): Promise<void> {
    await onRaise(raised, limit)
    setRaisedTo(limit)
  }

  return (
    <div className="stack">
      <p>
        Budget of <b>{budgetLabel(budget)}</b>:{' '}
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
        onRaise={(limit) => void raise(budget.budgetId, limit)}
      />
      {budget.limit === raisedTo && (
        <p className="muted">The limit is raised but still too low for this session. Raise it further.</p>
      )}
    </div>
  )
}
