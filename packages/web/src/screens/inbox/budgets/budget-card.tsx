import {
  type Budget,
  type BudgetId,
  budgetLabel,
  formatLimit,
  formatSpentOfLimit,
  formatUnits,
  visibleText,
} from '@quarterdeck/protocol'
import { type FormEvent, type ReactNode, useCallback, useId, useState } from 'react'
import { AskCard } from '../../../components/asks/ask-card.tsx'
import { Meter } from '../../../components/controls/meter.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import type { SubmissionStatus } from '../../../stores/asks/submission-status.ts'
import { suggestLimit } from '../../../stores/asks/suggest-limit.ts'
import type { StoppedBudget } from '../../../stores/server/inbox-store.ts'

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
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  const { spentUsd, limitUsd, reason } = stopped
  return (
    <AskCard
      state="stopped_budget"
      who={stopped.agentName}
      since={stopped.at}
      submission={submission}
      data={{ 'data-stopped': stopped.sessionId }}
    >
      {title}
      {stopped.isOwnLimit ? (
        <>
          <p>
            {formatSpentOfLimit({ unit: 'usd', spent: spentUsd, limit: limitUsd })} is spent. The session continues when
            you raise its limit.
          </p>
          <RaiseForm spent={spentUsd} limit={limitUsd} unit="usd" disabled={isSettled} onRaise={onRaiseLimit} />
        </>
      ) : (
        <>
          <p>{visibleText(reason)}</p>
          <OtherBudget stopped={stopped} disabled={isSettled} onRaise={onRaiseBudget} />
        </>
      )}
    </AskCard>
  )
}

interface OtherBudgetProps {
  readonly stopped: StoppedBudget
  readonly disabled: boolean
  readonly onRaise: (budgetId: BudgetId, limit: number) => Promise<void>
}

/** The agent, user or server budget that stopped the session, with a field to raise it. */
function OtherBudget({ stopped: { budgetId }, disabled, onRaise }: OtherBudgetProps) {
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
        Budget of <b>{budgetLabel(budget)}</b>: {formatSpentOfLimit(budget)}
      </p>
      <RaiseForm {...budget} disabled={disabled} onRaise={(limit) => void raise(budget.budgetId, limit)} />
      {budget.limit === raisedTo && (
        <p className="muted">The limit is raised but still too low for this session. Raise it further.</p>
      )}
    </div>
  )
}

interface RaiseFormProps extends Pick<Budget, 'spent' | 'limit' | 'unit'> {
  readonly disabled: boolean
  readonly onRaise: (limit: number) => void
}

/** The new limit must be above both amounts. The field starts with a sensible one, so that one click is enough. */
function RaiseForm({ spent, limit, unit, disabled, onRaise }: RaiseFormProps) {
  const [text, setText] = useState(String(suggestLimit(spent, limit)))
  const id = useId()
  const least = Math.max(spent, limit)
  const raised = Number(text.replace(',', '.'))
  const format = unit === 'usd' ? formatLimit : formatUnits
  const isEnough = Number.isFinite(raised) && raised > least
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isEnough) onRaise(raised)
  }
  return (
    <>
      <Meter value={spent} limit={limit} />
      <form className="raise" onSubmit={submit}>
        <label htmlFor={id}>New limit{unit === 'usd' ? ' in dollars' : ' in units'}</label>
        <input
          id={id}
          className="field num"
          inputMode="decimal"
          autoComplete="off"
          value={text}
          disabled={disabled}
          aria-invalid={!isEnough}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="btn" disabled={disabled || !isEnough}>
          {isEnough ? `Raise to ${format(raised)} and continue` : `Must be above ${format(least)}`}
        </button>
      </form>
    </>
  )
}
