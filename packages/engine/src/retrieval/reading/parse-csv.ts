// RFC 4180 with the variations of spreadsheets: quotes, doubled quotes, line breaks inside them, and four delimiters.
import { type YieldPoint, yieldPoint } from './yield-point.ts'

const delimiters = [',', ';', '\t', '|'] as const

export interface CsvRow {
  readonly header: readonly string[]
  /** As many as there are columns, or fewer. */
  readonly cells: readonly string[]
  /** Counted from 1 below the header. */
  readonly number: number
}

/** Throws with the row number if a row has more cells than the header. */
export function* parseCsv(text: string, delimiter: string | null): Generator<CsvRow | YieldPoint> {
  let header: readonly string[] | null = null
  let number = 0
  for (const cells of splitRows(text, delimiter ?? detectDelimiter(text))) {
    if (cells === yieldPoint) {
      yield yieldPoint
      continue
    }
    if (header === null) {
      header = cells
      continue
    }
    number++
    if (cells.length > header.length) {
      throw new Error(`row ${number} has ${cells.length} cells but there are ${header.length} columns`)
    }
    yield { header, cells, number }
  }
}

/** The delimiter that splits the first rows into the same number of cells, and into most. */
function detectDelimiter(text: string): string {
  const sample = text.slice(0, 20_000)
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 }
  for (const delimiter of delimiters) {
    const rows = [...splitRows(sample, delimiter)].filter((row) => row !== yieldPoint).slice(0, 20)
    const columns = rows[0]?.length ?? 0
    if (columns < 2) continue
    const same = rows.filter((cells) => cells.length === columns).length / rows.length
    const score = same * 1000 + columns
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

const sliceCharacters = 256 * 1024

function* splitRows(text: string, delimiter: string): Generator<string[] | YieldPoint> {
  let row: string[] = []
  let cell = ''
  let isBlank = true
  let isQuoted = false
  let nextPause = sliceCharacters
  const endCell = () => {
    row.push(cell.trim())
    cell = ''
    isBlank = true
  }
  const add = (char: string) => {
    cell += char
    isBlank &&= char.trim() === ''
  }
  function* endRow() {
    endCell()
    if (row.some((value) => value !== '')) yield row
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    // An unclosed quote extends to the end of the file.
    if (at >= nextPause) {
      yield yieldPoint
      nextPause = at + sliceCharacters
    }
    if (isQuoted) {
      if (char !== '"') add(char)
      else if (text[at + 1] === '"') add(text[++at] ?? '')
      else isQuoted = false
    } else if (char === '"' && isBlank) isQuoted = true
    else if (text.startsWith(delimiter, at)) {
      endCell()
      at += delimiter.length - 1
    } else if (char === '\n') yield* endRow()
    else add(char)
  }
  yield* endRow()
}
