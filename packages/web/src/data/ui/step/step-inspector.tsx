import { formatDuration, visibleText } from '@quarterdeck/protocol'
import { X } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import { CopyButton } from '../../../components/controls/copy-button.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { type AnalysisStep, isEdited } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import type { CellAddress } from '../../domain/proof.ts'
import { CodeField } from '../controls/code-field.tsx'
import { useFollowedDraft } from '../controls/use-followed-draft.ts'
import { RowsGrid } from '../grid/rows-grid.tsx'
import { type StepActionHandlers, StepActions } from './step-actions.tsx'
import { StepFacts } from './step-facts.tsx'

export type StepRowsState =
  | { readonly status: 'loading' | 'none' }
  | { readonly status: 'loaded'; readonly rows: Rows; readonly total: number | null }
  | { readonly status: 'failed'; readonly message: string }

interface StepInspectorProps {
  readonly step: AnalysisStep
  readonly rows: StepRowsState
  /** The cell that a number links to. */
  readonly outlined: CellAddress | null
  /** The numbers of the answer that this cell or the row count proves. */
  readonly proves: readonly string[]
  /** Whether later steps read it. */
  readonly hasReaders: boolean
  /** Names of all tables: its rows cannot become a table with one of them. */
  readonly takenNames: readonly string[]
  /** Why the model can no longer read it. */
  readonly withheld: string | null
  readonly isBusy: boolean
  /** Why the last action failed. */
  readonly problem: string | null
  readonly actions: StepActionHandlers
}

/** One step: its reason, code, rows, and sent data. */
export function StepInspector(props: StepInspectorProps) {
  const { step, rows, proves, withheld, isBusy, problem, actions } = props
  // The address may name a cell that proves nothing any more because its step ran again.
  const outlined = proves.length === 0 ? null : props.outlined
  const [draft, setDraft] = useFollowedDraft(step.code)
  const isChanged = draft !== step.code
  const run = () => {
    if (!isBusy) actions.onRun(draft)
  }
  return (
    <aside className="pane inspector scroll" aria-label={`Step ${step.n}`}>
      <div className="pane-head">
        <h2 className="label grow">Step {step.n}</h2>
        {step.elapsedMs !== null && <span className="muted num">ran in {formatDuration(step.elapsedMs)}</span>}
        <Button variant={['s', 'quiet', 'square']} aria-label="Close the step" onClick={actions.onClose}>
          <X className="icon s" aria-hidden="true" />
        </Button>
      </div>
      {step.thought !== '' && <p className="sec text-2">{visibleText(step.thought)}</p>}
      <div className="editor">
        <CodeField
          label={`${step.language === 'sql' ? 'SQL' : 'JavaScript'} of step ${step.n}`}
          language={step.language}
          value={draft}
          onChange={setDraft}
          onRun={run}
        />
        <CopyButton text={draft} label="Copy the code" />
      </div>
      <StepActions
        step={step}
        draft={draft}
        isBusy={isBusy}
        hasReaders={props.hasReaders}
        takenNames={props.takenNames}
        onRun={run}
        onDiscard={isChanged ? () => setDraft(step.code) : null}
        onRestore={
          isEdited(step)
            ? () => {
                setDraft(step.original)
                actions.onRestore()
              }
            : null
        }
        actions={actions}
      />
      {withheld !== null && (
        <p className="sec text-2">Later questions cannot read this step: {visibleText(withheld)}.</p>
      )}
      {problem !== null && (
        <p className="sec step-error" role="alert">
          {visibleText(problem)}
        </p>
      )}
      {problem === null && step.error !== null && <p className="sec step-error">{visibleText(step.error)}</p>}
      <StepRows step={step} rows={rows} outlined={outlined} />
      <StepFacts step={step} isCell={outlined !== null} proves={proves} />
    </aside>
  )
}

function StepRows({ step, rows, outlined }: Pick<StepInspectorProps, 'step' | 'rows' | 'outlined'>) {
  switch (rows.status) {
    case 'none':
      return null
    case 'loading':
      return <Loading what="Loading rows" />
    case 'failed':
      return (
        <div className="sec">
          <ErrorCard
            what="The rows could not be read"
            detail={rows.message}
            saved="the step. Run it again to get its rows."
          />
        </div>
      )
    case 'loaded':
      return <RowsGrid rows={rows.rows} total={rows.total} outlined={outlined} label={`Rows of step ${step.n}`} />
  }
}
