// Decides what of a step may be shown at level 1.
import type { AnalysisStep } from '../domain/analysis.ts'
import { kindOf, type Rows } from '../domain/cells.ts'
import { disclosureOf } from '../domain/disclosure.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import type { SmallGroups } from '../domain/small-groups.ts'
import { createGivenNames } from '../privacy/given-names.ts'
import { createOwnNames, type KnownNames } from '../privacy/mask-names.ts'
import { readPlan } from '../privacy/measured-plan.ts'
import { rareTexts, type TextSource } from '../privacy/rare-texts.ts'
import { countedTexts, hasNested, shownTexts } from '../privacy/shown-texts.ts'
import { type SummaryContext, testSummary } from '../privacy/summary-test.ts'
import { sqlNames } from '../sql/sql-names.ts'
import { stepName, stepNumber } from '../steps/step-reads.ts'
import { sqlBehind, type WrittenStep } from '../steps/step-texts.ts'
import { groupSizes } from './group-sizes.ts'
import type { QueryableTables } from './queryable-tables.ts'
import { queryTimeMs } from './run-code.ts'
import { stepSize } from './step-size.ts'

export interface Judgement {
  /** It may be shown without consent, except for its rare texts. */
  readonly isShown: boolean
  /** No row is a single row of a table and nothing is rare: results that read the step may be shown as well. */
  readonly isSummary: boolean
  /** Texts that occur in so few rows that they may identify a person. */
  readonly rare: ReadonlySet<string>
  /** Set if small groups are the only reason that it is not shown. */
  readonly smallGroups?: SmallGroups
}

export interface JudgeInput extends Omit<SummaryContext, 'isText' | 'isGiven'> {
  readonly code: string
  /** Its SQL and that of all steps it reads. */
  readonly written: readonly string[]
  readonly rows: Rows
  /** Names that the model knows. */
  readonly names: readonly string[]
  /** Whether column names can contain cells. */
  readonly fromCells: boolean
  readonly hidden: readonly string[]
  readonly signal: AbortSignal
  /** The tables in scope. */
  readonly tables: readonly TextSource[]
}

/** Tables in scope; `names` are theirs and those of their columns. */
export interface KnownTables extends KnownNames {
  readonly tables: QueryableTables
}

/** The input for judging a step, except its rows. */
export function judgeInputOf(
  step: WrittenStep,
  steps: () => readonly AnalysisStep[],
  { tables, names, fromCells }: KnownTables,
): Omit<JudgeInput, 'rows' | 'signal'> {
  // The model knows what it wrote in earlier steps.
  const written = steps().flatMap(({ n, original }) => [stepName(n), ...sqlNames(original)])
  return {
    code: step.code,
    written: sqlBehind(step, steps()),
    names: [...names, ...written],
    fromCells,
    hidden: tables.hidden,
    tables: tables.inScope,
    isSummaryStep: (name) => isSummaryStep(steps(), stepNumber(name)),
    stepSize: (n) => stepSize(n, steps(), tables.inScope),
  }
}

export const isSummaryStep = (steps: readonly AnalysisStep[], n: number | null): boolean =>
  steps.some((step) => step.n === n && step.isSummary === true)

const single: Judgement = { isShown: false, isSummary: false, rare: new Set() }

/** If unclear, these are single rows. */
export async function judgeQuery(engine: Pick<QueryEngine, 'plan' | 'read'>, input: JudgeInput): Promise<Judgement> {
  const { code, rows, names, fromCells, hidden, signal } = input
  const read = { author: 'model' as const, timeoutMs: queryTimeMs, hidden, signal }
  if (isDescription(code) && !fromCells && !hasValues(rows)) return { isShown: true, isSummary: true, rare: new Set() }
  try {
    const plan = readPlan(await engine.plan(code, read))
    if (plan === null) return single
    const { isSummary, sources, lookups, picksValues, smallGroups } = testSummary(plan, {
      ...input,
      isText: isTextOf(input.tables),
      isGiven: createGivenNames(input.written),
    })
    if (smallGroups !== null)
      return { ...single, smallGroups: { ...smallGroups, ...(await groupSizes(engine, code, read)) } }
    if (!isSummary || (sources.size > 0 && hasNested(rows))) return single
    const known = sourcesOf(input.tables, [...sources.keys()])
    const isLookup = ({ name }: TextSource): boolean => !picksValues && lookups.has(name)
    const shown = { code, names, sources: known.map((one) => ({ ...one, isLookup: isLookup(one) })), read }
    const texts = shownTexts({ columns: rows.columns, rows: rows.rows.slice(0, shownRows) })
    const counted = picksValues || fromCells ? new Set<string>() : countedTexts(rows, code)
    const cells = await rareTexts(engine, texts, { ...shown, allowsDerived: (text) => counted.has(text) })
    const rare = new Set([...cells, ...(fromCells ? await rareNames(engine, input, shown) : [])])
    if (lookups.size > 0 && rare.size > 0) return single
    // Rows that were not checked may contain a personal text.
    const isSeen = rows.rows.length <= shownRows || !picksValues
    return { isShown: true, isSummary: rare.size === 0 && isSeen, rare }
  } catch (error) {
    if (signal.aborted) throw error
    return single
  }
}

const shownRows = disclosureOf(1).maxRows

/** Names and types only. */
const isDescription = (code: string): boolean => /^desc(ribe)?$/i.test(sqlNames(code)[0] ?? '')

/** `ENUM('ann', …)` */
const hasValues = ({ rows }: Rows): boolean =>
  rows.some((row) => row.some((cell) => typeof cell === 'string' && /\bENUM\s*\(/i.test(cell)))

/** Columns that a PIVOT named after a cell: `North`, or `North_total` with several aggregates. */
async function rareNames(
  engine: Pick<QueryEngine, 'read'>,
  { rows, code, names }: JudgeInput,
  shown: Omit<Parameters<typeof rareTexts>[2], 'allowsDerived'>,
): Promise<readonly string[]> {
  const isKnown = createOwnNames(code, names)
  const odd = rows.columns.map(({ name }) => name).filter((name) => !isKnown(name))
  const cellOf = (name: string): string => {
    const cuts = [...name.matchAll(/_/g)].map(({ index }) => index)
    const cut = cuts.find((at) => at > 0 && isKnown(name.slice(at + 1)))
    return cut === undefined ? name : name.slice(0, cut)
  }
  const rare = await rareTexts(engine, odd.map(cellOf), { ...shown, allowsDerived: () => false })
  return odd.filter((name) => rare.has(cellOf(name)))
}

const isTextOf =
  (tables: readonly TextSource[]) =>
  (table: string, name: string): boolean => {
    const { columns = [] } = tables.find((one) => one.name.toLowerCase() === table.toLowerCase()) ?? {}
    return columns.some((column) => column.name === name && kindOf(column) === 'text')
  }

/** The tables that a text can come from. Through a step, it may be any of them. */
function sourcesOf(tables: readonly TextSource[], read: readonly string[]): readonly TextSource[] {
  const found = read.map((name) => tables.find((table) => table.name.toLowerCase() === name.toLowerCase()))
  return found.length === 0 || found.includes(undefined) ? tables : found.filter((one) => one !== undefined)
}
