// RFC 4180 and what spreadsheets make of it: quotes, doubled quotes, line breaks inside them, and four delimiters.

const delimiters = [',', ';', '\t', '|'] as const

export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: readonly { readonly cells: readonly string[]; readonly number: number }[]
}

/** Rows count from 1 below the header. Throws with the row's number when one has more cells than the header. */
export function parseCsv(text: string, delimiter: string | null): CsvTable {
  const [header, ...rows] = splitRows(text, delimiter ?? sniffDelimiter(text))
  if (header === undefined) return { header: [], rows: [] }
  const names = header.map((name) => name.trim())
  return {
    header: names,
    rows: rows.map((cells, index) => {
      const number = index + 1
      if (cells.length > names.length) {
        throw new Error(`row ${number} has ${cells.length} cells below ${names.length} names`)
      }
      return { cells, number }
    }),
  }
}

/** The one that parts the first rows into the same number of cells, and into most. */
function sniffDelimiter(text: string): string {
  const sample = text.slice(0, 20_000)
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 }
  for (const delimiter of delimiters) {
    const rows = splitRows(sample, delimiter).slice(0, 20)
    const columns = rows[0]?.length ?? 0
    if (columns < 2) continue
    const same = rows.filter((cells) => cells.length === columns).length / rows.length
    const score = same * 1000 + columns
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

function splitRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    row.push(cell.trim())
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.some((value) => value !== '')) rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text[at + 1] === '"') cell += text[++at]
      else isQuoted = false
    } else if (char === '"' && cell.trim() === '') isQuoted = true
    else if (text.startsWith(delimiter, at)) {
      endCell()
      at += delimiter.length - 1
    } else if (char === '\n') endRow()
    else cell += char
  }
  endRow()
  return rows
}
