import type { ColumnReading } from '../../domain/import-plan.ts'

export interface TypeGuess {
  readonly type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP' | 'TIME'
  readonly reading?: ColumnReading
  /** The reason for text or for a decision, as the end of a sentence about the column. */
  readonly remark?: string
}

export const ambiguousDates = {
  type: 'VARCHAR',
  remark: 'has ambiguous dates such as 03/04/2026, so it stays text',
} as const satisfies TypeGuess

export const ambiguousNumbers = {
  type: 'VARCHAR',
  remark: 'has ambiguous numbers such as 1,234, so it stays text',
} as const satisfies TypeGuess

/** Whether the values are the whole column or a sample of it. Counts of a sample are not counts of the column. */
export type InspectedColumn = 'all' | 'some'

const blanks = ['NA', 'N/A', 'n/a', 'NULL', 'null', 'None', 'NaN', 'nan', '-', '--', '#N/A', '?', '(null)']
/** Words for "no value", if all other values have one type. */
export const blankWords = new Set(blanks)
