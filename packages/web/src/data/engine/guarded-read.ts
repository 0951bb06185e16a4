// Read-only access: the guard, a read-only transaction, a row limit, a timeout, and a rollback.
import { type Column, quoteName } from '../domain/cells.ts'
import { EngineError, type QueryOptions, type ReadResult } from '../domain/query-engine.ts'
import { fullCatalog } from '../sql/reserved-names.ts'
import { exact } from './arrow/cell-at.ts'
import { ipcOf, rowsOf } from './arrow/ipc.ts'
import type { Booted } from './boot.ts'
import { type BuiltInNames, judge } from './guard/guard.ts'
import { readTokens, withPlainSpaces } from './guard/sql-tokens.ts'
import { type Ran, runStatement } from './run-statement.ts'
import { createStop, type Stop } from './stop.ts'
import { toEngineError, withoutHiddenNames } from './to-engine-error.ts'

export interface Readable {
  readonly booted: Booted
  readonly builtInNames: () => Promise<BuiltInNames>
  /** The catalog in which SQL of a model resolves names, without the hidden ones. */
  readonly catalogWithout: (hidden: readonly string[]) => Promise<string>
}

type Limits = Omit<QueryOptions, 'maxRows'>

export async function guardedRead(target: Readable, sql: string, options: QueryOptions): Promise<ReadResult> {
  return guarded(target, { ...options, sql }, async ({ statement, columns, run }) => {
    const startedAt = performance.now()
    const safe = columns === null ? statement : asTextWhereNeeded(statement, columns)
    const { schema, batches, isWhole } = await run(safe, options.maxRows)
    const shown = columns ?? schema.fields.map(({ name }) => ({ name, type: 'VARCHAR' }))
    const rows = rowsOf(batches, options.maxRows)
    return {
      columns: shown,
      rows: withWideNumbers(rows, shown),
      rowCount: isWhole ? rows.length : null,
      elapsedMs: performance.now() - startedAt,
      ipc: isWhole ? ipcOf(schema, batches, shown) : null,
    }
  })
}

/** Runs the statement to count the rows of each operator. */
export async function guardedPlan(target: Readable, sql: string, options: Limits): Promise<string> {
  return guarded(target, { ...options, sql }, async ({ rows, run }) => {
    const { batches } = await run(`EXPLAIN (ANALYZE, FORMAT JSON) ${rows}`, 10)
    const [row] = rowsOf(batches, 1)
    return String(row?.at(-1) ?? '')
  })
}

/** The statement that passed the guard, to create a view of it. */
export async function guardedText(target: Readable, sql: string, options: Limits): Promise<string> {
  return guarded(target, { ...options, sql }, async ({ statement }) => statement)
}

interface Passed {
  readonly statement: string
  /** The statement without its EXPLAIN. */
  readonly rows: string
  /** `null` for EXPLAIN. */
  readonly columns: readonly Column[] | null
  run(sql: string, maxRows: number): Promise<Ran>
}

async function guarded<Result>(
  { booted, builtInNames, catalogWithout }: Readable,
  options: Limits & { readonly sql: string },
  work: (passed: Passed) => Promise<Result>,
): Promise<Result> {
  const { db, alive } = booted
  const stop = createStop(options)
  try {
    const sql = withPlainSpaces(options.sql)
    const { author, hidden = [] } = options
    const builtIn = await builtInNames()
    const verdict = judge(sql, readTokens(sql, await alive(db.tokenize(sql))), { author, hidden, builtIn })
    if (verdict.refusal !== null) throw new EngineError('refused', verdict.refusal)
    const connection = await alive(db.connectInternal())
    const run = (statement: string, maxRows: number) =>
      runStatement(booted, { connection, sql: statement }, { maxRows, stop })
    try {
      // The user's SQL reads the full tables; the model's SQL reads views of its scope.
      await run(`USE ${author === 'person' ? fullCatalog : await catalogWithout(hidden)}`, 1)
      await run('BEGIN TRANSACTION READ ONLY', 1)
      const statement = verdict.sql
      const rows = statement.slice(verdict.explains ?? 0)
      const columns = await describe(booted, { connection, sql: rows }, stop)
      return await work({ statement, rows, columns: verdict.explains === null ? columns : null, run })
    } finally {
      await leave(booted, connection)
    }
  } catch (error) {
    const problem = toEngineError(error)
    throw options.author === 'model' ? withoutHiddenNames(problem, options.sql, options.hidden ?? []) : problem
  } finally {
    stop.release()
  }
}

/** Only statements that return rows can be described. Nothing runs. */
async function describe(
  booted: Booted,
  { connection, sql }: { connection: number; sql: string },
  stop: Stop,
): Promise<readonly Column[]> {
  try {
    const wrapped = `DESCRIBE SELECT * FROM (\n${sql}\n)`
    const { batches } = await runStatement(booted, { connection, sql: wrapped }, { maxRows: 100_000, stop })
    return rowsOf(batches, Number.POSITIVE_INFINITY).map(([name, type]) => ({ name: String(name), type: String(type) }))
  } catch (error) {
    if (stop.reason() !== null || toEngineError(error).problem !== 'sql') throw error
    throw await ownError(booted, { connection, sql }, toEngineError(error))
  }
}

/** The error of the original statement, because the wrapped one reports other lines. */
async function ownError(
  { db, alive }: Booted,
  { connection, sql }: { connection: number; sql: string },
  wrapped: EngineError,
): Promise<unknown> {
  try {
    await alive(db.createPrepared(connection, sql))
    return /parameter/i.test(wrapped.message)
      ? new EngineError('sql', 'Parameters are not supported: write the value instead.')
      : new EngineError('refused', 'Only one reading statement is allowed, and this one returns no rows.')
  } catch (error) {
    // PIVOT prepares as several statements, with an unhelpful error.
    return /single statement|multiple statements/i.test(String(error)) ? wrapped : error
  }
}

async function leave({ db, alive }: Booted, connection: number): Promise<void> {
  try {
    await alive(db.cancelPendingQuery(connection))
    await alive(db.runQuery(connection, 'ROLLBACK')).catch(() => undefined) // there may be no open transaction
    await alive(db.disconnect(connection))
  } catch {
    // The worker and its connections are gone. Callers get the error from `alive`.
  }
}

/** Types that Arrow does not transfer correctly. */
const unreadable = /\b(ENUM|INTERVAL|UHUGEINT|BIT|BIGNUM|VARINT|UNION|VARIANT|TIME WITH TIME ZONE|TIMETZ|TIME_NS)\b/

function asTextWhereNeeded(sql: string, columns: readonly Column[]): string {
  const casts = columns
    .filter(({ type }) => unreadable.test(type))
    .map(({ name }) => `CAST(${quoteName(name)} AS VARCHAR) AS ${quoteName(name)}`)
  return casts.length === 0 ? sql : `SELECT * REPLACE (${casts.join(', ')}) FROM (\n${sql}\n)`
}

function withWideNumbers(rows: ReadResult['rows'], columns: readonly Column[]): ReadResult['rows'] {
  const wide = columns.map(({ type }) => type === 'UHUGEINT' || type === 'BIGNUM')
  if (!wide.includes(true)) return rows
  return rows.map((row) =>
    row.map((cell, at) => (wide[at] === true && typeof cell === 'string' ? exact(BigInt(cell)) : cell)),
  )
}
