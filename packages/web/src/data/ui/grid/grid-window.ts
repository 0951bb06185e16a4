// Which of many rows are rendered, and where the selected cell moves.

export const rowHeight = 36
export const headHeight = 36
const beyond = 8

export interface GridView {
  readonly scrollTop: number
  readonly height: number
}

/** Rows from `first` to `end` (exclusive): the visible ones and a few more. */
export function rowsInSight({ scrollTop, height }: GridView, count: number): { first: number; end: number } {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - beyond)
  return { first: Math.min(first, count), end: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + beyond) }
}

/** The scroll position that makes a row visible, or the current one if it is. The header covers the top. */
export function scrollTopFor(row: number, { scrollTop, height }: GridView): number {
  const [top, visibleHeight] = [row * rowHeight, Math.max(rowHeight, height - headHeight)]
  if (top < scrollTop) return Math.max(0, top)
  return top + rowHeight > scrollTop + visibleHeight ? top + rowHeight - visibleHeight : scrollTop
}

/** Row −1 is the header. */
export interface GridPosition {
  readonly row: number
  readonly column: number
}

export interface GridSize {
  readonly rows: number
  readonly columns: number
  /** The number of visible rows. */
  readonly page: number
}

/** The cell that a key moves to; `null` for other keys. `toEdge` is Ctrl or Cmd. */
export function movedPlace(
  position: GridPosition,
  size: GridSize,
  { key, toEdge }: { readonly key: string; readonly toEdge: boolean },
): GridPosition | null {
  const { row, column } = position
  const [lastRow, lastColumn] = [size.rows - 1, size.columns - 1]
  switch (key) {
    case 'ArrowUp':
      return { row: toEdge ? Math.min(0, lastRow) : Math.max(-1, row - 1), column }
    case 'ArrowDown':
      return { row: toEdge ? lastRow : Math.min(lastRow, row + 1), column }
    case 'ArrowLeft':
      return { row, column: toEdge ? 0 : Math.max(0, column - 1) }
    case 'ArrowRight':
      return { row, column: toEdge ? lastColumn : Math.min(lastColumn, column + 1) }
    case 'Home':
      return { row: toEdge ? Math.min(0, lastRow) : row, column: 0 }
    case 'End':
      return { row: toEdge ? lastRow : row, column: lastColumn }
    case 'PageUp':
      return { row: Math.max(Math.min(0, lastRow), row - size.page), column }
    case 'PageDown':
      return { row: Math.min(lastRow, row + size.page), column }
    default:
      return null
  }
}
