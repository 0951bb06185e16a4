// Shows rejected rows as they are in the file, because the database received prepared dates and numbers.
import type { PlannedColumn } from '../../domain/import-plan.ts'
import { misfitLabel } from '../../domain/misfit-label.ts'
import type { Rejected } from '../../domain/query-engine.ts'
import { cellEnd, cellEnds, lf, lineEndSize } from './csv-bytes.ts'
import { csvRows } from './csv-rows.ts'

export interface OwnCsv {
  /** UTF-8, before preparation. */
  readonly bytes: Uint8Array
  readonly delimiter: string
  readonly columns: readonly Pick<PlannedColumn, 'name' | 'type'>[]
}

const shownLetters = 2000

/** `rejected` is in file order. */
export function restoreOwnLines(rejected: readonly Rejected[], csv: OwnCsv): readonly Rejected[] {
  const rowAt = createRowFinder(csv)
  return rejected.map((one) => {
    const row = rowAt(one.line)
    if (row === null) return one
    return { ...one, text: row.slice(0, shownLetters), problem: ownProblem(one, row, csv) }
  })
}

function ownProblem({ column, problem }: Rejected, row: string, { delimiter, columns }: OwnCsv): string {
  const index = columns.findIndex(({ name }) => name === column)
  const type = columns[index]?.type ?? null
  const value = csvRows(row, { delimiter, maxRows: 1 }).rows[0]?.[index]
  if (value === undefined || type === null) return problem
  const more = /^"more than a (?:day|time): /.test(problem)
  return more ? `"${value.slice(0, 100)}" is more than a ${type.toLowerCase()}` : misfitLabel(value, type)
}

/** Must be called with increasing lines. A row is found by its first line. */
function createRowFinder({ bytes, delimiter }: OwnCsv): (line: number) => string | null {
  const separator = delimiter.charCodeAt(0)
  const ends = cellEnds(separator)
  const decoder = new TextDecoder()
  const rowEnd = (start: number): number => {
    let end = cellEnd(bytes, start, ends)
    while (bytes[end] === separator) end = cellEnd(bytes, end + 1, ends)
    return end
  }
  let at = 0
  let line = 1
  return (wanted) => {
    while (at < bytes.length) {
      const start = at
      const begun = line
      const end = rowEnd(start)
      line += 1
      for (let byte = start; byte < end; byte += 1) if (bytes[byte] === lf) line += 1
      at = end + lineEndSize(bytes, end)
      if (begun === wanted) return decoder.decode(bytes.subarray(start, end))
      if (begun > wanted) return null
    }
    return null
  }
}
