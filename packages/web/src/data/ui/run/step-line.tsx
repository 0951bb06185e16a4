import { formatDuration, visibleText } from '@quarterdeck/protocol'
import { Pencil } from 'lucide-react'
import { formatBytes } from '../../../components/format/format-bytes.ts'
import { StateGlyph } from '../../../components/status/state-glyph.tsx'
import { type AnalysisStep, isEdited } from '../../domain/analysis.ts'
import { countLabel } from '../../domain/count-label.ts'
import { stepTitle } from '../../steps/step-title.ts'
import { errorLine } from './run-progress.ts'

interface StepLineProps {
  readonly step: AnalysisStep
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly isChosen: boolean
  readonly correctedBy: number | null
  readonly onChoose: () => void
}

const glyphs = {
  running: 'running',
  ok: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
  stale: 'completed',
} as const
const stateLabels = {
  running: 'Running',
  ok: 'Done',
  error: 'Failed',
  cancelled: 'Cancelled',
  stale: 'Outdated',
} as const

/** One line of a run: number, state, reason, and cost. */
export function StepLine({ step, isFirst, isLast, isChosen, correctedBy, onChoose }: StepLineProps) {
  const looks = [isFirst && 'first', isLast && 'last', isChosen && 'on'].filter((look) => look !== false)
  return (
    <li className={['ev step', ...looks].join(' ')} data-step={step.n} data-look={step.state}>
      <span className="seq" aria-hidden="true">
        {step.n}
      </span>
      <span className="mark">
        <StateGlyph state={glyphs[step.state]} />
      </span>
      <button type="button" className="tool-head" aria-current={isChosen || undefined} onClick={onChoose}>
        <span className="ellipsis grow">
          <span className="visually-hidden">
            Step {step.n}, {stateLabels[step.state]}:{' '}
          </span>
          {visibleText(stepTitle(step))}
          <Remark step={step} correctedBy={correctedBy} />
        </span>
        {isEdited(step) && (
          <span className="edited caption">
            <Pencil className="icon s" aria-hidden="true" />
            edited
          </span>
        )}
        <span className="facts">
          {step.rowCount !== null && <span>{countLabel(step.rowCount, 'row')}</span>}
          {step.elapsedMs !== null && <span>{formatDuration(step.elapsedMs)}</span>}
          {step.sent !== null && <span>sent {formatBytes(step.sent.bytes)}</span>}
        </span>
      </button>
    </li>
  )
}

function Remark({ step, correctedBy }: Pick<StepLineProps, 'step' | 'correctedBy'>) {
  if (step.state === 'stale') return <span className="muted"> outdated: a step it reads was changed</span>
  if (step.state === 'cancelled' && step.error !== null) return <span className="muted"> stopped: run it again</span>
  if (step.state !== 'error') return null
  const corrected = correctedBy === null ? '' : `, corrected in step ${correctedBy}`
  return (
    <span className="muted">
      {' '}
      {visibleText(errorLine(step.error ?? 'failed'))}
      {corrected}
    </span>
  )
}
