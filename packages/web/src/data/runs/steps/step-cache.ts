// The rows of steps in the engine of this tab: restored from storage, or run again.
import type { AnalysisStep } from '../../domain/analysis.ts'
import { EngineError, retryAfterRestart } from '../../domain/query-engine.ts'
import { stepName } from '../../steps/step-reads.ts'
import { runCode } from '../../tools/run-code.ts'
import type { CodeRunner } from '../../tools/tool-deps.ts'
import type { AnalysisStorage } from '../ports/analysis-services.ts'

export type StepCache = ReturnType<typeof createStepCache>

export interface StepCacheOptions {
  readonly analysisId: string
  readonly runner: CodeRunner
  readonly storage: Pick<AnalysisStorage, 'loadStep'>
  readonly steps: () => readonly AnalysisStep[]
}

/** Long enough for queries of a user. */
const stepTimeoutMs = 30_000

export function createStepCache({ analysisId, runner, storage, steps }: StepCacheOptions) {
  const { engine } = runner
  /** The version of each step in the engine: a rerun creates another. */
  const present = new Map<number, string>()
  const coming = new Map<number, Promise<void>>()

  async function find(step: AnalysisStep, signal: AbortSignal): Promise<void> {
    const { n, reads, language, code } = step
    const ipc = await storage.loadStep(analysisId, n)
    if (ipc !== null) return engine.storeStep(n, { ipc })
    await bring(reads, signal)
    if (language === 'sql') return engine.storeStep(n, { sql: code })
    // Run again, because there were too many rows to store.
    await runCode(runner, step, { hidden: [], signal })
  }

  async function bringOne(n: number, signal: AbortSignal): Promise<void> {
    const step = steps().find((one) => one.n === n)
    if (step === undefined || (step.state !== 'ok' && step.state !== 'stale')) {
      throw new EngineError('sql', `${stepName(n)} has no rows${step === undefined ? ': the step does not exist' : ''}`)
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

  /** Afterwards `step_n` of each is in the engine. Rejects with `EngineError`. */
  async function bring(wanted: readonly number[], signal: AbortSignal): Promise<void> {
    for (const n of wanted) await bringOne(n, signal)
  }

  return {
    bring,
    rows: (n: number, maxRows: number, signal: AbortSignal) =>
      retryAfterRestart(async () => {
        await bring([n], signal)
        const options = { author: 'person', maxRows, timeoutMs: stepTimeoutMs, signal } as const
        return engine.read(`SELECT * FROM ${stepName(n)}`, options)
      }),
    /** Marks the rows as loaded: they were just added to the engine. */
    has: (step: AnalysisStep) => void present.set(step.n, versionOf(step)),
    /** Call after an engine restart or a change of tables. */
    forget: () => present.clear(),
  }
}

const versionOf = ({ startedAt, code }: AnalysisStep): string => `${startedAt} ${code}`
