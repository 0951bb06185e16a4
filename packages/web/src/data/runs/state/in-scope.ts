// Which tables a question is about.
import type { Analysis } from '../../domain/analysis.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'

export const inScope = (tables: readonly ImportedTable[], { scope }: Analysis): readonly ImportedTable[] =>
  tables.filter(({ name }) => scope.includes(name))

/** Those that the model does not have. */
export const outOfScope = (tables: readonly ImportedTable[], { scope }: Analysis): readonly string[] =>
  tables.map(({ name }) => name).filter((name) => !scope.includes(name))

/** Tables that are not what they were when they were asked about: another file has their name now. */
export const otherTables = (tables: readonly ImportedTable[], analysis: Analysis): readonly string[] =>
  analysis.tables
    .filter(({ name, fingerprint }) =>
      tables.some((one) => one.name === name && one.source.fingerprint !== fingerprint),
    )
    .map(({ name }) => name)
