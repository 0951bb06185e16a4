import { ellipsize, visibleText } from '@quarterdeck/protocol'
import { type Cell, cellText } from '../../domain/cells.ts'
import type { GridColumn } from './grid-columns.ts'

/** Longer texts are cut before rendering: one cell may hold a whole document. */
const longestShown = 300

interface GridCellProps {
  readonly id: string
  readonly cell: Cell
  readonly column: GridColumn
  readonly position: number
  readonly isActive: boolean
  readonly isOutlined: boolean
}

export function GridCell({ id, cell, column, position, isActive, isOutlined }: GridCellProps) {
  const text = cell === null ? null : shownCell(cell)
  const looks = [column.kind === 'number' && 'r', isActive && 'active', isOutlined && 'hit', text === null && 'muted']
  return (
    <td
      id={id}
      aria-colindex={position + 1}
      data-column={position}
      className={looks.filter((look) => look !== false).join(' ')}
      title={text !== null && text.length > column.width ? ellipsize(text, longestShown) : undefined}
    >
      {text === null ? (
        <>
          <span aria-hidden="true">–</span>
          <span className="visually-hidden">empty</span>
        </>
      ) : (
        <bdi>{ellipsize(text, longestShown)}</bdi>
      )}
    </td>
  )
}

/** One line without invisible or bidirectional characters. */
const shownCell = (cell: Exclude<Cell, null>): string => visibleText(cellText(cell)).replace(/\r\n|\n/g, ' ↵ ')
