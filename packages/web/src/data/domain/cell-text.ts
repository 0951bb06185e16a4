import type { Cell } from './cells.ts'

/** A cell as words for a person; exactly what it holds is `exactText`. `null` has no words: the view marks it. */
export function cellText(cell: Exclude<Cell, null>): string {
  if (typeof cell !== 'number') return String(cell)
  // Sums of decimals end in noise (0.30000000000000004); fifteen digits are what a number holds of a decimal for sure.
  return Number.isFinite(cell) ? String(Number(cell.toPrecision(15))) : String(cell)
}

/** For clipboards and files: nothing is rounded, and `null` is nothing. */
export const exactText = (cell: Cell): string => (cell === null ? '' : String(cell))
