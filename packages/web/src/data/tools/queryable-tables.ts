// The tables that the model may know, and how it names them.
import { hasRows } from '../domain/analysis.ts'
import { type Column, quoteName } from '../domain/cells.ts'
import type { QueryableTable, QueryEngine } from '../domain/query-engine.ts'
import { withoutValues } from '../privacy/mask-names.ts'
import { fullCatalog } from '../sql/reserved-names.ts'
import { stepName, stepNumber } from '../steps/step-reads.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'
import { queryTimeMs } from './run-code.ts'
import { ToolFailure } from './tool-deps.ts'

export interface QueryableTables {
  readonly inScope: readonly QueryableTable[]
  /** Tables out of scope. */
  readonly hidden: readonly string[]
  /** Names that the model must not see: those tables, and locked columns. */
  readonly secret: readonly string[]
}

export async function queryableTables(
  engine: Pick<QueryEngine, 'tables'>,
  scope: readonly string[],
): Promise<QueryableTables> {
  const all = (await engine.tables()).filter(({ name }) => stepNumber(name) === null)
  const inScope = all.filter(({ name }) => scope.includes(name))
  const hidden = all.filter(({ name }) => !scope.includes(name)).map(({ name }) => name)
  return {
    inScope: inScope.map(({ name, rowCount, columns, neverSent }) => ({
      name,
      rowCount,
      columns: columns
        .filter((column) => !neverSent.includes(column.name))
        .map((column) => ({ ...column, type: withoutValues(column.type) })),
    })),
    hidden,
    secret: [...hidden, ...all.flatMap(({ neverSent }) => neverSent), fullCatalog],
  }
}

export const namesOf = ({ inScope }: QueryableTables): readonly string[] =>
  inScope.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)])

interface Finder {
  readonly engine: Pick<QueryEngine, 'read'>
  readonly steps: StepRecorder
  readonly tables: QueryableTables
  readonly signal: AbortSignal
  /** An existing table, with the column names that may be shown. */
  readonly disclosed: (table: QueryableTable) => QueryableTable
}

/** By name, ignoring case if needed; steps are tables as well. */
export async function findTable(finder: Finder, wanted: string): Promise<QueryableTable> {
  const name = bare(wanted)
  const found = sameName(finder.tables.inScope, name)
  if (found !== undefined) return found
  const n = stepNumber(name)
  if (n !== null && isGood(finder.steps, n)) return stepTable(finder, n)
  throw new ToolFailure(noTable(wanted, finder))
}

const isGood = (steps: StepRecorder, n: number): boolean => steps.steps().some((step) => step.n === n && hasRows(step))

export async function stepTable(
  { engine, steps, signal }: Pick<Finder, 'engine' | 'steps' | 'signal'>,
  n: number,
): Promise<QueryableTable> {
  await steps.bring([n], signal)
  const sql = `SELECT * FROM ${quoteName(stepName(n))} LIMIT 0`
  const { columns } = await engine.read(sql, { author: 'model', maxRows: 1, timeoutMs: queryTimeMs, signal })
  const rowCount = steps.steps().find((step) => step.n === n)?.rowCount ?? 0
  return { name: stepName(n), rowCount, columns }
}

export interface FoundColumn {
  readonly table: QueryableTable
  readonly column: Column
}

/** Without a table name, the only table with this column. If several have it, the result is an error. */
export async function findColumn(finder: Finder, column: string, table: string | undefined): Promise<FoundColumn> {
  if (table !== undefined) {
    const found = await findTable(finder, table)
    return { table: found, column: columnOf(found, column) ?? fail(noColumn(column, [finder.disclosed(found)])) }
  }
  const { inScope } = finder.tables
  const having = inScope.flatMap((one) => {
    const found = columnOf(one, column)
    return found === undefined ? [] : [{ table: one, column: found }]
  })
  const [only, ...others] = having
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined) {
    const names = having.map(({ table: one }) => quoteName(one.name)).join(', ')
    return fail(`Several tables have a column ${quoteName(column)}: ${names}. Set "table" to one of them.`)
  }
  // `orders.total` names both.
  const dot = bare(column).lastIndexOf('.')
  const owner = dot > 0 ? sameName(inScope, bare(bare(column).slice(0, dot))) : undefined
  if (owner !== undefined) return findColumn(finder, bare(column).slice(dot + 1), owner.name)
  return fail(noColumn(column, inScope))
}

function fail(message: string): never {
  throw new ToolFailure(message)
}

const columnOf = ({ columns }: QueryableTable, name: string): Column | undefined =>
  columns.find((column) => column.name === name) ?? sameName(columns, bare(name))

function sameName<One extends { readonly name: string }>(named: readonly One[], name: string): One | undefined {
  const low = name.toLowerCase()
  return named.find((one) => one.name === name) ?? named.find((one) => one.name.toLowerCase() === low)
}

/** Without SQL quotes and without the catalog. */
const bare = (name: string): string => {
  const inner = /^\s*"((?:[^"]|"")+)"\s*$/.exec(name)?.[1]
  return (inner?.replaceAll('""', '"') ?? name.trim()).replace(/^main\./i, '')
}

export function noTable(wanted: string, { tables, steps }: Pick<Finder, 'tables' | 'steps'>): string {
  const names = tables.inScope.map(({ name }) => name)
  const good = steps.steps().flatMap(({ n }) => (isGood(steps, n) ? [stepName(n)] : []))
  const near = nearNames(bare(wanted), [...names, ...good])
  const shown = near.length > 0 ? near : names.slice(0, 20)
  return `There is no table ${quoteName(bare(wanted))}. ${meant(shown, near.length > 0)}`
}

export function noColumn(wanted: string, tables: readonly QueryableTable[]): string {
  const where = tables.length === 1 ? ` in ${quoteName(tables[0]?.name ?? '')}` : ''
  const names = [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))]
  const near = nearNames(bare(wanted), names)
  const shown = near.length > 0 ? near : names.slice(0, 20)
  return `There is no column ${quoteName(bare(wanted))}${where}. ${meant(shown, near.length > 0)}`
}

const meant = (names: readonly string[], isNear: boolean): string =>
  names.length === 0
    ? 'Call list_tables to see what exists.'
    : `${isNear ? 'Near' : 'There are'}: ${names.map(quoteName).join(', ')}.`

/** Similar names: at most three, nearest first. */
function nearNames(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = name.toLowerCase()
  const far = Math.max(2, Math.floor(wanted.length / 3))
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= far)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** A name that contains the other is near, regardless of its length. */
function distanceOf(a: string, b: string): number {
  if (a === b) return 0
  if (a.length >= 3 && (b.includes(a) || (b.length >= 3 && a.includes(b)))) return 1
  return a.length > 100 || b.length > 100 ? Number.POSITIVE_INFINITY : edits(a, b)
}

/** Edit distance: letters to add, remove, change or swap. */
function edits(a: string, b: string): number {
  const [from, to] = [[...a], [...b]]
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of from.entries()) {
    const line = [row + 1]
    for (const [column, other] of to.entries()) {
      const changed = (last[column] ?? 0) + (letter === other ? 0 : 1)
      const isSwap = row > 0 && column > 0 && letter === to[column - 1] && from[row - 1] === other
      const swapped = isSwap ? (before[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      line.push(Math.min(changed, swapped, (last[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1))
    }
    before = last
    last = line
  }
  return last.at(-1) ?? 0
}
