export interface Looked {
  readonly file: string
  readonly rows: readonly (readonly string[])[]
  readonly width: number
  /** How many rows below the first line have that width. */
  readonly fitting: number
}

/** Sentences, not rows: a letter or a note. In doubt, and under a name for tables, it is a table. */
export function isProse({ file, rows, width, fitting }: Looked): boolean {
  if (/\.(csv|tsv|tab)(\.gz)*$/i.test(file) || fitting > 2) return false
  if (width > 1 && fitting * 2 > rows.length - 1) return false
  const [first = []] = rows
  if (first.every(isHeading)) return false
  const words = rows.reduce((sum, row) => sum + row.reduce((count, cell) => count + wordsIn(cell), 0), 0)
  return words / rows.length >= 4
}

/** A name, as columns have: a word or three, and no end of a sentence. */
const isHeading = (cell: string): boolean => wordsIn(cell) > 0 && wordsIn(cell) <= 3 && !/[.!?:]\s*$/.test(cell)

const wordsIn = (cell: string): number => cell.match(/\p{L}[\p{L}\p{M}'’-]*/gu)?.length ?? 0
