// A piece of CSV as rows of text, for looking at it. DuckDB reads the file; this reads what a person sees of it first.

export interface CsvRows {
  readonly rows: readonly (readonly string[])[]
  /** The text ended inside quotes: the file is broken, or this piece of it was cut there. */
  readonly isOpen: boolean
}

export interface CsvOptions {
  readonly delimiter: string
  readonly maxRows: number
}

/** Empty lines are no rows. A quote in the middle of a value is part of it. */
export function csvRows(text: string, { delimiter, maxRows }: CsvOptions): CsvRows {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length && rows.length < maxRows) {
    const cell = text[at] === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter)
    if (cell === null) return { rows, isOpen: true }
    row.push(cell.value)
    at = cell.end
    if (text[at] === delimiter) {
      at += 1
      // The file ends right after a delimiter: one more cell, an empty one.
      if (at === text.length) row.push('')
      else continue
    }
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1
  }
  if (row.length > 0) rows.push(row)
  return { rows, isOpen: false }
}

interface Cell {
  readonly value: string
  readonly end: number
}

function plainCell(text: string, start: number, delimiter: string): Cell {
  let end = start
  while (end < text.length) {
    const letter = text[end]
    if (letter === delimiter || letter === '\n' || letter === '\r') break
    end += 1
  }
  return { value: text.slice(start, end), end }
}

function quotedCell(text: string, start: number, delimiter: string): Cell | null {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return null
    if (text[quote + 1] !== '"') {
      // What follows the closing quote by mistake stays with the value.
      const rest = plainCell(text, quote + 1, delimiter)
      return { value: text.slice(start + 1, quote).replaceAll('""', '"') + rest.value, end: rest.end }
    }
    at = quote + 2
  }
}
