// The steps of one run, written down in the analysis before and after each call.
import type { Analysis, Step } from '../analysis.ts'
import type { KeptTable } from '../kept-table.ts'
import type { BegunStep, StepBook, StepOutcome } from '../steps/step-book.ts'
import { stepName } from '../steps/step-reads.ts'
import { sourcesOf, whyWithheld } from '../steps/step-sources.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import type { AnalysisFact } from './analysis-fact.ts'
import type { AnalysisShelf } from './analysis-shelf.ts'
import type { StepRoom } from './create-step-room.ts'
import { stepOfCall, stepsOf } from './fold-step.ts'

export interface StepBookOptions {
  readonly runId: string
  readonly analysis: () => Analysis
  readonly record: (fact: AnalysisFact) => void
  /** Resolves when everything is written down. */
  readonly save: () => Promise<void>
  /** Every table that is here. */
  readonly tables: () => readonly KeptTable[]
  readonly room: Pick<StepRoom, 'bring' | 'has'>
  readonly shelf: Pick<AnalysisShelf, 'saveStep'>
}

export function openStepBook(options: StepBookOptions): StepBook {
  const { runId, analysis, record, save, room, shelf, tables } = options
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
      await keepRows({ id: analysis().id, n, outcome, shelf })
      record({ type: 'step.settled', n, outcome })
      const step = steps().find((one) => one.n === n)
      if (step?.state === 'ok') room.has(step)
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
    bring: (wanted, signal) => room.bring(wanted, signal),
  }
}

/** A step whose rows are too many to be kept, or have no space, is as good: it is found again from its code. */
export async function keepRows({ id, n, outcome, shelf }: KeptRows): Promise<void> {
  const ipc = outcome.state === 'ok' && 'ipc' in outcome.content ? outcome.content.ipc : null
  await shelf.saveStep(id, n, ipc).catch(() => undefined) // the disk may be full
}

interface KeptRows {
  readonly id: string
  readonly n: Step['n']
  readonly outcome: StepOutcome
  readonly shelf: Pick<AnalysisShelf, 'saveStep'>
}

/** Why the model does not have it; `null` where it does. */
const withheldBy = (analysis: Analysis, tables: readonly KeptTable[], step: Step): string | null =>
  whyWithheld(step, { steps: stepsOf(analysis), tables, scope: analysis.scope })

/** Steps that are not there for the model. */
export const withheldSteps = (analysis: Analysis, tables: readonly KeptTable[]): readonly string[] =>
  stepsOf(analysis)
    .filter((step) => withheldBy(analysis, tables, step) !== null)
    .map(({ n }) => stepName(n))
