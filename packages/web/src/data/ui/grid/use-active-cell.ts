import { type ClipboardEvent, type KeyboardEvent, type MouseEvent, useState } from 'react'
import { type Cell, exactText } from '../../domain/cells.ts'
import { rowHeight } from './use-grid-view.ts'

interface ActiveCellOptions {
  readonly columns: readonly { readonly name: string }[]
  readonly rowCount: number
  readonly viewHeight: number
  readonly cellAt: (position: GridPosition) => Cell
  readonly onSort: (column: number) => void
  /** Scrolls to a cell. */
  readonly show: (row: number, column: number) => void
}

/** The selected cell: keys and clicks move it, and a copy takes its content. Row -1 is the head. */
export function useActiveCell({ columns, rowCount, viewHeight, cellAt, onSort, show }: ActiveCellOptions) {
  const [active, setActive] = useState<GridPosition>({ row: 0, column: 0 })

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget || event.altKey) return
    if (active.row === -1 && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault()
      onSort(active.column)
      return
    }
    const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 2)
    const size = { rows: rowCount, columns: columns.length, page }
    const next = movedPosition(active, size, { key: event.key, toEdge: event.ctrlKey || event.metaKey })
    if (next === null) return
    event.preventDefault()
    setActive(next)
    show(next.row, next.column)
  }

  function onCopy(event: ClipboardEvent): void {
    // Text that the user selected with the pointer takes precedence.
    if (getSelection()?.isCollapsed === false) return
    event.preventDefault()
    event.clipboardData.setData(
      'text/plain',
      exactText(active.row < 0 ? (columns[active.column]?.name ?? '') : cellAt(active)),
    )
  }

  function onClick({ target }: MouseEvent): void {
    const cell = target instanceof Element ? target.closest<HTMLElement>('td[data-column]') : null
    const row = cell?.closest<HTMLElement>('tr[data-row]')?.dataset.row
    if (cell && row !== undefined) setActive({ row: Number(row), column: Number(cell.dataset.column) })
  }

  return { active, setActive, events: { onKeyDown, onCopy, onClick } }
}

/** Row −1 is the header. */
export interface GridPosition {
  readonly row: number
  readonly column: number
}

interface GridSize {
  readonly rows: number
  readonly columns: number
  /** The number of visible rows. */
  readonly page: number
}

/** The cell that a key moves to; `null` for other keys. `toEdge` is Ctrl or Cmd. */
export function movedPosition(
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
