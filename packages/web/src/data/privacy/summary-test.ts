// The test of level 1: whether the rows of a result are summaries or reveal single rows of a table. It checks how the
// query ran, not its text. docs/decisions has the rule and its limits.
import { commonCount } from '../domain/disclosure.ts'
import type { SmallGroups } from '../domain/small-groups.ts'
import { stepNumber } from '../steps/step-reads.ts'
import type { PlanNode } from './measured-plan.ts'

export interface SummaryVerdict {
  readonly isSummary: boolean
  /** Tables whose single rows were read, with their row counts. */
  readonly sources: ReadonlyMap<string, number>
  /**
   * It is a summary only if these smaller tables are lookups of a larger one: none of their texts belongs to a single
   * row.
   */
  readonly lookups: ReadonlySet<string>
  /** Whether an aggregate returns a value of a single row (min, mode, …), so that text may not be a grouping value. */
  readonly picksValues: boolean
  /** Set if only the size of the groups prevents a summary: the groups and their source rows. */
  readonly smallGroups: Pick<SmallGroups, 'groups' | 'rows'> | null
}

export interface SummaryContext {
  /** Whether this is a step whose rows are summaries. */
  readonly isSummaryStep: (table: string) => boolean
  /** For other steps: the number of source rows. */
  readonly stepSize: (n: number) => number
  readonly isText: (table: string, column: string) => boolean
  /** Whether the query, or a step it reads, uses this name as an alias. */
  readonly isGiven: (name: string) => boolean
}

export function testSummary(plan: PlanNode, context: SummaryContext): SummaryVerdict {
  const sources = new Map<string, number>()
  const joined = joinedTables(plan, context)
  const isSummary = (lookups: ReadonlySet<string>, small: CollectedGroups | null): boolean =>
    flowOf(plan, { ...context, sources, shared: new Map(), joined: { ...joined, lookups }, small }).single.size === 0
  const isAlone = isSummary(new Set(), null)
  const isWithLookups = isAlone || isSummary(joined.lookups, null)
  const small: CollectedGroups = []
  const isOnlySmall = !isWithLookups && isSummary(new Set(), small)
  return {
    isSummary: isWithLookups,
    sources,
    lookups: isAlone ? new Set() : joined.lookups,
    picksValues: some(plan, ({ aggregates }) => aggregates.some(isPicking)),
    smallGroups: isOnlySmall ? (small.at(-1) ?? null) : null,
  }
}

const some = (node: PlanNode, holds: (node: PlanNode) => boolean): boolean =>
  holds(node) || node.children.some((child) => some(child, holds))

interface Flow {
  /** Tables whose single rows are returned here, with the possible number of different ones. */
  readonly single: ReadonlyMap<string, number>
  /** Tables that were grouped below, and whether all groups were read. */
  readonly grouped: ReadonlyMap<string, number>
  readonly isWhole: boolean
}

interface Reading extends SummaryContext {
  readonly sources: Map<string, number>
  /** The results of common table expressions, by number. */
  readonly shared: Map<string, Flow>
  readonly joined: JoinedTables
  /** `null` treats small groups as single rows. A list collects them and accepts them. */
  readonly small: CollectedGroups | null
}

type CollectedGroups = Pick<SmallGroups, 'groups' | 'rows'>[]

const nothing: Flow = { single: new Map(), grouped: new Map(), isWhole: true }

const isAggregate = ({ type }: PlanNode): boolean => /GROUP_BY|AGGREGATE/.test(type)
/** Operators that read all input before they return a row. */
const isBlocking = ({ type }: PlanNode): boolean => /^(TOP_N|ORDER_BY|WINDOW)$/.test(type)

function flowOf(node: PlanNode, reading: Reading): Flow {
  if (node.table !== null) return scan(node, node.table, reading)
  if (node.type === 'CTE' || node.type === 'RECURSIVE_CTE') return sharedFlow(node, reading)
  if (/CTE_SCAN$/.test(node.type)) return reading.shared.get(node.index ?? '') ?? unknownFlow(reading)
  if (node.type === 'TABLE_SCAN')
    return /^(RANGE|GENERATE_SERIES|REPEAT|UNNEST)$/i.test(node.name) ? nothing : unknownFlow(reading)
  const flow = join(node.children.map((child) => flowOf(child, reading)))
  if (isAggregate(node)) return aggregate(node, flow, reading)
  if (isBlocking(node)) return { ...flow, isWhole: true }
  // A list of everything is one row until it is unnested.
  if (node.type === 'UNNEST') return { ...flow, single: fewest(flow.single, flow.grouped) }
  if (/LIMIT/.test(node.type)) return limit(node, flow)
  // Operators around a correlated query count no rows.
  return /^FILTER$|(?<!DELIM_)JOIN$/.test(node.type) ? { ...flow, single: atMost(node.rows, flow.single) } : flow
}

type Counts = ReadonlyMap<string, number>

const atMost = (rows: number, counts: Counts): Counts =>
  new Map([...counts].map(([name, count]) => [name, Math.max(1, Math.min(count, rows))]))

/** If a table is read twice, the smaller count applies. */
function fewest(...all: readonly Counts[]): Counts {
  const found = new Map<string, number>()
  for (const counts of all) {
    for (const [name, count] of counts) found.set(name, Math.min(count, found.get(name) ?? count))
  }
  return found
}

const bareName = (table: string): string => table.split('.').at(-1) ?? table

/** What joins read of tables. A table that is scanned twice must be used equally both times. */
interface JoinedTables {
  /** Only columns that an equal column of another table has as well, or none. */
  readonly keys: ReadonlySet<string>
  /** Joined on an equal column, and one more text column is read: the region of a depot. */
  readonly lookups: ReadonlySet<string>
}

function joinedTables(plan: PlanNode, { isText, isGiven }: SummaryContext): JoinedTables {
  const found = { keys: new Set<string>(), lookups: new Set<string>(), others: new Set<string>() }
  const isColumn = (name: string): boolean => !isGiven(name) && some(plan, (node) => scansColumn(node, name))
  const visit = (node: PlanNode, equal: ReadonlySet<string>): void => {
    const name = bareName(node.table ?? '')
    if (node.table !== null) found[joinedAs(node.columns, equal, (column) => isText(name, column))].add(name)
    for (const [side, child] of node.children.entries()) {
      const still = [...equal].filter((column) => comesFrom(node, side, column))
      visit(child, new Set([...still, ...equalColumns(node, side, isColumn)]))
    }
  }
  visit(plan, new Set())
  const { keys, lookups, others } = found
  const only = (names: ReadonlySet<string>, rest: readonly ReadonlySet<string>[]) =>
    new Set([...names].filter((name) => !rest.some((one) => one.has(name))))
  return { keys: only(keys, [lookups, others]), lookups: only(lookups, [keys, others]) }
}

/** Of a table. Columns of steps contain computed values. */
const scansColumn = ({ table, columns }: PlanNode, name: string): boolean =>
  table !== null && stepNumber(bareName(table)) === null && columns.includes(name)

/** Whether a column with this name can only come from this child. If unclear, false. */
function comesFrom({ type, columns, children }: PlanNode, side: number, name: string): boolean {
  if (!/^(FILTER|PROJECTION|CROSS_PRODUCT|ORDER_BY|TOP_N)$|JOIN$|LIMIT/.test(type)) return false
  if (type === 'PROJECTION' && columns.includes(name)) return false
  const gives = (node: PlanNode): boolean => node.columns.includes(name) || /CTE_SCAN$/.test(node.type)
  return !children.some((child, at) => at !== side && some(child, gives))
}

function joinedAs(
  columns: readonly string[],
  equal: ReadonlySet<string>,
  isText: (column: string) => boolean,
): 'keys' | 'lookups' | 'others' {
  const own = columns.filter((column) => !equal.has(column))
  if (own.length === 0 && columns.length <= 1) return 'keys'
  return columns.length === 2 && own.length === 1 && own.every(isText) ? 'lookups' : 'others'
}

/**
 * The left side of each condition belongs to the first child, the right side to the second. Both must be table columns:
 * with a computed value, a query could probe each value of the other side.
 */
function equalColumns(
  { type, conditions }: PlanNode,
  side: number,
  isColumn: (name: string) => boolean,
): readonly string[] {
  if (type !== 'HASH_JOIN') return []
  const pairs = conditions.map((one) => one.split(' = '))
  return pairs.flatMap((pair) => (pair.length === 2 && pair.every(isColumn) ? (pair[side] ?? []) : []))
}

function scan({ scanned, rows }: PlanNode, table: string, { isSummaryStep, stepSize, sources }: Reading): Flow {
  const name = bareName(table)
  if (isSummaryStep(name)) return nothing
  const step = stepNumber(name)
  const size = step === null ? scanned : stepSize(step)
  sources.set(name, Math.max(size, sources.get(name) ?? 0))
  return { ...nothing, single: atMost(rows, new Map([[name, size]])) }
}

/** The first child defines the expression, the last one reads it; a recursive one reads itself. */
function sharedFlow(node: PlanNode, reading: Reading): Flow {
  const [first, ...others] = node.children
  if (first === undefined) return nothing
  const held = flowOf(first, reading)
  reading.shared.set(node.index ?? '', held)
  const rest = others.map((child) => flowOf(child, reading))
  return join(node.type === 'RECURSIVE_CTE' ? [held, ...rest] : rest)
}

/** From an unknown source. */
const unknownFlow = ({ sources }: Reading): Flow => ({
  ...nothing,
  single: new Map([...sources.keys(), ''].map((name) => [name, 1])),
})

const join = (flows: readonly Flow[]): Flow => ({
  single: fewest(...flows.map(({ single }) => single)),
  grouped: fewest(...flows.map(({ grouped }) => grouped)),
  isWhole: flows.every(({ isWhole }) => isWhole),
})

function aggregate(node: PlanNode, flow: Flow, { joined, small }: Reading): Flow {
  const read = node.children.reduce((sum, child) => sum + child.rows, 0)
  const shown = [...flow.single].filter(([name]) => !joined.keys.has(name) && !joined.lookups.has(name))
  const largest = Math.max(0, ...flow.single.values())
  const behind = Math.min(read, largest, ...shown.map(([, count]) => count))
  if (flow.single.size === 0 || !node.aggregates.every(isSummarizing)) return { ...flow, isWhole: true }
  if (!isCoarse(node, behind)) {
    if (small === null || node.aggregates.length === 0) return { ...flow, isWhole: true }
    small.push({ groups: node.rows, rows: behind })
  }
  return { single: new Map(), grouped: fewest(flow.single, flow.grouped), isWhole: node.rows <= 1 }
}

/**
 * Groups have five rows on average, of each table they show, however often a join repeats them. A single row combines
 * five rows or is a count. With fewer rows, a maximum is a cell and an average is nearly one.
 */
function isCoarse({ rows, groups, aggregates }: PlanNode, behind: number): boolean {
  if (rows > 1) return rows * commonCount <= behind
  return behind === 0 || behind >= commonCount || (groups.length === 0 && aggregates.every(isCount))
}

/** If not all groups were read, their number is unknown. */
function limit(node: PlanNode, flow: Flow): Flow {
  const below = node.children.reduce((sum, child) => sum + child.rows, 0)
  if (flow.isWhole || (node.rows === below && below < 1024)) return flow
  return { ...flow, single: fewest(flow.single, flow.grouped) }
}

const nameOf = (aggregate: string): string => /^"?(\w+)"?\(/.exec(aggregate)?.[1]?.toLowerCase() ?? ''

const isCount = (aggregate: string): boolean =>
  /^(count|count_star|approx_count_distinct|count_if|countif)$/.test(nameOf(aggregate))

/** Aggregates that combine values. Those that pick or collect rows (first, any_value, arg_max, list, …) are excluded. */
const combining = {
  counts: ['count', 'count_star', 'count_if', 'countif', 'approx_count_distinct'],
  sums: ['sum', 'sum_no_overflow', 'fsum', 'kahan_sum', 'sumkahan', 'product'],
  means: ['avg', 'mean', 'favg', 'geomean', 'geometric_mean', 'regr_avgx', 'regr_avgy'],
  extremes: ['min', 'max', 'mode', 'median', 'mad'],
  quantiles: ['quantile', 'quantile_cont', 'quantile_disc', 'approx_quantile', 'reservoir_quantile'],
  spreads: ['stddev', 'stddev_pop', 'stddev_samp', 'variance', 'var_pop', 'var_samp', 'sem'],
  shapes: ['skewness', 'kurtosis', 'kurtosis_pop', 'entropy'],
  relations: ['corr', 'covar_pop', 'covar_samp', 'regr_r2', 'regr_sxx', 'regr_sxy', 'regr_syy'],
  regressions: ['regr_count', 'regr_intercept', 'regr_slope'],
  truths: ['bool_and', 'bool_or', 'logical_and', 'logical_or'],
}
const summarizing = new Set(Object.values(combining).flat())

const isSummarizing = (aggregate: string): boolean => summarizing.has(nameOf(aggregate))

const isPicking = (aggregate: string): boolean =>
  /^(min|max|mode|median|quantile|quantile_disc|reservoir_quantile)$/.test(nameOf(aggregate)) ||
  !isSummarizing(aggregate)
