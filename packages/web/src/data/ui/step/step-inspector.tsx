import { visibleText } from '@quarterdeck/protocol'
import { History, Link2, Pencil, Send, X } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import { CopyButton } from '../../../components/controls/copy-button.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { type AnalysisStep, isEdited, type SentPart } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import type { CellAddress } from '../../domain/proof.ts'
import { sentRowsLabel } from '../../domain/sent-entries.ts'
import { CodeField } from '../controls/code-field.tsx'
import { formatBytes } from '../controls/format-bytes.ts'
import { formatDuration } from '../controls/format-duration.ts'
import { useFollowedDraft } from '../controls/use-followed-draft.ts'
import { RowsGrid } from '../grid/rows-grid.tsx'
import { type StepActionHandlers, StepActions } from './step-actions.tsx'

export type StepRowsState =
  | { readonly status: 'loading' | 'none' }
  | { readonly status: 'there'; readonly rows: Rows; readonly total: number | null }
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
    case 'there':
      return <RowsGrid rows={rows.rows} total={rows.total} outlined={outlined} label={`Rows of step ${step.n}`} />
  }
}

interface StepFactsProps {
  readonly step: AnalysisStep
  readonly isCell: boolean
  readonly proves: readonly string[]
}

/** What the step proves, what was sent, and who wrote it. */
function StepFacts({ step, isCell, proves }: StepFactsProps) {
  const AuthorIcon = isEdited(step) ? Pencil : History
  return (
    <ul className="step-facts icon-list">
      {proves.length > 0 && (
        <li className="proven">
          <Link2 className="icon s" aria-hidden="true" />
          <span role="status">
            {isCell ? 'This cell proves' : 'The number of rows proves'} <b>{proves.join(' and ')}</b> in the answer.
          </span>
        </li>
      )}
      <li>
        <Send className="icon s" aria-hidden="true" />
        <span>{sentLabel(step)}</span>
      </li>
      <li>
        <AuthorIcon className="icon s" aria-hidden="true" />
        <span>{isEdited(step) ? 'Edited by you. The model wrote another version.' : 'As the model wrote it.'}</span>
      </li>
    </ul>
  )
}

function sentLabel(step: AnalysisStep): string {
  const { sent, state } = step
  if (sent === null)
    return state === 'running' ? 'Nothing of this step was sent yet.' : 'Nothing of this step was sent to the model.'
  const when = isEdited(step) ? 'Sent to the model before the edit' : 'Sent to the model'
  return `${when}: ${sentPartLabel(sent)}, ${formatBytes(sent.bytes)}.`
}

function sentPartLabel(sent: SentPart): string {
  if (sent.isError === true) return 'an error'
  return sent.rows === 0 ? 'no rows, only their number and column names' : sentRowsLabel(sent)
}
