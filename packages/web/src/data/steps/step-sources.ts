// Which tables the rows of a step come from, and whether a model may still have them: somebody may since have said that
// a column is never sent, or that the questions are not about a table.
import type { AnalysisStep, StepSource } from '../domain/analysis.ts'
import { type SqlToken, sqlTokens, stringValue } from '../sql/sql-names.ts'
import { stepName } from './step-reads.ts'

export interface NamedTable {
  readonly name: string
  readonly neverSent: readonly string[]
  readonly source: { readonly fingerprint: string }
}

type Code = Pick<AnalysisStep, 'language' | 'code' | 'reads'>

/** As the tables are now: what it takes from other steps is as old as those. */
export function sourcesOf(
  { language, code, reads }: Code,
  { steps, tables }: { readonly steps: readonly AnalysisStep[]; readonly tables: readonly NamedTable[] },
): readonly StepSource[] {
  const isNamed = language === 'sql' ? namesIn(code) : () => false
  const direct = tables
    .filter(({ name }) => isNamed(name))
    .map(({ name, neverSent, source }) => ({ table: name, fingerprint: source.fingerprint, neverSent }))
  const through = steps.filter(({ n }) => reads.includes(n) || isNamed(stepName(n)))
  return [...direct, ...through.flatMap((step) => knownSources(step, { steps, tables }))]
}

/** Of steps of before this was written down: as if nothing had been kept back then. */
function knownSources(step: AnalysisStep, known: Parameters<typeof sourcesOf>[1]): readonly StepSource[] {
  if (step.from !== undefined) return step.from
  const earlier = { ...known, steps: known.steps.filter(({ n }) => n < step.n) }
  return sourcesOf(step, earlier).map((source) => ({ ...source, neverSent: [] }))
}

/** A name may stand in quotes of all kinds; one that is written in numbers could be any. */
export function namesIn(sql: string): (name: string) => boolean {
  const tokens = [...sqlTokens(sql)]
  if (tokens.some(({ kind, text }) => kind === 'string' && /^e/i.test(text) && text.includes('\\'))) return () => true
  const names = new Set(tokens.map((token) => nameOf(token).toLowerCase()))
  return (name) => names.has(name.toLowerCase())
}

function nameOf({ kind, text }: SqlToken): string {
  if (kind === 'quoted') return text.slice(1, -1).replaceAll('""', '"')
  if (kind === 'string') return stringValue(text)
  return kind === 'word' ? text : ''
}

export interface Allowed {
  readonly steps: readonly AnalysisStep[]
  /** Every table that is here. */
  readonly tables: readonly NamedTable[]
  readonly scope: readonly string[]
}

/** Why a model does not have this step until it runs again; `null` where it has it. */
export function whyWithheld(step: AnalysisStep, { steps, tables, scope }: Allowed): string | null {
  for (const { table, fingerprint, neverSent } of knownSources(step, { steps, tables })) {
    const named = tables.filter(({ name }) => same(name, table))
    // Another name is no other table.
    const now = named.length > 0 ? named : tables.filter(({ source }) => source.fingerprint === fingerprint)
    if (now.length === 0 || now.some(({ name }) => !scope.some((one) => same(one, name))))
      return `it comes from ${table}, which the questions are not about now`
    const locked = now.flatMap((one) => one.neverSent).find((column) => !neverSent.some((old) => same(old, column)))
    if (locked !== undefined) return `it was made before ${locked} of ${table} was locked`
  }
  return null
}

/** DuckDB's names are the same in upper and lower case. */
const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
