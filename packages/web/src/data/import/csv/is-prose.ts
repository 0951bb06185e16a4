import { isTableName } from '../source/detect-format.ts'

export interface ProseSample {
  readonly file: string
  readonly rows: readonly (readonly string[])[]
  readonly width: number
}

/** Sentences, not rows: a letter or a note. In doubt, and under a name for tables, it is a table. */
export function isProse({ file, rows, width }: ProseSample): boolean {
  if (isTableName(file)) return false
  const [first = [], ...below] = rows
  const fitting = below.filter((row) => row.length === width).length
  const isMost = fitting * 2 > below.length
  // Any line without a comma is one cell: two of them say nothing.
  if (isMost && (width > 1 || fitting > 2)) return false
  // A title looks like names of columns too: the lines below have to agree with it.
  if ((isMost || below.length === 0) && first.every(isHeading)) return false
  const words = rows.reduce((sum, row) => sum + row.reduce((count, cell) => count + wordsIn(cell), 0), 0)
  return words / rows.length >= 4
}

/** A name, as columns have: a word or three, and no end of a sentence. */
const isHeading = (cell: string): boolean => wordsIn(cell) > 0 && wordsIn(cell) <= 3 && !/[.!?:]\s*$/.test(cell)

const wordsIn = (cell: string): number => cell.match(/\p{L}[\p{L}\p{M}'’-]*/gu)?.length ?? 0
