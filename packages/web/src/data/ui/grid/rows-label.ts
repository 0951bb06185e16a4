import { countLabel } from '../../domain/count-label.ts'

/** How many rows there are and how many of them are here; `total: null` where nobody counted the rest. */
export function rowsLabel(here: number, total: number | null): string {
  const count = (rows: number): string => countLabel(rows, 'row')
  if (total === null) return `first ${count(here)}; the rest was not counted`
  return total > here ? `first ${here.toLocaleString('en-US')} of ${count(total)}` : count(here)
}
