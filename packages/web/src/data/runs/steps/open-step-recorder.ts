// Records the steps of one run in the analysis, before and after each call.
import type { Analysis, AnalysisStep } from '../../domain/analysis.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { QueryEngine } from '../../domain/query-engine.ts'
import { stepName } from '../../steps/step-reads.ts'
import type { BegunStep, StepOutcome, StepRecorder } from '../../steps/step-recorder.ts'
import { sourcesOf, whyWithheld } from '../../steps/step-sources.ts'
import { ToolFailure } from '../../tools/tool-deps.ts'
import type { AnalysisStorage } from '../ports/analysis-services.ts'
import type { AnalysisRecorder } from '../state/analysis-recorder.ts'
import { stepOfCall, stepsOf } from '../state/fold-step.ts'
import type { StepCache } from './step-cache.ts'

export interface StepRecorderOptions extends AnalysisRecorder {
  readonly runId: string
  /** All loaded tables. */
  readonly tables: () => readonly ImportedTable[]
  readonly stepCache: Pick<StepCache, 'bring' | 'has'>
  readonly storage: Pick<AnalysisStorage, 'saveStep'>
}

export function openStepRecorder(options: StepRecorderOptions): StepRecorder {
  const { runId, analysis, record, save, stepCache, storage, tables } = options
  const steps = () => stepsOf(analysis())
  return {
    steps: () => steps().filter((step) => withheldBy(analysis(), tables(), step) === null),
    async begin(step: BegunStep) {
      record({ type: 'step.begun', runId, step, from: sourcesOf(step, { steps: steps(), tables: tables() }) })
      const begun = stepOfCall(analysis(), step.callId)
      if (begun === undefined) throw new Error('the analysis was removed, so this step is not needed')
      await save()
      return begun.n
    },
    async settle(n, outcome) {
      await storeRows(storage, { id: analysis().id, n, outcome })
      record({ type: 'step.settled', n, outcome })
      const step = steps().find((one) => one.n === n)
      if (step?.state === 'ok') stepCache.has(step)
      await save()
    },
    async sent(n, sent) {
      const step = steps().find((one) => one.n === n)
      // A column was locked or a table removed while it ran.
      const isWithheld = step !== undefined && withheldBy(analysis(), tables(), step) !== null
      if (isWithheld) throw new ToolFailure(`Step ${n} is not shown: its source changed while it ran.`)
      record({ type: 'step.sent', n, sent })
      await save()
    },
    bring: (wanted, signal) => stepCache.bring(wanted, signal),
  }
}

/** A step whose rows cannot be stored is still usable: it is run again when needed. */
export async function storeRows(
  storage: Pick<AnalysisStorage, 'saveStep'>,
  { id, n, outcome }: { readonly id: string; readonly n: number; readonly outcome: StepOutcome },
): Promise<void> {
  const ipc = outcome.state === 'ok' && 'ipc' in outcome.content ? outcome.content.ipc : null
  await storage.saveStep(id, n, ipc).catch(() => undefined) // the disk may be full
}

/** Why the model cannot read it; `null` if it can. */
const withheldBy = (analysis: Analysis, tables: readonly ImportedTable[], step: AnalysisStep): string | null =>
  whyWithheld(step, { steps: stepsOf(analysis), tables, scope: analysis.scope })

/** Steps that the model cannot read. */
export const withheldSteps = (analysis: Analysis, tables: readonly ImportedTable[]): readonly string[] =>
  stepsOf(analysis)
    .filter((step) => withheldBy(analysis, tables, step) !== null)
    .map(({ n }) => stepName(n))

/** Wraps an engine so that the model cannot read these names. */
export function hideNames(engine: QueryEngine, names: () => readonly string[]): QueryEngine {
  const less = <Options extends { readonly author: string; readonly hidden?: readonly string[] }>(options: Options) =>
    options.author === 'model' ? { ...options, hidden: [...(options.hidden ?? []), ...names()] } : options
  return {
    ...engine,
    read: (sql, options) => engine.read(sql, less(options)),
    plan: (sql, options) => engine.plan(sql, less(options)),
  }
}
