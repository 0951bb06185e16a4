import './rows-grid.css'
import { formatCount, visibleText } from '@quarterdeck/protocol'
import { useEffect, useId, useMemo, useState } from 'react'
import { type Cell, cellText, type Rows } from '../../domain/cells.ts'
import { countLabel } from '../../domain/count-label.ts'
import { ShowAll, useFirstOnes } from '../controls/show-all.tsx'
import { GridCell } from './grid-cell.tsx'
import { gridColumns } from './grid-columns.ts'
import { GridHead } from './grid-head.tsx'
import { rowsLabel } from './rows-label.ts'
import { type GridSort, nextSort, sortedOrder } from './sorted-order.ts'
import { type GridPosition, useActiveCell } from './use-active-cell.ts'
import { headHeight, rowHeight, rowsInSight, useGridView } from './use-grid-view.ts'

interface RowsGridProps {
  readonly rows: Rows
  /** The total number; `null` if there are more and they were not counted. */
  readonly total: number | null
  /** The cell that a number links to: its original row, from 0. */
  readonly outlined?: { readonly row: number; readonly column: string } | null
  readonly label: string
}

/**
 * A grid that renders only visible rows and the first of very many columns. One tab stop; arrow keys move the
 * selection.
 */
export function RowsGrid({ rows, total, outlined = null, label }: RowsGridProps) {
  const id = useId()
  const { box, view, onScroll, show } = useGridView()
  const [sort, setSort] = useState<GridSort | null>(null)
  const all = useMemo(() => gridColumns(rows), [rows])
  const order = useMemo(() => sortedOrder(rows, sort), [rows, sort])
  const { first, end } = rowsInSight(view, order.length)
  const hitColumn = outlined === null ? -1 : all.findIndex(({ name }) => name === outlined.column)
  const { shown, onAll } = useFirstOnes(all)
  // The linked cell is rendered, however far to the right.
  const columns = hitColumn < shown.length ? shown : all
  const hitRow = outlined === null || hitColumn < 0 ? -1 : order.indexOf(outlined.row)
  const cellAt = ({ row, column }: GridPosition): Cell => rows.rows[order[row] ?? -1]?.[column] ?? null
  const idOf = ({ row, column }: GridPosition): string => `${id}-${row}-${column}`
  const sortBy = (column: number) => setSort(nextSort(sort, column))
  const { active, setActive, events } = useActiveCell({
    columns,
    rowCount: order.length,
    viewHeight: view.height,
    cellAt,
    onSort: sortBy,
    show,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another cell or other rows scroll, not sorting
  useEffect(() => {
    if (hitRow < 0) return
    setActive({ row: hitRow, column: hitColumn })
    show(hitRow, hitColumn)
  }, [rows, outlined?.row, outlined?.column])

  const isSortedPart = sort !== null && (total === null || total > rows.rows.length)
  return (
    <div className="rows-grid">
      <div className="rows-grid-box scroll" ref={box} onScroll={onScroll}>
        {/* As high as all rows would be; the table lies where the rows in sight belong. */}
        <div style={{ height: headHeight + order.length * rowHeight, paddingTop: first * rowHeight }}>
          <table
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table with keyboard navigation is a grid
            role="grid"
            aria-label={label}
            aria-rowcount={order.length + 1}
            aria-colcount={all.length}
            aria-activedescendant={idOf(active)}
            tabIndex={0}
            style={{
              width: `calc(${columns.reduce((sum, { width }) => sum + width, 0)}ch + ${columns.length * 24}px)`,
            }}
            {...events}
          >
            <colgroup>
              {columns.map(({ width }, position) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, but not an index
                <col key={position} style={{ width: `calc(${width}ch + 24px)` }} />
              ))}
            </colgroup>
            <GridHead
              id={(column) => idOf({ row: -1, column })}
              columns={columns}
              sort={sort}
              active={active.row === -1 ? active.column : null}
              onSort={sortBy}
            />
            <tbody>
              {order.slice(first, end).map((position, index) => (
                <tr key={position} aria-rowindex={first + index + 2} data-row={first + index}>
                  {columns.map((column, at) => (
                    <GridCell
                      // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, but not an index
                      key={at}
                      id={idOf({ row: first + index, column: at })}
                      cell={rows.rows[position]?.[at] ?? null}
                      column={column}
                      position={at}
                      isActive={active.row === first + index && active.column === at}
                      isOutlined={hitRow === first + index && hitColumn === at}
                    />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <WholeCell cell={active.row < 0 ? null : cellAt(active)} width={columns[active.column]?.width ?? 0} />
      <p className="rows-grid-foot caption num">
        {rowsLabel(rows.rows.length, total)}
        {isSortedPart && ', sorted among these'}
        {columns.length < all.length && `; first ${columns.length} of ${countLabel(all.length, 'column')}`}
      </p>
      <ShowAll onAll={columns.length < all.length ? onAll : null} label={countLabel(all.length, 'column')} />
    </div>
  )
}

const longest = 4000

/** The content of the selected cell if its column is too narrow. */
function WholeCell({ cell, width }: { readonly cell: Cell; readonly width: number }) {
  const text = cell === null ? '' : visibleText(cellText(cell))
  if (text.length <= width) return null
  const rest = text.length - longest
  return (
    <p className="rows-grid-whole scroll">
      <bdi>{text.slice(0, longest)}</bdi>
      {rest > 0 && <span className="muted"> and {formatCount(rest)} more characters</span>}
    </p>
  )
}
