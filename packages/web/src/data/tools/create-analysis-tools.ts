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
import { quoteName } from '../domain/cells.ts'
import { commonCount, disclosureOf } from '../domain/disclosure.ts'
import type { SentResult } from '../privacy/result-for-model.ts'
import { readsOfSql, readsOfTransform, stepNumber } from '../steps/step-reads.ts'
import { distributionSql, statsSql } from './column-sql.ts'
import { disclosedStep } from './disclosed-step.ts'
import { listTables } from './list-tables.ts'
import { findColumn, findTable, namesOf, type QueryableTable, queryableTables } from './queryable-tables.ts'
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
      const step = {
        ...sql,
        tool: 'get_value_distribution' as const,
        thought,
        code,
        notes: onlyCommon ? [leftOut] : [],
      }
      return show({ ...step, reads: readsOfTable(found.table), judge: judgeOf(found.table, onlyCommon) }, call)
    },

    async transform_data({ thought, code, sourceStep }, call) {
      const good = steps
        .steps()
        .filter(hasRows)
        .map(({ n }) => n)
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
  const n = stepNumber(name)
  return n !== null && steps.steps().some((step) => step.n === n && step.isSummary === true)
}

const noStep = (n: number, good: readonly number[]): string =>
  good.length === 0
    ? `There is no step ${n}: no step has rows yet. Start with run_query.`
    : `There is no step ${n} with rows. These have rows: ${good.join(', ')}.`
