// The tables that the rows of a step come from, and whether the model may still read them: a column may have been
// locked or a table removed from the scope since.
import type { AnalysisStep, StepSource } from '../domain/analysis.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { isSameName, nameKey } from '../domain/same-name.ts'
import { bareText, sqlTokens } from '../sql/sql-names.ts'
import { stepName } from './step-reads.ts'

type NamedTable = Pick<ImportedTable, 'name' | 'neverSent'> & {
  readonly source: Pick<ImportedTable['source'], 'fingerprint'>
}

type Code = Pick<AnalysisStep, 'language' | 'code' | 'reads'>

/** From the current tables. Rows of other steps are as old as those steps. */
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

/** Old steps without this record count as created without locks. */
function knownSources(step: AnalysisStep, known: Parameters<typeof sourcesOf>[1]): readonly StepSource[] {
  if (step.from !== undefined) return step.from
  const earlier = { ...known, steps: known.steps.filter(({ n }) => n < step.n) }
  return sourcesOf(step, earlier).map((source) => ({ ...source, neverSent: [] }))
}

/** A name may be quoted in any way. An escaped name could be any. */
export function namesIn(sql: string): (name: string) => boolean {
  const tokens = [...sqlTokens(sql)]
  if (tokens.some(({ kind, text }) => kind === 'string' && /^e/i.test(text) && text.includes('\\'))) return () => true
  const named = tokens.filter(({ kind }) => kind === 'word' || kind === 'quoted' || kind === 'string')
  const names = new Set(named.map((token) => nameKey(bareText(token))))
  return (name) => names.has(nameKey(name))
}

export interface Allowed {
  readonly steps: readonly AnalysisStep[]
  /** All loaded tables. */
  readonly tables: readonly NamedTable[]
  readonly scope: readonly string[]
}

/** Why the model cannot read this step until it runs again; `null` if it can. */
export function whyWithheld(step: AnalysisStep, { steps, tables, scope }: Allowed): string | null {
  for (const { table, fingerprint, neverSent } of knownSources(step, { steps, tables })) {
    const named = tables.filter(({ name }) => isSameName(name, table))
    // A renamed table is the same table.
    const now = named.length > 0 ? named : tables.filter(({ source }) => source.fingerprint === fingerprint)
    if (now.length === 0 || now.some(({ name }) => !scope.some((one) => isSameName(one, name))))
      return `it comes from ${table}, which is not in scope now`
    const locked = now
      .flatMap((one) => one.neverSent)
      .find((column) => !neverSent.some((old) => isSameName(old, column)))
    if (locked !== undefined) return `it was created before ${locked} of ${table} was locked`
  }
  return null
}
