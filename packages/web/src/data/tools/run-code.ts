// Runs the code of a step and stores its rows as `step_n`, for calls of the model and for edits of the user.

import { codeFrameLimits } from '../code-frame/code-frame.ts'
import type { AnalysisStep } from '../domain/analysis.ts'
import { quoteName, type Rows } from '../domain/cells.ts'
import type { QueryOptions, StepContent } from '../domain/query-engine.ts'
import { stepName } from '../steps/step-reads.ts'
import { type CodeRunner, ToolFailure } from './tool-deps.ts'

export interface RanCode {
  /** At most `storedRows`. */
  readonly rows: Rows
  readonly rowCount: number
  readonly elapsedMs: number
  readonly content: StepContent
}

export interface RunOptions {
  readonly hidden: readonly string[]
  readonly signal: AbortSignal
}

/** Beyond this, the step stores its query instead of its rows. */
const storedRows = 10_000

export const queryTimeMs = 30_000

/**
 * The steps that it reads must be in the engine. It always reads with the rights of the model, so that steps contain no
 * locked columns. Rejects with `EngineError`, `CodeFrameError` or `ToolFailure`.
 */
export async function runCode(
  runner: CodeRunner,
  step: Pick<AnalysisStep, 'n' | 'language' | 'code' | 'reads'>,
  options: RunOptions,
): Promise<RanCode> {
  return step.language === 'sql' ? runSql(runner, step, options) : runTransform(runner, step, options)
}

const readOptions = ({ hidden, signal }: RunOptions): Omit<QueryOptions, 'maxRows'> => ({
  author: 'model',
  timeoutMs: queryTimeMs,
  hidden,
  signal,
})

async function runSql(
  { engine }: CodeRunner,
  { n, code }: Pick<AnalysisStep, 'n' | 'code'>,
  options: RunOptions,
): Promise<RanCode> {
  const { columns, rows, rowCount, elapsedMs, ipc } = await engine.read(code, {
    ...readOptions(options),
    maxRows: storedRows,
  })
  const content: StepContent = ipc === null ? { sql: code } : { ipc }
  await engine.storeStep(n, content)
  const counted = rowCount ?? (await countStep(engine, n, options))
  return { rows: { columns, rows }, rowCount: counted, elapsedMs, content }
}

async function countStep(engine: CodeRunner['engine'], n: number, options: RunOptions): Promise<number> {
  const sql = `SELECT count(*) FROM ${quoteName(stepName(n))}`
  const { rows } = await engine.read(sql, { ...readOptions(options), maxRows: 1 })
  return Number(rows[0]?.[0] ?? 0)
}

async function runTransform(
  { engine, codeFrame, toIpc }: CodeRunner,
  { n, code, reads }: Pick<AnalysisStep, 'n' | 'code' | 'reads'>,
  options: RunOptions,
): Promise<RanCode> {
  const given = new Map<number, Rows>()
  for (const read of reads) given.set(read, await rowsOfStep(engine, read, options))
  const data = given.get(reads[0] ?? 0) ?? { columns: [], rows: [] }
  const began = performance.now()
  const rows = await codeFrame.run({ code, data, allSteps: given, signal: options.signal })
  const elapsedMs = performance.now() - began
  // An empty list has no columns, but a table needs at least one.
  const content: StepContent =
    rows.columns.length === 0 ? { sql: 'SELECT NULL AS "nothing" WHERE false' } : { ipc: toIpc(columnsOf(rows)) }
  await engine.storeStep(n, content)
  return { rows, rowCount: rows.rows.length, elapsedMs, content }
}

const columnsOf = ({ columns, rows }: Rows) =>
  columns.map((column, index) => ({ ...column, values: rows.map((row) => row[index] ?? null) }))

async function rowsOfStep(engine: CodeRunner['engine'], n: number, options: RunOptions): Promise<Rows> {
  const maxRows = codeFrameLimits.rowsIn
  const sql = `SELECT * FROM ${quoteName(stepName(n))}`
  const { columns, rows, ipc } = await engine.read(sql, { ...readOptions(options), maxRows })
  if (ipc !== null) return { columns, rows }
  throw new ToolFailure(
    `Step ${n} has more than ${maxRows} rows: aggregate it in SQL first, then transform the result.`,
  )
}
