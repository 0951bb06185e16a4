import { messageOf } from '@quarterdeck/protocol'
import { useEffect, useState } from 'react'
import { useAction } from '../../../hooks/use-action.ts'
import { useStore } from '../../../hooks/use-store.ts'
import { type Analysis, type AnalysisStep, hasRows, isOpenRun, type Run } from '../../domain/analysis.ts'
import type { DataServices, EngineState, OpenAnalysis } from '../../domain/data-services.ts'
import { isCell, type Proof } from '../../domain/proof.ts'
import { exportCsv } from '../../export/export-csv.ts'
import { type RunProof, stepRowLimit } from '../../proof/create-answer-proofs.ts'
import { whyWithheld } from '../../steps/step-sources.ts'
import { StepInspector, type StepRowsState } from './step-inspector.tsx'

interface StepPaneProps {
  readonly services: DataServices
  readonly open: OpenAnalysis
  readonly analysis: Analysis
  readonly proofs: ReadonlyMap<string, RunProof>
  readonly chosen: { readonly step: number; readonly proof: Proof }
  readonly onClose: () => void
  readonly onAskAbout: (n: number) => void
}

/** The right pane with the selected step. State is per step, so that errors do not carry over. */
export function StepPane({ services, open, analysis, proofs, chosen, onClose, onAskAbout }: StepPaneProps) {
  const { status: engine } = useStore(services.engine)
  const { tables, listed, missing } = useStore(services.tables)
  const steps = analysis.runs.flatMap((run) => run.steps)
  const step = steps.find(({ n }) => n === chosen.step) ?? null
  const rows = useStepRows(open, step, engine)
  const { run, isBusy, failure } = useAction()
  const stopping = useAction()
  if (step === null) {
    return (
      <aside className="pane inspector scroll" aria-label={`Step ${chosen.step}`}>
        <p className="sec text-2">There is no step {chosen.step} in this analysis.</p>
      </aside>
    )
  }
  return (
    <StepInspector
      step={step}
      rows={rows}
      outlined={isCell(chosen.proof) ? chosen.proof : null}
      proves={provenBy(chosen.proof, analysis.runs, proofs)}
      hasReaders={steps.some(({ reads }) => reads.includes(step.n))}
      takenNames={[...(listed ?? []), ...missing].map(({ name }) => name)}
      withheld={tables === null ? null : whyWithheld(step, { steps, tables, scope: analysis.scope })}
      isBusy={isBusy || step.state === 'running'}
      problem={(failure ?? stopping.failure)?.message ?? null}
      actions={{
        onRun: (code) => void run(() => open.editStep(step.n, code)),
        onRunFrom: () => void run(() => open.runFrom(step.n)),
        onStop: isRunAgain(analysis) ? () => void stopping.run(open.cancel) : null,
        onRestore: () => void run(() => open.restoreStep(step.n)),
        // biome-ignore lint/correctness/useHookAtTopLevel: an action of the analysis that is named like a hook
        onUseAsTable: (name) => void run(() => open.useAsTable(step.n, name)),
        onExport: rows.status === 'loaded' ? () => exportCsv(rows.rows, analysis.title, `step ${step.n}`) : null,
        onAskAbout: () => onAskAbout(step.n),
        onClose,
      }}
    />
  )
}

/** A step runs outside of a question: the user reruns it. */
const isRunAgain = ({ runs }: Analysis): boolean =>
  !runs.some(isOpenRun) && runs.some(({ steps }) => steps.some(({ state }) => state === 'running'))

/** The numbers of answers that link to this cell, or to the row count of the step. */
function provenBy(chosen: Proof, runs: readonly Run[], proofs: ReadonlyMap<string, RunProof>): readonly string[] {
  const found = runs.flatMap(({ id }) =>
    (proofs.get(id)?.pieces ?? []).flatMap((piece) => {
      if (piece.kind !== 'number' || piece.proof === null || piece.proof.step !== chosen.step) return []
      const { proof } = piece
      if (isCell(proof) !== isCell(chosen)) return []
      const isSame = !isCell(proof) || !isCell(chosen) || (proof.row === chosen.row && proof.column === chosen.column)
      return isSame ? [piece.text] : []
    }),
  )
  return [...new Set(found)]
}

/** The rows of the selected step, reloaded when it ran again or when the database starts. */
function useStepRows(open: OpenAnalysis, step: AnalysisStep | null, engine: EngineState['status']): StepRowsState {
  const [loaded, setLoaded] = useState<StepRowsState>({ status: 'none' })
  const [n, version] =
    step !== null && hasRows(step) ? [step.n, `${step.startedAt} ${step.elapsedMs} ${step.rowCount}`] : [null, '']
  const total = step?.rowCount ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes when its rows do
  useEffect(() => {
    if (n === null) {
      setLoaded({ status: 'none' })
      return
    }
    const leaving = new AbortController()
    setLoaded({ status: 'loading' })
    open.rows(n, stepRowLimit, leaving.signal).then(
      (rows) => leaving.signal.aborted || setLoaded({ status: 'loaded', rows, total: rows.rowCount ?? total }),
      (error: unknown) => leaving.signal.aborted || setLoaded({ status: 'failed', message: messageOf(error) }),
    )
    return () => leaving.abort()
  }, [open, n, version, engine])
  return loaded
}
