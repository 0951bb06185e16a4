// The rows of steps, in the engine of this tab: they come back from where they are kept, or are found again.
import type { Step } from '../analysis.ts'
import { EngineError, type ReadResult } from '../engine.ts'
import { onceMore } from '../once-more.ts'
import { stepName } from '../steps/step-reads.ts'
import { runCode } from '../tools/run-code.ts'
import type { CodeRunner } from '../tools/tool-deps.ts'
import type { AnalysisShelf } from './analysis-shelf.ts'

export interface StepRoom {
  /** After it `step_n` of each is in the engine. Rejects with `EngineError`. */
  bring(steps: readonly number[], signal: AbortSignal): Promise<void>
  rows(n: number, maxRows: number, signal: AbortSignal): Promise<ReadResult>
  /** The engine has its rows: somebody just put them there. */
  has(step: Step): void
  /** The engine began anew, or has other tables. */
  forget(): void
}

export interface StepRoomOptions {
  readonly analysisId: string
  readonly runner: CodeRunner
  readonly shelf: Pick<AnalysisShelf, 'loadStep'>
  readonly steps: () => readonly Step[]
}

/** Long enough for what a person looks at. */
const stepTimeoutMs = 30_000

export function createStepRoom({ analysisId, runner, shelf, steps }: StepRoomOptions): StepRoom {
  const { engine } = runner
  /** Which version of a step the engine has: one that ran again is another one. */
  const present = new Map<number, string>()
  const coming = new Map<number, Promise<void>>()

  async function find(step: Step, signal: AbortSignal): Promise<void> {
    const { n, reads, language, code } = step
    const ipc = await shelf.loadStep(analysisId, n)
    if (ipc !== null) return engine.keepStep(n, { ipc })
    await bring(reads, signal)
    if (language === 'sql') return engine.keepStep(n, { sql: code })
    // As it was made the first time: its rows were too many to be kept.
    await runCode(runner, step, { hidden: [], signal })
  }

  async function bringOne(n: number, signal: AbortSignal): Promise<void> {
    const step = steps().find((one) => one.n === n)
    if (step === undefined || (step.state !== 'ok' && step.state !== 'stale')) {
      throw new EngineError('sql', `${stepName(n)} has no rows${step === undefined ? ': there is no such step' : ''}`)
    }
    if (present.get(n) === versionOf(step)) return
    await (coming.get(n) ?? come(step, signal))
  }

  function come(step: Step, signal: AbortSignal): Promise<void> {
    const found = find(step, signal)
      .then(() => void present.set(step.n, versionOf(step)))
      .finally(() => coming.delete(step.n))
    coming.set(step.n, found)
    return found
  }

  async function bring(wanted: readonly number[], signal: AbortSignal): Promise<void> {
    for (const n of wanted) await bringOne(n, signal)
  }

  return {
    bring,
    rows: (n, maxRows, signal) =>
      onceMore(async () => {
        await bring([n], signal)
        const options = { author: 'person', maxRows, timeoutMs: stepTimeoutMs, signal } as const
        return engine.read(`SELECT * FROM ${stepName(n)}`, options)
      }),
    has: (step) => void present.set(step.n, versionOf(step)),
    forget: () => present.clear(),
  }
}

const versionOf = ({ startedAt, code }: Step): string => `${startedAt} ${code}`
