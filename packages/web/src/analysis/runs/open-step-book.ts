// The steps of one run, written down in the analysis before and after each call.
import type { Analysis, Step } from '../analysis.ts'
import type { BegunStep, StepBook, StepOutcome } from '../steps/step-book.ts'
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
  readonly room: Pick<StepRoom, 'bring' | 'has'>
  readonly shelf: Pick<AnalysisShelf, 'saveStep'>
}

export function openStepBook({ runId, analysis, record, save, room, shelf }: StepBookOptions): StepBook {
  const steps = () => stepsOf(analysis())
  return {
    steps,
    async begin(step: BegunStep) {
      record({ type: 'step.begun', runId, step })
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
      record({ type: 'step.sent', n, sent })
      await save()
    },
    bring: (wanted, signal) => room.bring(wanted, signal),
  }
}

/** More than this is found again from its code. */
const keptStepBytes = 5_000_000

/** A step without kept rows is as good: it is found again. */
export async function keepRows({ id, n, outcome, shelf }: KeptRows): Promise<void> {
  const ipc = outcome.state === 'ok' && 'ipc' in outcome.content ? outcome.content.ipc : null
  const kept = ipc !== null && ipc.byteLength <= keptStepBytes ? ipc : null
  await shelf.saveStep(id, n, kept).catch(() => undefined) // the disk may be full
}

interface KeptRows {
  readonly id: string
  readonly n: Step['n']
  readonly outcome: StepOutcome
  readonly shelf: Pick<AnalysisShelf, 'saveStep'>
}
