// The tables of a question.
import type { Analysis } from '../../domain/analysis.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'

export const inScope = (tables: readonly ImportedTable[], { scope }: Analysis): readonly ImportedTable[] =>
  tables.filter(({ name }) => scope.includes(name))

/** Tables that the model cannot read. */
export const outOfScope = (tables: readonly ImportedTable[], { scope }: Analysis): readonly string[] =>
  tables.map(({ name }) => name).filter((name) => !scope.includes(name))

/** Tables whose file was replaced since they were last asked about. */
export const otherTables = (tables: readonly ImportedTable[], analysis: Analysis): readonly string[] =>
  analysis.tables
    .filter(({ name, fingerprint }) =>
      tables.some((one) => one.name === name && one.source.fingerprint !== fingerprint),
    )
    .map(({ name }) => name)

/**
 * The disclosure terms as one text: results that were created under other terms are not sent. `tables`: all loaded
 * tables. Locked columns of one table also affect steps of others.
 */
export function disclosureTerms(analysis: Analysis, tables: readonly ImportedTable[]): string {
  const asked = inScope(tables, analysis).map(({ name, source }) => [name, source.fingerprint])
  const locked = tables.flatMap(({ name, neverSent }) => (neverSent.length === 0 ? [] : [[name, neverSent]]))
  return JSON.stringify([analysis.level, asked, locked])
}
