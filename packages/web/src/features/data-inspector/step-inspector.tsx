import { visibleText } from '@quarterdeck/protocol'
import { X } from 'lucide-react'
import { isEdited, type Step } from '../../analysis/analysis.ts'
import type { CellAddress } from '../../analysis/proof.ts'
import { useFollowedDraft } from '../../hooks/use-followed-draft.ts'
import { Button } from '../../ui/button.tsx'
import { CodeField } from '../../ui/code-field.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { StepActions } from './step-actions.tsx'
import { StepFacts } from './step-facts.tsx'
import { StepRows, type StepRowsState } from './step-rows.tsx'

export interface StepActs {
  readonly onRun: (code: string) => void
  readonly onRunFrom: () => void
  readonly onRestore: () => void
  /** `null` where nothing runs again; a question is stopped where it was asked. */
  readonly onStop: (() => void) | null
  readonly onUseAsTable: (name: string) => void
  /** `null` while there are no rows. */
  readonly onExport: (() => void) | null
  readonly onAskAbout: () => void
  readonly onClose: () => void
}

interface StepInspectorProps {
  readonly step: Step
  readonly rows: StepRowsState
  /** The cell a number led to. */
  readonly outlined: CellAddress | null
  /** The numbers of the answer that this cell, or the count of the rows, proves. */
  readonly proves: readonly string[]
  /** Whether later steps read it. */
  readonly hasReaders: boolean
  /** Names that tables have: its rows cannot become a table of that name. */
  readonly takenNames: readonly string[]
  /** Why the model does not have it any more. */
  readonly withheld: string | null
  readonly isBusy: boolean
  /** Why the last act did not work. */
  readonly problem: string | null
  readonly acts: StepActs
}

/** One step: why, its code, its rows, and what of them was sent. */
export function StepInspector(props: StepInspectorProps) {
  const { step, rows, proves, withheld, isBusy, problem, acts } = props
  // The address may still name a cell that proves nothing since its step ran again.
  const outlined = proves.length === 0 ? null : props.outlined
  const [draft, setDraft] = useFollowedDraft(step.code)
  const isChanged = draft !== step.code
  const run = () => {
    if (!isBusy) acts.onRun(draft)
  }
  return (
    <aside className="pane inspector scroll" aria-label={`Step ${step.n}`}>
      <div className="pane-head">
        <h2 className="label grow">Step {step.n}</h2>
        {step.elapsedMs !== null && <span className="muted num">ran in {formatDuration(step.elapsedMs)}</span>}
        <Button look={['s', 'quiet', 'square']} aria-label="Close the step" onClick={acts.onClose}>
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
                acts.onRestore()
              }
            : null
        }
        acts={acts}
      />
      {withheld !== null && (
        <p className="sec text-2">Later questions do not read this step: {visibleText(withheld)}.</p>
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
