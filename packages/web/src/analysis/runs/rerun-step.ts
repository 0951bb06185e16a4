// A step that a person runs again, with its own code or another: nothing of it is sent to anybody.
import type { Step } from '../analysis.ts'
import { type Engine, EngineError, type StepContent } from '../engine.ts'
import type { StepOutcome } from '../steps/step-book.ts'
import { readsOfSql, readsOfTransform, stepName } from '../steps/step-reads.ts'
import { type StepRoom, stepTimeoutMs } from './create-step-room.ts'
import type { TransformRows } from './transform-rows.ts'

/** Rows of a step that are brought to the page: above it is the query that is kept. */
export const stepRowLimit = 10_000

export interface RerunDeps {
  readonly engine: Engine
  readonly room: Pick<StepRoom, 'bring'>
  readonly transform: TransformRows
  /** Tables that this analysis is not about. */
  readonly hidden: () => readonly string[]
}

export function readsOf(step: Step, code: string, steps: readonly Step[]): readonly number[] {
  if (step.language === 'sql') return readsOfSql(code)
  const good = steps.filter((one) => one.n < step.n && one.state === 'ok').map((one) => one.n)
  return readsOfTransform(code, step.reads[0] ?? 0, good)
}

/** Rejects with what the engine or the sandbox says: then the step has no rows. */
export async function rerunStep(
  deps: RerunDeps,
  step: Step,
  signal: AbortSignal,
): Promise<StepOutcome & { state: 'ok' }> {
  const { n, code, reads, language } = step
  if (reads.includes(n)) throw new EngineError('sql', `step ${n} cannot read itself`)
  await deps.room.bring(reads, signal)
  const began = performance.now()
  const content =
    language === 'sql' ? await query(deps, code, signal) : { ipc: await deps.transform({ code, reads, signal }) }
  await deps.engine.keepStep(n, content)
  const rowCount = await countRows(deps.engine, n, signal)
  // What a person made of it may show single rows: the model sees them only where it sees rows at all.
  return { state: 'ok', rowCount, elapsedMs: performance.now() - began, content, isSummary: false }
}

async function query({ engine, hidden }: RerunDeps, code: string, signal: AbortSignal): Promise<StepContent> {
  const options = {
    author: 'model',
    maxRows: stepRowLimit,
    timeoutMs: stepTimeoutMs,
    signal,
    hidden: hidden(),
  } as const
  const { ipc } = await engine.read(code, options)
  return ipc === null ? { sql: code } : { ipc }
}

async function countRows(engine: Engine, n: number, signal: AbortSignal): Promise<number> {
  const options = { author: 'person', maxRows: 1, timeoutMs: stepTimeoutMs, signal } as const
  const { rows } = await engine.read(`SELECT count(*) FROM ${stepName(n)}`, options)
  return Number(rows[0]?.[0] ?? 0)
}
