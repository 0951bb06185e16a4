// What a check of a plan found, in words.
import { visibleText } from '@quarterdeck/protocol'
import { countWords } from '../../analysis/count-words.ts'
import type { ColumnCheck, ImportCheck, ImportPlan } from '../../analysis/import-plan.ts'
import { typeWord } from './type-words.ts'

const number = (count: number): string => count.toLocaleString('en-US')

/** Rows that would not be added, of all chosen tables. */
export const rejectedRowsOf = (check: ImportCheck | null): number =>
  (check?.tables ?? []).reduce((sum, table) => sum + (table?.rejectedRows ?? 0), 0)

/** Of these formats a value that does not fit refuses the file, not its row. */
export const isAllOrNothing = ({ format }: ImportPlan): boolean => format === 'parquet' || format === 'arrow'

export function rejectedWarning(check: ImportCheck): string {
  const rejected = rejectedRowsOf(check)
  const rows = check.tables.reduce((sum, table) => sum + (table?.rows ?? 0), 0)
  const width = check.tables.reduce((sum, table) => sum + (table?.wrongWidth ?? 0), 0)
  const of = check.isWhole ? `${number(rows)} rows` : `the ${number(rows)} rows looked at`
  const all = rejected === rows ? ' The table would be empty.' : ''
  const why = width === rejected ? ' They have more or fewer values than there are columns.' : ''
  return `${number(rejected)} of ${of} would be rejected.${all}${why}`
}

export const addAnyway = (check: ImportCheck): string =>
  check.isWhole ? `Add without ${countWords(rejectedRowsOf(check), 'row')}` : 'Add without such rows'

export function misfitsWords({ values, misfits, examples }: ColumnCheck, type: string): string {
  const shown = examples.map((value) => `“${visibleText(value.slice(0, 40))}${value.length > 40 ? '…' : ''}”`)
  const fit = misfits === 1 ? 'does not fit' : 'do not fit'
  return `${number(misfits)} of ${countWords(values, 'value')} ${fit} ${typeWord(type)}: ${shown.join(', ')}`
}
