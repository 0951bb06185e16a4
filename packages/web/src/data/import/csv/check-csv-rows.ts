// Counts the CSV rows that the database would reject. Works on bytes and decodes no cells of text columns.
import type { TableCheck } from '../../domain/import-plan.ts'
import { typedCell } from '../columns/as-type.ts'
import { createMisfitCounter } from '../columns/misfit-counter.ts'
import { afterQuotes, cellText, cr, lf, quote } from './csv-bytes.ts'
import type { CsvToRead } from './is-ready-csv.ts'

export function checkCsvRows({ bytes, delimiter, hasHeader, columns }: CsvToRead): TableCheck {
  const separator = delimiter.charCodeAt(0)
  const counters = columns.map(createMisfitCounter)
  const counts = { rows: 0, rejectedRows: 0, wrongWidth: 0 }
  let [at, column, isHeader, hasMisfit] = [0, 0, hasHeader, false]
  while (at < bytes.length) {
    const start = at
    if (bytes[at] === quote) at = afterQuotes(bytes, at)
    while (at < bytes.length && bytes[at] !== separator && bytes[at] !== lf && bytes[at] !== cr) at += 1
    const { type, reading } = columns[column] ?? { type: null }
    if (!isHeader && at > start && type !== null && type !== 'VARCHAR') {
      const text = cellText(bytes, start, at)
      const isMisfit = typedCell(text, type, reading) === undefined
      if (text.trim() !== '') counters[column]?.add(isMisfit ? text : null)
      hasMisfit ||= isMisfit && reading?.misfits !== 'empty'
    }
    if (at < bytes.length && bytes[at] === separator) {
      column += 1
      at += 1
      // A delimiter at the end of the file is followed by one empty cell.
      if (at < bytes.length) continue
    }
    const isEmptyLine = column === 0 && at === start
    if (!isHeader && !isEmptyLine) {
      counts.rows += 1
      const hasWrongWidth = column + 1 !== columns.length
      if (hasWrongWidth) counts.wrongWidth += 1
      if (hasWrongWidth || hasMisfit) counts.rejectedRows += 1
    }
    at += bytes[at] === cr && bytes[at + 1] === lf ? 2 : 1
    if (!isEmptyLine) isHeader = false
    column = 0
    hasMisfit = false
  }
  return { ...counts, columns: counters.map((counter) => counter.check()) }
}
