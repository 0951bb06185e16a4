// Which tables a question is about.
import type { Analysis } from '../analysis.ts'
import type { KeptTable } from '../kept-table.ts'

export const inScope = (tables: readonly KeptTable[], { scope }: Analysis): readonly KeptTable[] =>
  tables.filter(({ name }) => scope.includes(name))

/** Those that the model does not have. */
export const outOfScope = (tables: readonly KeptTable[], { scope }: Analysis): readonly string[] =>
  tables.map(({ name }) => name).filter((name) => !scope.includes(name))

/** Tables that are not what they were when they were asked about: another file has their name now. */
export const otherTables = (tables: readonly KeptTable[], analysis: Analysis): readonly string[] =>
  analysis.tables
    .filter(({ name, fingerprint }) =>
      tables.some((one) => one.name === name && one.source.fingerprint !== fingerprint),
    )
    .map(({ name }) => name)
