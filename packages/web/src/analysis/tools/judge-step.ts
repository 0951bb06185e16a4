// What of a step may be shown at level 1.
import type { Rows } from '../cells.ts'
import { disclosureOf } from '../disclosure.ts'
import type { Engine } from '../engine.ts'
import { createNameCheck } from '../privacy/known-words.ts'
import { readPlan } from '../privacy/measured-plan.ts'
import { rareTexts, type TextSource } from '../privacy/rare-texts.ts'
import { hasNested, shownTexts } from '../privacy/shown-texts.ts'
import { testSummary } from '../privacy/summary-test.ts'
import { sqlNames } from '../steps/sql-names.ts'

export interface Judgement {
  /** No row of it is a single row of a table. */
  readonly isSummary: boolean
  /** Whoever reads the step may be shown all of it too. */
  readonly isSafe: boolean
  /** Texts of it that so few rows have that they are somebody's. */
  readonly rare: ReadonlySet<string>
}

export interface Judged {
  readonly code: string
  readonly rows: Rows
  readonly names: readonly string[]
  readonly hidden: readonly string[]
  readonly signal: AbortSignal
  /** The tables of the question. */
  readonly tables: readonly TextSource[]
  /** A step whose rows are summaries. */
  readonly isSafe: (table: string) => boolean
}

const single: Judgement = { isSummary: false, isSafe: false, rare: new Set() }

/** In doubt these are single rows. */
export async function judgeQuery(engine: Pick<Engine, 'plan' | 'read'>, judged: Judged): Promise<Judgement> {
  const { code, rows, names, hidden, signal } = judged
  const read = { author: 'model' as const, timeoutMs: 30_000, hidden, signal }
  if (isDescription(code)) return { isSummary: true, isSafe: true, rare: new Set() }
  try {
    const plan = readPlan(await engine.plan(code, read))
    if (plan === null) return single
    const largestTable = Math.max(0, ...judged.tables.map(({ rowCount }) => rowCount))
    const { isSummary, sources, picksValues } = testSummary(plan, { isSafe: judged.isSafe, largestTable })
    if (!isSummary || (sources.size > 0 && hasNested(rows))) return single
    const shown = { code, names, sources: sourcesOf(judged.tables, [...sources.keys()]), read }
    const texts = shownTexts({ columns: rows.columns, rows: rows.rows.slice(0, shownRows) })
    const cells = await rareTexts(engine, texts, { ...shown, allowsDerived: !picksValues })
    const rare = new Set([...cells, ...(await rareNames(engine, judged, shown))])
    // Rows that were not looked at may hold a text that is somebody's.
    const isSeen = rows.rows.length <= shownRows || !picksValues
    return { isSummary, isSafe: rare.size === 0 && isSeen, rare }
  } catch (error) {
    if (signal.aborted) throw error
    return single
  }
}

const shownRows = disclosureOf(1).maxRows

/** Names and types only. Those of a PIVOT are cells. */
function isDescription(code: string): boolean {
  const [first, ...others] = sqlNames(code).map((name) => name.toLowerCase())
  return (first === 'describe' || first === 'desc') && !others.some((name) => name.startsWith('pivot'))
}

/** Columns that a PIVOT named after a cell: `North`, or `North_total` where it has several aggregates. */
async function rareNames(
  engine: Pick<Engine, 'read'>,
  { rows, code, names }: Judged,
  shown: Omit<Parameters<typeof rareTexts>[2], 'allowsDerived'>,
): Promise<readonly string[]> {
  const isKnown = createNameCheck({ code, names })
  const odd = rows.columns.map(({ name }) => name).filter((name) => !isKnown(name))
  const cellOf = (name: string): string => {
    const cuts = [...name.matchAll(/_/g)].map(({ index }) => index)
    const cut = cuts.find((at) => at > 0 && isKnown(name.slice(at + 1)))
    return cut === undefined ? name : name.slice(0, cut)
  }
  const rare = await rareTexts(engine, odd.map(cellOf), { ...shown, allowsDerived: false })
  return odd.filter((name) => rare.has(cellOf(name)))
}

/** The tables a text can come from. What comes by way of a step may be from any of them. */
function sourcesOf(tables: readonly TextSource[], read: readonly string[]): readonly TextSource[] {
  const found = read.map((name) => tables.find((table) => table.name.toLowerCase() === name.toLowerCase()))
  return found.length === 0 || found.includes(undefined) ? tables : found.filter((one) => one !== undefined)
}
