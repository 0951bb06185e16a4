// Runs a step again for the user, with its own or edited code. Nothing is sent.
import type { PrivacyLevel } from '@quarterdeck/protocol'
import type { AnalysisStep } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { EngineError } from '../../domain/query-engine.ts'
import { readsOfSql, readsOfTransform } from '../../steps/step-reads.ts'
import type { StepOutcome } from '../../steps/step-recorder.ts'
import { hasNamesFromCells } from '../../steps/step-texts.ts'
import { isSummaryStep, judgeInputOf, judgeQuery } from '../../tools/judge-step.ts'
import { namesOf, queryableTables } from '../../tools/queryable-tables.ts'
import { runCode } from '../../tools/run-code.ts'
import type { CodeRunner } from '../../tools/tool-deps.ts'
import type { StepCache } from './step-cache.ts'

export interface RerunDeps {
  readonly runner: CodeRunner
  readonly stepCache: Pick<StepCache, 'bring'>
  /** Tables out of scope. */
  readonly hidden: () => readonly string[]
  /** Tables in scope. */
  readonly scope: () => readonly string[]
  readonly steps: () => readonly AnalysisStep[]
  readonly level: () => PrivacyLevel
}

export function readsOf(step: AnalysisStep, code: string, steps: readonly AnalysisStep[]): readonly number[] {
  if (step.language === 'sql') return readsOfSql(code)
  const good = steps.filter((one) => one.n < step.n && one.state === 'ok').map((one) => one.n)
  return readsOfTransform(code, step.reads[0] ?? 0, good)
}

/** Rejects with errors of the engine or the code frame; then the step has no rows. */
export async function rerunStep(
  deps: RerunDeps,
  step: AnalysisStep,
  signal: AbortSignal,
): Promise<StepOutcome & { state: 'ok' }> {
  const { runner, stepCache, hidden } = deps
  const { n, reads } = step
  if (reads.includes(n)) throw new EngineError('sql', `step ${n} cannot read itself`)
  await stepCache.bring(reads, signal)
  const { rows, rowCount, elapsedMs, content } = await runCode(runner, step, { hidden: hidden(), signal })
  return { state: 'ok', rowCount, elapsedMs, content, isSummary: await isSummaryAgain(deps, { step, rows }, signal) }
}

/**
 * Code edited by the user may return single rows, so the model sees them only if it may see rows. The model's own code
 * is judged again with the current rows.
 */
async function isSummaryAgain(
  { runner: { engine }, steps, level, scope }: RerunDeps,
  { step, rows }: { readonly step: AnalysisStep; readonly rows: Rows },
  signal: AbortSignal,
): Promise<boolean> {
  const { code, original, language, reads } = step
  if (code !== original) return false
  if (language !== 'sql') return reads.length > 0 && reads.every((n) => isSummaryStep(steps(), n))
  if (level() !== 1) return false
  const tables = await queryableTables(engine, scope())
  const known = { tables, names: namesOf(tables), fromCells: hasNamesFromCells(step, steps()) }
  return (await judgeQuery(engine, { ...judgeInputOf(step, steps, known), rows, signal })).isSummary
}
