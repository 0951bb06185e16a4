// The steps of one run, written down in the analysis before and after each call.
import type { Analysis, AnalysisStep } from '../../domain/analysis.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { stepName } from '../../steps/step-reads.ts'
import type { BegunStep, StepOutcome, StepRecorder } from '../../steps/step-recorder.ts'
import { sourcesOf, whyWithheld } from '../../steps/step-sources.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { AnalysisStorage } from '../ports/analysis-storage.ts'
import type { AnalysisFact } from '../state/analysis-fact.ts'
import { stepOfCall, stepsOf } from '../state/fold-step.ts'
import type { StepCache } from './step-cache.ts'

export interface StepRecorderOptions {
  readonly runId: string
  readonly analysis: () => Analysis
  readonly record: (fact: AnalysisFact) => void
  /** Resolves when everything is written down. */
  readonly save: () => Promise<void>
  /** Every table that is here. */
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
      if (begun === undefined) throw new Error('the analysis is gone: nobody wants this step any more')
      await save()
      return begun.n
    },
    async settle(n, outcome) {
      await storeRows({ id: analysis().id, n, outcome, storage })
      record({ type: 'step.settled', n, outcome })
      const step = steps().find((one) => one.n === n)
      if (step?.state === 'ok') stepCache.has(step)
      await save()
    },
    async sent(n, sent) {
      const step = steps().find((one) => one.n === n)
      // Somebody locked a column, or took a table away, while it ran.
      const isWithheld = step !== undefined && withheldBy(analysis(), tables(), step) !== null
      if (isWithheld) throw new ToolFailure(`Step ${n} is not shown: what it reads changed while it ran.`)
      record({ type: 'step.sent', n, sent })
      await save()
    },
    bring: (wanted, signal) => stepCache.bring(wanted, signal),
  }
}

/** A step whose rows are too many to be kept, or have no space, is as good: it is found again from its code. */
export async function storeRows({ id, n, outcome, storage }: StepRowsToStore): Promise<void> {
  const ipc = outcome.state === 'ok' && 'ipc' in outcome.content ? outcome.content.ipc : null
  await storage.saveStep(id, n, ipc).catch(() => undefined) // the disk may be full
}

interface StepRowsToStore {
  readonly id: string
  readonly n: AnalysisStep['n']
  readonly outcome: StepOutcome
  readonly storage: Pick<AnalysisStorage, 'saveStep'>
}

/** Why the model does not have it; `null` where it does. */
const withheldBy = (analysis: Analysis, tables: readonly ImportedTable[], step: AnalysisStep): string | null =>
  whyWithheld(step, { steps: stepsOf(analysis), tables, scope: analysis.scope })

/** Steps that are not there for the model. */
export const withheldSteps = (analysis: Analysis, tables: readonly ImportedTable[]): readonly string[] =>
  stepsOf(analysis)
    .filter((step) => withheldBy(analysis, tables, step) !== null)
    .map(({ n }) => stepName(n))
