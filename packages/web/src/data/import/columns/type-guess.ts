import type { ColumnReading } from '../../domain/import-plan.ts'

export interface TypeGuess {
  readonly type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP' | 'TIME'
  readonly reading?: ColumnReading
  /** Why it stayed text, or what was decided, as the end of a sentence about the column. */
  readonly remark?: string
}

export const ambiguousDates = {
  type: 'VARCHAR',
  remark: 'has dates such as 03/04/2026 that may mean two things, so it stays text',
} as const satisfies TypeGuess

export const ambiguousNumbers = {
  type: 'VARCHAR',
  remark: 'has numbers such as 1,234 that may mean two things, so it stays text',
} as const satisfies TypeGuess

/** Whether the values are all that the column has, or some of them: counts of some are no counts of the column. */
export type InspectedColumn = 'all' | 'some'

/** Words for "no value", where everything else in the column is of one type. */
export const blankWords = new Set([
  'NA',
  'N/A',
  'n/a',
  'NULL',
  'null',
  'None',
  'NaN',
  'nan',
  '-',
  '--',
  '#N/A',
  '?',
  '(null)',
])
