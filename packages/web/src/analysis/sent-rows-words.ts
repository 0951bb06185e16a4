import type { LedgerEntry, SentPart } from './analysis.ts'
import { countWords } from './count-words.ts'

const one = { summary: 'summary row', files: 'row' } as const

/** How many rows left, and what they are; where nobody judged them, only that they are rows. */
export function sentRowsWords({ rows, rowsKind }: Pick<LedgerEntry | SentPart, 'rows' | 'rowsKind'>): string {
  if (rows === 0) return 'no rows'
  return `${countWords(rows, one[rowsKind ?? 'files'])}${rowsKind === 'files' ? ' of your files' : ''}`
}
