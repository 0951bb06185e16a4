// The tools of an analysis that run in this browser. For one run: what a person refused once is not asked again in it.
import {
  type AnalysisTool,
  type BrowserTool,
  type ClientCallId,
  readToolInput,
  type ToolInput,
} from '@quarterdeck/protocol'
import { quoteName } from '../cells.ts'
import { disclosureOf } from '../disclosure.ts'
import { createNameCheck } from '../privacy/known-words.ts'
import { bytesOf, type SentResult } from '../privacy/result-for-model.ts'
import { sqlNames } from '../steps/sql-names.ts'
import { readsOfSql, readsOfTransform, stepName, stepNumber } from '../steps/step-reads.ts'
import { distributionSql, statsSql } from './column-sql.ts'
import { findColumn, findTable, type KnownTable, knownTables, stepTable } from './known-tables.ts'
import { createShowStep, type ShownStep } from './show-step.ts'
import type { ToolDeps } from './tool-deps.ts'
import { ToolFailure } from './tool-failure.ts'

interface Call {
  readonly id: string
  readonly signal: AbortSignal
}

type Handlers = { readonly [Name in BrowserTool]: (input: ToolInput<Name>, call: Call) => Promise<unknown> }

export function createAnalysisTools(deps: ToolDeps): Readonly<Record<string, AnalysisTool>> {
  const handlers = createHandlers(deps)
  const failures = new Map<string, number>()
  const wrap =
    <Name extends BrowserTool>(name: Name): AnalysisTool =>
    async (given, call) => {
      try {
        const read = readToolInput(name, given)
        if ('problem' in read) throw new ToolFailure(read.problem)
        const result = await handlers[name](read.input, call)
        failures.delete(name)
        return result
      } catch (error) {
        const count = (failures.get(name) ?? 0) + 1
        failures.set(name, count)
        throw new ToolFailure(`${wordsOf(error)}${count >= 3 ? stopTrying(name, count) : ''}`)
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

/** Whatever is thrown but not meant for the model could hold a cell. */
const wordsOf = (error: unknown): string =>
  error instanceof ToolFailure ? error.message : 'The tool failed in this browser.'

const stopTrying = (name: string, count: number): string =>
  ` ${name} has failed ${count} times in a row: ask the person with ask_user, or answer with what you have.`

function createHandlers(deps: ToolDeps): Handlers {
  const { engine, steps, level, scope, ask } = deps
  const showStep = createShowStep(deps)
  const tables = () => knownTables(engine, scope())
  const show = (step: Omit<ShownStep, 'callId'>, { id, signal }: Call): Promise<SentResult> =>
    showStep({ ...step, callId: id as ClientCallId }, signal) // the client names calls by their id
  const sql = { language: 'sql' as const }

  return {
    run_query: ({ thought, sql: code }, call) =>
      show({ ...sql, tool: 'run_query', thought, code, reads: readsOfSql(code), judge: 'plan' }, call),

    async get_column_stats({ thought, column, table }, call) {
      const found = await findColumn({ engine, steps, tables: await tables(), signal: call.signal }, column, table)
      const code = statsSql(found, { showsEnds: showsAll(deps, found.table) })
      return show(
        {
          ...sql,
          tool: 'get_column_stats',
          thought,
          code,
          reads: readsOfTable(found.table),
          judge: judgeOf(found.table),
        },
        call,
      )
    },

    async get_value_distribution({ thought, column, table, limit }, call) {
      const found = await findColumn({ engine, steps, tables: await tables(), signal: call.signal }, column, table)
      const onlyCommon = !showsAll(deps, found.table)
      const code = distributionSql(found, { limit, onlyCommon })
      const notes = onlyCommon ? ['Values that fewer than 5 rows have are left out at this privacy level.'] : []
      const step = { ...sql, tool: 'get_value_distribution' as const, thought, code, notes }
      return show({ ...step, reads: readsOfTable(found.table), judge: judgeOf(found.table) }, call)
    },

    async transform_data({ thought, code, sourceStep }, call) {
      const good = steps.steps().flatMap(({ n, state }) => (state === 'ok' || state === 'stale' ? [n] : []))
      const reads = readsOfTransform(code, sourceStep, good)
      const missing = reads.find((n) => !good.includes(n))
      if (missing !== undefined) throw new ToolFailure(noStep(missing, good))
      return show({ language: 'javascript', tool: 'transform_data', thought, code, reads, judge: 'reads' }, call)
    },

    list_tables: async (_input, { signal }) => listed(deps, (await tables()).inScope, signal),

    async sample_rows({ thought, table, limit }, call) {
      if (disclosureOf(level()).maxRows === 0) throw new ToolFailure('No rows are shown at this privacy level.')
      const found = await findTable({ engine, steps, tables: await tables(), signal: call.signal }, table)
      const code = `SELECT * FROM ${quoteName(found.name)} LIMIT ${limit}`
      return show({ ...sql, tool: 'sample_rows', thought, code, reads: readsOfTable(found), judge: 'reads' }, call)
    },

    ask_user: async ({ question, options }, { id, signal }) => ({
      answer: await ask.question({ callId: id, question, options }, signal),
    }),
  }
}

const readsOfTable = ({ name }: KnownTable): readonly number[] => {
  const n = stepNumber(name)
  return n === null ? [] : [n]
}

/** Our own queries give away nothing of a table; a step can be one row of it. */
const judgeOf = (table: KnownTable): ShownStep['judge'] => (readsOfTable(table).length === 0 ? 'safe' : 'plan')

/** From level 2 on, and where the rows are summaries already. */
function showsAll({ level, steps }: ToolDeps, { name }: KnownTable): boolean {
  if (!disclosureOf(level()).onlySummaries) return true
  const n = stepNumber(name)
  return n !== null && steps.steps().some((step) => step.n === n && step.isSummary === true)
}

const noStep = (n: number, good: readonly number[]): string =>
  good.length === 0
    ? `There is no step ${n}: no step has rows yet. Start with run_query.`
    : `There is no step ${n} with rows. These have rows: ${good.join(', ')}.`

/** Letters of JSON: a model reads no more of it, and the server passes no more on. */
const listLimit = 60_000

async function listed({ engine, steps, level }: ToolDeps, inScope: readonly KnownTable[], signal: AbortSignal) {
  const names = inScope.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)])
  const found: KnownTable[] = []
  for (const { n, state, code } of steps.steps()) {
    if (state !== 'ok' && state !== 'stale') continue
    const table = await stepTable({ engine, steps, signal }, n).catch(() => null) // its rows are gone: it is not there
    const isKnown = createNameCheck({ code, names: [...names, ...sqlNames(code)] })
    const shows = (name: string) => isKnown(name) || !disclosureOf(level()).scrubsErrors
    const named = ({ columns, ...rest }: KnownTable): KnownTable => ({
      ...rest,
      columns: columns.map((column, index) =>
        shows(column.name) ? column : { ...column, name: `column ${index + 1}` },
      ),
    })
    if (table !== null) found.push({ ...named(table), name: stepName(n) })
  }
  signal.throwIfAborted()
  for (const width of [2000, 200, 40, 8]) {
    const list = {
      tables: inScope.map((table) => narrow(table, width)),
      steps: found.map((table) => narrow(table, width)),
    }
    if (bytesOf(list) <= listLimit) return list
  }
  return { tables: inScope.map(({ name, rowCount }) => ({ name, rowCount })).slice(0, 100), steps: [] }
}

function narrow({ columns, ...table }: KnownTable, width: number) {
  const more = columns.length - width
  return { ...table, columns: columns.slice(0, width), ...(more > 0 ? { moreColumns: more } : {}) }
}
