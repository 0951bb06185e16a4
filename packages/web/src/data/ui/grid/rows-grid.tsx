import './rows-grid.css'
import { ellipsize, formatCount, visibleText } from '@quarterdeck/protocol'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useEffect, useId, useMemo, useState } from 'react'
import { type Cell, type Column, type ColumnKind, cellText, kindOf, type Rows } from '../../domain/cells.ts'
import { countLabel } from '../../domain/count-label.ts'
import { KindIcon } from '../controls/kind-icon.tsx'
import { ShowAll, useFirstOnes } from '../controls/show-all.tsx'
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

interface GridHeadProps {
  readonly id: (column: number) => string
  readonly columns: readonly GridColumn[]
  readonly sort: GridSort | null
  /** The column whose header is selected, if any. */
  readonly active: number | null
  readonly onSort: (column: number) => void
}

function GridHead({ id, columns, sort, active, onSort }: GridHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ name, type, kind }, index) => {
          const order = sort?.column === index ? sort.direction : 'none'
          return (
            <th
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, but not an index
              key={index}
              id={id(index)}
              scope="col"
              aria-sort={order}
              aria-colindex={index + 1}
              className={[kind === 'number' ? 'r' : '', active === index ? 'active' : ''].join(' ').trim()}
            >
              <button
                type="button"
                tabIndex={-1}
                title={`${visibleText(name)}, ${type.toLowerCase()}`}
                onClick={() => onSort(index)}
              >
                <KindIcon kind={kind} />
                <bdi className="ellipsis">{visibleText(name)}</bdi>
                {order === 'ascending' && <ArrowUp className="icon s" aria-hidden="true" />}
                {order === 'descending' && <ArrowDown className="icon s" aria-hidden="true" />}
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

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

function GridCell({ id, cell, column, position, isActive, isOutlined }: GridCellProps) {
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

interface GridColumn extends Column {
  readonly kind: ColumnKind
  /** In characters. */
  readonly width: number
}

const [narrowest, widest, sampledRows] = [6, 40, 200]

/** Wide enough for the first rows, within limits; the header needs space for two icons. */
function gridColumns({ columns, rows }: Rows): readonly GridColumn[] {
  return columns.map((column, index) => {
    let width = column.name.length + 5
    for (const row of rows.slice(0, sampledRows)) {
      const cell = row[index] ?? null
      if (cell !== null) width = Math.max(width, cellText(cell).length)
    }
    return { ...column, kind: kindOf(column), width: Math.min(widest, Math.max(narrowest, width)) }
  })
}
