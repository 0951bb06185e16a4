import { ellipsize, formatCount, visibleText } from '@quarterdeck/protocol'
import { countLabel } from '../../../domain/count-label.ts'
import { type ColumnCheck, columnTypes, type ImportCheck, rejectedRowsOf } from '../../../domain/import-plan.ts'

export function rejectedWarning(check: ImportCheck): string {
  const rejected = rejectedRowsOf(check)
  const rows = check.tables.reduce((sum, table) => sum + (table?.rows ?? 0), 0)
  const width = check.tables.reduce((sum, table) => sum + (table?.wrongWidth ?? 0), 0)
  const of = check.isWhole ? `${formatCount(rows)} rows` : `the ${formatCount(rows)} rows checked`
  const all = rejected === rows ? ' The table would be empty.' : ''
  const advice =
    width === rejected
      ? 'They have a different number of values than the table has columns.'
      : 'Choose other types, or treat these values as empty.'
  return `${formatCount(rejected)} of ${of} would be rejected.${all} ${advice}`
}

export const addAnywayLabel = (check: ImportCheck): string =>
  check.isWhole ? `Add without ${countLabel(rejectedRowsOf(check), 'row')}` : 'Add without rejected rows'

export function misfitsLabel({ values, misfits, examples }: ColumnCheck, type: string): string {
  const shown = examples.map((value) => `“${visibleText(ellipsize(value, 40))}”`)
  const fit = misfits === 1 ? 'does not fit' : 'do not fit'
  return `${formatCount(misfits)} of ${countLabel(values, 'value')} ${fit} ${typeLabel(type)}: ${shown.join(', ')}`
}

type ColumnType = (typeof columnTypes)[number]

const labels: Readonly<Record<ColumnType, string>> = {
  VARCHAR: 'Text',
  BIGINT: 'Whole number',
  DOUBLE: 'Number',
  BOOLEAN: 'Yes or no',
  DATE: 'Date',
  TIMESTAMP: 'Date and time',
  TIME: 'Time',
}

/** The label of a type. Types that cannot be chosen keep DuckDB's name. */
export function typeLabel(type: string): string {
  const known = columnTypes.find((one) => one === type)
  return known === undefined ? type.toLowerCase() : labels[known]
}
