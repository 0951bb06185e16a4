import { formatDuration, formatUnits, formatUsd } from '@quarterdeck/protocol'
import { StateLabel } from '../../../components/status/state-label.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import type { Run } from '../../domain/analysis.ts'
import { countLabel } from '../../domain/count-label.ts'
import { statusOf } from '../../domain/status-of.ts'
import { progressLabel } from './run-progress.ts'

/** The status of a run, its duration, and at its end the cost. */
export function RunLine({ run }: { readonly run: Run }) {
  return (
    <div className="facts-row runline caption num">
      {run.state === 'running' ? <RunningFacts run={run} /> : <RunFacts run={run} />}
    </div>
  )
}

const longMs = 60_000

function RunningFacts({ run }: { readonly run: Run }) {
  const now = useNow(500)
  const running = run.steps.findLast(({ state }) => state === 'running')
  const elapsed = Math.max(0, now - Date.parse(running?.startedAt ?? run.startedAt))
  const label = progressLabel(run)
  return (
    <>
      <StateLabel state="running" />
      <span aria-hidden="true">{label}</span>
      <span aria-hidden="true">{formatDuration(elapsed)}</span>
      {now - Date.parse(run.startedAt) > longMs && <span>You can go to other pages meanwhile: the run continues.</span>}
      {/* The clock ticks for eyes only. */}
      <span className="visually-hidden" role="status">
        {label}
      </span>
    </>
  )
}

function RunFacts({ run }: { readonly run: Run }) {
  const usage = run.answer?.usage ?? null
  return (
    <>
      <StateLabel state={statusOf(run.state, run.ask?.kind)} />
      <span>{countLabel(run.steps.length, 'step')}</span>
      {run.endedAt !== null && (
        <span>{formatDuration(Math.max(0, Date.parse(run.endedAt) - Date.parse(run.startedAt)))}</span>
      )}
      {usage !== null && usage.costUsd !== null && <span>{formatUsd(usage.costUsd)}</span>}
      {usage !== null && <span>{formatUnits(usage.units)}</span>}
      <span className="visually-hidden" role="status">
        {run.state === 'done' ? `Answered: ${run.question}` : ''}
      </span>
    </>
  )
}
