import type { SentEntry, SentPart } from './analysis.ts'
import { countLabel } from './count-label.ts'

const one = { summary: 'summary row', files: 'row' } as const

/** How many rows left, and what they are; where nobody judged them, only that they are rows. */
export function sentRowsLabel({ rows, rowsKind }: Pick<SentEntry | SentPart, 'rows' | 'rowsKind'>): string {
  if (rows === 0) return 'no rows'
  return `${countLabel(rows, one[rowsKind ?? 'files'])}${rowsKind === 'files' ? ' of your files' : ''}`
}
