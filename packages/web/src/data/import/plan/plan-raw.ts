// Plans a table with its own value types: every value counts for the type, not a sample.
import { type Cell, exactText } from '../../domain/cells.ts'
import type { PlannedTable } from '../../domain/import-plan.ts'
import { guessType } from '../columns/guess-type.ts'
import type { TypeGuess } from '../columns/type-guess.ts'
import { type RawTable, rowOf } from '../formats/raw-table.ts'
import { columnNames, namingWarnings } from './column-names.ts'
import { guessedColumns } from './guessed-columns.ts'
import { personalRows } from './proposed-locks.ts'
import { previewCount, previewRows } from './table-preview.ts'

export interface RawPlan extends Pick<PlannedTable, 'part' | 'columns' | 'preview' | 'rowCount'> {
  readonly warnings: readonly string[]
}

export function planRaw(table: RawTable): RawPlan {
  const named = columnNames(table.columns.map(({ sourceName }) => sourceName))
  const guesses = table.columns.map(({ values }) => guessValues(values))
  const textsAt = (index: number) => (table.columns[index]?.values ?? []).slice(0, personalRows).map(exactText)
  const { columns, remarks } = guessedColumns(named, guesses, textsAt)
  const rows = Array.from({ length: Math.min(previewCount, table.rowCount) }, (_, row) => rowOf(table, row))
  return {
    part: table.part,
    columns,
    rowCount: table.rowCount,
    preview: previewRows(named, rows),
    warnings: [...namingWarnings(named), ...remarks],
  }
}

/** Numbers in quotes stay text, because the writer chose so. Dates and timestamps have no other notation. */
function guessValues(values: readonly Cell[]): TypeGuess {
  const seen = { text: false, yesNo: false, fraction: false, whole: false, long: false }
  for (const value of values) {
    if (typeof value === 'string') seen.text = true
    else if (typeof value === 'boolean') seen.yesNo = true
    else if (typeof value === 'bigint') seen.long = true
    else if (value !== null) seen[Number.isSafeInteger(value) ? 'whole' : 'fraction'] = true
  }
  const isNumber = seen.fraction || seen.whole || seen.long
  if (seen.text) return seen.yesNo || isNumber ? mixed : guessMoment(values)
  if (seen.yesNo) return isNumber ? mixed : { type: 'BOOLEAN' }
  if (seen.fraction && seen.long)
    return { type: 'VARCHAR', remark: 'has numbers too long for decimals, so it stays text' }
  if (seen.fraction) return { type: 'DOUBLE' }
  return isNumber ? { type: 'BIGINT' } : { type: 'VARCHAR' }
}

const mixed: TypeGuess = { type: 'VARCHAR', remark: 'has values of several types, so it is text' }

function guessMoment(values: readonly Cell[]): TypeGuess {
  const texts = values.filter((value) => typeof value === 'string')
  // The first values rule out other types for most text columns.
  const first = guessType(texts.slice(0, 20))
  if (!isMoment(first) && first.reading === undefined) return { type: 'VARCHAR' }
  const guess = guessType(texts)
  if (isMoment(guess)) return guess
  const { dates, decimals } = guess.reading ?? {}
  // Used if the user chooses another type.
  const reading = { ...(dates && { dates }), ...(decimals && { decimals }) }
  return { type: 'VARCHAR', ...(Object.keys(reading).length > 0 && { reading }) }
}

const isMoment = ({ type, reading }: TypeGuess): boolean =>
  ['DATE', 'TIMESTAMP', 'TIME'].includes(type) && reading?.blanks === undefined
