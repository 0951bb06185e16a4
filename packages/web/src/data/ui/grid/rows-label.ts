import { formatCount } from '@quarterdeck/protocol'
import { countLabel } from '../../domain/count-label.ts'

/** The number of rows and how many are loaded; `total: null` if not counted. */
export function rowsLabel(here: number, total: number | null): string {
  const count = (rows: number): string => countLabel(rows, 'row')
  if (total === null) return `first ${count(here)}; the total was not counted`
  return total > here ? `first ${formatCount(here)} of ${count(total)}` : count(here)
}
