// The tools of an analysis that run in this browser, for one run. A refusal of the user applies to the whole run.
import type { AnalysisTool, AnalysisToolCall } from '@quarterdeck/client'
import {
  type BrowserTool,
  type ClientCallId,
  type PrivacyLevel,
  readToolInput,
  type ToolInput,
} from '@quarterdeck/protocol'
import { hasRows } from '../domain/analysis.ts'
import { kindOf, quoteName } from '../domain/cells.ts'
import { commonCount, disclosureOf } from '../domain/disclosure.ts'
import type { QueryableTable } from '../domain/query-engine.ts'
import { maskNames } from '../privacy/mask-names.ts'
import { bytesOf, disclosedCount, type SentResult } from '../privacy/result-for-model.ts'
import { readsOfSql, readsOfTransform, stepName, stepNumber } from '../steps/step-reads.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'
import { hasNamesFromCells } from '../steps/step-texts.ts'
import { isSummaryStep } from './judge-step.ts'
import {
  type FoundColumn,
  findColumn,
  findTable,
  namesOf,
  type QueryableTables,
  queryableTables,
  stepTable,
} from './queryable-tables.ts'
import { createShowStep, type ShownStep } from './show-step.ts'
import { type ToolDeps, ToolFailure } from './tool-deps.ts'

interface Call extends Pick<AnalysisToolCall, 'id' | 'signal'> {
  /** The lowest level since the call started: lowering it applies to running calls as well. */
  readonly level: () => PrivacyLevel
}

type Handlers = { readonly [Name in BrowserTool]: (input: ToolInput<Name>, call: Call) => Promise<unknown> }

export function createAnalysisTools(deps: ToolDeps): Readonly<Record<string, AnalysisTool>> {
  const handlers = createHandlers(deps)
  /** Consecutive failed calls by tool. A repeated call counts once. */
  const failures = new Map<BrowserTool, Set<string>>()
  /** By call, including repeats. */
  const levels = new Map<string, () => PrivacyLevel>()
  const wrap =
    <Name extends BrowserTool>(name: Name): AnalysisTool =>
    async (given, { id, signal }) => {
      const level = levels.get(id) ?? lowestOf(deps.level)
      levels.set(id, level)
      try {
        const read = readToolInput(name, given)
        if ('problem' in read) throw new ToolFailure(read.problem)
        const result = await handlers[name](read.input, { id, signal, level })
        failures.delete(name)
        return result
      } catch (error) {
        const failed = new Set(failures.get(name)).add(id)
        failures.set(name, failed)
        throw new ToolFailure(`${wordsOf(error)}${failed.size >= 3 ? stopTrying(name, failed.size) : ''}`)
      }
    }
  return {
    run_query: wrap('run_query'),
    get_column_stats: wrap('get_column_stats'),
    get_value_distribution: wrap('get_value_distribution'),
    transform_data: wrap('transform_data'),
    list_tables: wrap('list_tables'),
    sample_rows: wrap('sample_rows'),
    ask_user: wrap('ask_user'),
  }
}

/** Unexpected errors may contain a cell. */
const wordsOf = (error: unknown): string =>
  error instanceof ToolFailure ? error.message : 'The tool failed in this browser.'

const stopTrying = (name: string, count: number): string =>
  ` ${name} has failed ${count} times in a row: ask the user with ask_user, or answer with what you have.`

function lowestOf(level: () => PrivacyLevel): () => PrivacyLevel {
  let lowest = level()
  return () => {
    lowest = Math.min(lowest, level())
    return lowest
  }
}

function createHandlers(deps: ToolDeps): Handlers {
  const { engine, steps, scope, ask } = deps
  const showStep = createShowStep(deps)
  const show = (step: Omit<ShownStep, 'callId'>, { id, signal, level }: Call): Promise<SentResult> =>
    showStep({ ...step, callId: id as ClientCallId }, { signal, level }) // the client identifies calls by id
  const sql = { language: 'sql' as const }
  const finder = async ({ signal, level }: Call) => {
    const tables = await queryableTables(engine, scope())
    const disclosed = (table: QueryableTable) => disclosedStep(table, { steps, level: level(), names: namesOf(tables) })
    return { engine, steps, signal, tables, disclosed }
  }

  return {
    run_query: ({ thought, sql: code }, call) =>
      show({ ...sql, tool: 'run_query', thought, code, reads: readsOfSql(code), judge: 'plan' }, call),

    async get_column_stats({ thought, column, table }, call) {
      const found = await findColumn(await finder(call), column, table)
      const code = statsSql(found, { showsEnds: showsAll(steps, found.table, call) })
      const judge = judgeOf(found.table, code === statsSql(found, { showsEnds: false }))
      const step = { ...sql, tool: 'get_column_stats' as const, thought, code }
      return show({ ...step, reads: readsOfTable(found.table), judge }, call)
    },

    async get_value_distribution({ thought, column, table, limit }, call) {
      const found = await findColumn(await finder(call), column, table)
      const onlyCommon = !showsAll(steps, found.table, call)
      const code = distributionSql(found, { limit, onlyCommon })
      const notes = onlyCommon ? [leftOut] : []
      const step = { ...sql, tool: 'get_value_distribution' as const, thought, code, notes }
      return show({ ...step, reads: readsOfTable(found.table), judge: judgeOf(found.table, onlyCommon) }, call)
    },

    async transform_data({ thought, code, sourceStep }, call) {
      const stored = steps.steps().filter(hasRows)
      const good = stored.map(({ n }) => n)
      const reads = readsOfTransform(code, sourceStep, good)
      const missing = reads.find((n) => !good.includes(n))
      if (missing !== undefined) throw new ToolFailure(noStep(missing, good))
      return show({ language: 'javascript', tool: 'transform_data', thought, code, reads, judge: 'reads' }, call)
    },

    list_tables: async (_input, call) => listTables(deps, await queryableTables(engine, scope()), call),

    async sample_rows({ thought, table, limit }, call) {
      if (disclosureOf(call.level()).maxRows === 0) throw new ToolFailure('No rows are shown at this privacy level.')
      const found = await findTable(await finder(call), table)
      const code = `SELECT * FROM ${quoteName(found.name)} LIMIT ${limit}`
      return show({ ...sql, tool: 'sample_rows', thought, code, reads: readsOfTable(found), judge: 'reads' }, call)
    },

    ask_user: async ({ question, options }, { id, signal }) => ({
      answer: await ask.question({ callId: id, question, options }, signal),
    }),
  }
}

const leftOut = `Values in fewer than ${commonCount} rows are left out at this privacy level.`

const readsOfTable = ({ name }: QueryableTable): readonly number[] => {
  const n = stepNumber(name)
  return n === null ? [] : [n]
}

/**
 * Our own queries reveal nothing of a table, because they leave out rare values. A step or a table with one row still
 * could.
 */
const judgeOf = (table: QueryableTable, isCareful: boolean): ShownStep['judge'] =>
  isCareful && readsOfTable(table).length === 0 && table.rowCount >= commonCount ? 'ours' : 'plan'

/** From level 2 on, and if the rows are summaries already. */
function showsAll(steps: ToolDeps['steps'], { name }: QueryableTable, { level }: Call): boolean {
  if (!disclosureOf(level()).onlySummaries) return true
  return isSummaryStep(steps.steps(), stepNumber(name))
}

const noStep = (n: number, good: readonly number[]): string =>
  good.length === 0
    ? `There is no step ${n}: no step has rows yet. Start with run_query.`
    : `There is no step ${n} with rows. These have rows: ${good.join(', ')}.`

/** `showsEnds`: includes the first and last text, which may identify a person. */
function statsSql({ table, column }: FoundColumn, { showsEnds }: { readonly showsEnds: boolean }): string {
  const name = quoteName(column.name)
  const kind = kindOf(column)
  const ends = [`min(${name}) AS "min"`, `max(${name}) AS "max"`]
  const facts = [
    'count(*) AS "rows"',
    `count(*) - count(${name}) AS "nulls"`,
    ...(kind === 'other' ? [] : [`count(DISTINCT ${name}) AS "distinct"`]),
    ...(kind === 'number' || kind === 'date' || kind === 'time' || (kind === 'text' && showsEnds) ? ends : []),
    ...(kind === 'number'
      ? [`avg(${name}) AS "avg"`, `median(${name}) AS "median"`, `stddev_samp(${name}) AS "stddev"`]
      : []),
    ...(kind === 'text' ? [`avg(length(CAST(${name} AS VARCHAR))) AS "avg_length"`] : []),
    ...(kind === 'yes-no' ? [`avg(CAST(${name} AS INTEGER)) AS "share_true"`] : []),
  ]
  return `SELECT\n  ${facts.join(',\n  ')}\nFROM ${quoteName(table.name)}`
}

function distributionSql(
  { table, column }: FoundColumn,
  { limit, onlyCommon }: { readonly limit: number; readonly onlyCommon: boolean },
): string {
  const from = quoteName(table.name)
  return [
    `SELECT ${quoteName(column.name)} AS "value", count(*) AS "count",`,
    `  round(100.0 * count(*) / (SELECT count(*) FROM ${from}), 2) AS "percent"`,
    `FROM ${from}`,
    'GROUP BY 1',
    ...(onlyCommon ? [`HAVING count(*) >= ${commonCount}`] : []),
    'ORDER BY 2 DESC, 1',
    `LIMIT ${limit}`,
  ].join('\n')
}

/** Characters of JSON: the server passes on no more. */
const listLimit = 60_000

async function listTables(
  { engine, steps }: Pick<ToolDeps, 'engine' | 'steps'>,
  tables: QueryableTables,
  { level, signal }: { readonly level: () => PrivacyLevel; readonly signal: AbortSignal },
) {
  const found: QueryableTable[] = []
  for (const { n } of steps.steps().filter(hasRows)) {
    const table = await stepTable({ engine, steps, signal }, n).catch(() => null) // its rows are gone, so it is left out
    if (table !== null) found.push({ ...table, name: stepName(n) })
  }
  signal.throwIfAborted()
  const { inScope } = tables
  const disclosed = found.map((table) => disclosedStep(table, { steps, level: level(), names: namesOf(tables) }))
  for (const width of [2000, 200, 40, 8]) {
    const list = {
      tables: inScope.map((table) => narrow(table, width)),
      steps: disclosed.map((table) => narrow(table, width)),
    }
    if (bytesOf(list) <= listLimit) return list
  }
  return { tables: inScope.map(({ name, rowCount }) => ({ name, rowCount })).slice(0, 100), steps: [] }
}

function narrow({ columns, ...table }: QueryableTable, width: number) {
  const more = columns.length - width
  return { ...table, columns: columns.slice(0, width), ...(more > 0 ? { moreColumns: more } : {}) }
}

interface DisclosureContext {
  readonly steps: StepRecorder
  readonly level: PrivacyLevel
  /** Names of tables in scope and their columns. */
  readonly names: readonly string[]
}

/** The columns of a step that the model may see without its rows. */
function disclosedStep(table: QueryableTable, { steps, level, names }: DisclosureContext): QueryableTable {
  const n = stepNumber(table.name)
  const step = steps.steps().find((one) => one.n === n)
  if (step === undefined || !disclosureOf(level).scrubsErrors) return table
  // The model may see again what it saw as a summary.
  const fromCells = !(level === 1 && step.isSummary === true) && hasNamesFromCells(step, steps.steps())
  const rowCount = disclosedCount(table.rowCount, level)
  return { ...table, rowCount, columns: maskNames(table.columns, { names, fromCells }) }
}
