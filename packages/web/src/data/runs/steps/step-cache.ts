// The rows of steps, in the engine of this tab: they come back from where they are kept, or are found again.
import type { AnalysisStep } from '../../domain/analysis.ts'
import { EngineError, type ReadResult } from '../../domain/query-engine.ts'
import { retryAfterRestart } from '../../domain/retry-after-restart.ts'
import { stepName } from '../../steps/step-reads.ts'
import { runCode } from '../../tools/run-code.ts'
import type { CodeRunner } from '../../tools/tool-deps.ts'
import type { AnalysisStorage } from '../ports/analysis-storage.ts'

export interface StepCache {
  /** After it `step_n` of each is in the engine. Rejects with `EngineError`. */
  bring(steps: readonly number[], signal: AbortSignal): Promise<void>
  rows(n: number, maxRows: number, signal: AbortSignal): Promise<ReadResult>
  /** The engine has its rows: somebody just put them there. */
  has(step: AnalysisStep): void
  /** The engine began anew, or has other tables. */
  forget(): void
}

export interface StepCacheOptions {
  readonly analysisId: string
  readonly runner: CodeRunner
  readonly storage: Pick<AnalysisStorage, 'loadStep'>
  readonly steps: () => readonly AnalysisStep[]
}

/** Long enough for what a person looks at. */
const stepTimeoutMs = 30_000

export function createStepCache({ analysisId, runner, storage, steps }: StepCacheOptions): StepCache {
  const { engine } = runner
  /** Which version of a step the engine has: one that ran again is another one. */
  const present = new Map<number, string>()
  const coming = new Map<number, Promise<void>>()

  async function find(step: AnalysisStep, signal: AbortSignal): Promise<void> {
    const { n, reads, language, code } = step
    const ipc = await storage.loadStep(analysisId, n)
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

  function come(step: AnalysisStep, signal: AbortSignal): Promise<void> {
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
      retryAfterRestart(async () => {
        await bring([n], signal)
        const options = { author: 'person', maxRows, timeoutMs: stepTimeoutMs, signal } as const
        return engine.read(`SELECT * FROM ${stepName(n)}`, options)
      }),
    has: (step) => void present.set(step.n, versionOf(step)),
    forget: () => present.clear(),
  }
}

const versionOf = ({ startedAt, code }: AnalysisStep): string => `${startedAt} ${code}`
