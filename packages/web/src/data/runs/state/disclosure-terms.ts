// What may leave, as one text: where it is another text, what was made before is not sent.
import type { Analysis } from '../../domain/analysis.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { inScope } from './in-scope.ts'

/** `tables`: every one that is here. What is never sent of one is kept out of steps of others too. */
export function disclosureTerms(analysis: Analysis, tables: readonly ImportedTable[]): string {
  const asked = inScope(tables, analysis).map(({ name, source }) => [name, source.fingerprint])
  const locked = tables.flatMap(({ name, neverSent }) => (neverSent.length === 0 ? [] : [[name, neverSent]]))
  return JSON.stringify([analysis.level, asked, locked])
}
