import type { Cell, Rows } from '../../domain/cells.ts'

export interface GridSort {
  /** Index of the column. */
  readonly column: number
  readonly direction: 'ascending' | 'descending'
}

const collator = new Intl.Collator('en', { numeric: true })

/** Row indexes in display order. Empty cells come last in both directions. */
export function sortedOrder({ rows }: Rows, sort: GridSort | null): readonly number[] {
  const indexes = rows.map((_, index) => index)
  if (sort === null) return indexes
  const sign = sort.direction === 'ascending' ? 1 : -1
  const cells = rows.map((row) => row[sort.column] ?? null)
  return indexes.sort((one, other) => {
    const [left = null, right = null] = [cells[one], cells[other]]
    if (isEmpty(left) || isEmpty(right)) return Number(isEmpty(left)) - Number(isEmpty(right))
    return sign * compareCells(left, right)
  })
}

/** The next sort order after a press on a header: ascending, descending, original. */
export function nextSort(sort: GridSort | null, column: number): GridSort | null {
  if (sort?.column !== column) return { column, direction: 'ascending' }
  return sort.direction === 'ascending' ? { column, direction: 'descending' } : null
}

const isEmpty = (cell: Cell): boolean => cell === null || Number.isNaN(cell)

function compareCells(left: Cell, right: Cell): number {
  const isCounted = (cell: Cell): cell is number | bigint => typeof cell === 'number' || typeof cell === 'bigint'
  if (isCounted(left) && isCounted(right)) return left < right ? -1 : Number(left > right)
  return collator.compare(String(left), String(right))
}
