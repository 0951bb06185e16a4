// A step that a person runs again, with its own code or another: nothing of it is sent to anybody.
import type { Step } from '../analysis.ts'
import { EngineError } from '../engine.ts'
import type { StepOutcome } from '../steps/step-book.ts'
import { readsOfSql, readsOfTransform } from '../steps/step-reads.ts'
import { runCode } from '../tools/run-code.ts'
import type { CodeRunner } from '../tools/tool-deps.ts'
import type { StepRoom } from './create-step-room.ts'

export interface RerunDeps {
  readonly runner: CodeRunner
  readonly room: Pick<StepRoom, 'bring'>
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
  { runner, room, hidden }: RerunDeps,
  step: Step,
  signal: AbortSignal,
): Promise<StepOutcome & { state: 'ok' }> {
  const { n, reads } = step
  if (reads.includes(n)) throw new EngineError('sql', `step ${n} cannot read itself`)
  await room.bring(reads, signal)
  const { rowCount, elapsedMs, content } = await runCode(runner, step, { hidden: hidden(), signal })
  // What a person made of it may show single rows: the model sees them only where it sees rows at all.
  return { state: 'ok', rowCount, elapsedMs, content, isSummary: false }
}
