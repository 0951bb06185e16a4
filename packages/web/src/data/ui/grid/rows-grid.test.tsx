import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Cell, Rows } from '../../domain/cells.ts'
import { RowsGrid } from './rows-grid.tsx'
import { rowsLabel } from './rows-label.ts'
import { nextSort, sortedOrder } from './sorted-order.ts'
import { movedPosition } from './use-active-cell.ts'
import { rowsInSight, scrollTopFor } from './use-grid-view.ts'

const rowsOf = (type: string, cells: readonly Cell[]): Rows => ({
  columns: [{ name: 'v', type }],
  rows: cells.map((cell) => [cell]),
})

it('sorts numbers by value, including large ones and fractions, with empty cells last in both directions', () => {
  const rows = rowsOf('DOUBLE', [10, null, 9, 9_007_199_254_740_993n, -1.5, Number.NaN])
  const values = (direction: 'ascending' | 'descending') =>
    sortedOrder(rows, { column: 0, direction }).map((index) => rows.rows[index]?.[0])
  expect(values('ascending')).toEqual([-1.5, 9, 10, 9_007_199_254_740_993n, null, Number.NaN])
  expect(values('descending')).toEqual([9_007_199_254_740_993n, 10, 9, -1.5, null, Number.NaN])
})

it('keeps the original order of equal cells, and restores it on the third press', () => {
  const rows = rowsOf('VARCHAR', ['b', 'a', 'b', 'a'])
  expect(sortedOrder(rows, { column: 0, direction: 'ascending' })).toEqual([1, 3, 0, 2])
  expect(sortedOrder(rows, { column: 0, direction: 'descending' })).toEqual([0, 2, 1, 3])
  expect(sortedOrder(rows, nextSort({ column: 0, direction: 'descending' }, 0))).toEqual([0, 1, 2, 3])
})

it('renders only visible rows, regardless of their number', () => {
  expect(rowsInSight({ scrollTop: 180_000, height: 360 }, 10_000)).toEqual({ first: 4992, end: 5018 })
  const rows = rowsOf(
    'BIGINT',
    Array.from({ length: 10_000 }, (_, at) => at),
  )
  const page = renderToStaticMarkup(<RowsGrid rows={rows} total={2_418_306} label="Rows of step 1" />)
  expect(page.match(/<td/g)?.length).toBeLessThan(40)
  expect(page).toContain('aria-rowcount="10001"')
  expect(page).toContain('first 10,000 of 2,418,306 rows')
})

it('renders the first of many columns, and all if the proven cell is further right', () => {
  const names = Array.from({ length: 2000 }, (_, at) => `c${at}`)
  const rows: Rows = { columns: names.map((name) => ({ name, type: 'BIGINT' })), rows: [names.map((_, at) => at)] }
  const page = renderToStaticMarkup(<RowsGrid rows={rows} total={1} label="Rows of step 1" />)
  expect(page.match(/<t[dh]/g)).toHaveLength(1 + 100 + 100) // including the <thead>
  expect(page).toContain('aria-colcount="2000"')
  expect(page).toContain('1 row; first 100 of 2,000 columns')
  expect(page).toContain('Show all 2,000 columns')
  const led = renderToStaticMarkup(
    <RowsGrid rows={rows} total={1} outlined={{ row: 0, column: 'c1999' }} label="Rows of step 1" />,
  )
  expect(led.match(/<td/g)).toHaveLength(2000)
  expect(led).not.toContain('Show all')
})

it('scrolls no further than needed, and never under the header', () => {
  const view = { scrollTop: 360, height: 396 }
  expect(scrollTopFor(12, view)).toBe(360)
  expect(scrollTopFor(5, view)).toBe(180)
  expect(scrollTopFor(20, view)).toBe(396)
})

it('moves with the keys, into the header and never out of the grid', () => {
  const size = { rows: 100, columns: 3, page: 10 }
  const press = ([row, column]: readonly [number, number], key: string, toEdge = false) =>
    movedPosition({ row, column }, size, { key, toEdge })
  expect(press([0, 0], 'ArrowUp')).toEqual({ row: -1, column: 0 })
  expect(press([99, 2], 'ArrowDown')).toEqual({ row: 99, column: 2 })
  expect(press([5, 1], 'End')).toEqual({ row: 5, column: 2 })
  expect(press([5, 1], 'Home', true)).toEqual({ row: 0, column: 0 })
  expect(press([5, 1], 'PageDown')).toEqual({ row: 15, column: 1 })
  expect(press([-1, 1], 'PageUp')).toEqual({ row: 0, column: 1 })
  expect(press([5, 1], 'a')).toBeNull()
})

it('shows cells as text, and hidden characters as their code points', () => {
  const rows: Rows = {
    columns: [{ name: '<b>x</b>', type: 'VARCHAR' }],
    rows: [['<script>alert(1)</script>'], ['abc\u202Edef'], ['two\nlines'], [null]],
  }
  const page = renderToStaticMarkup(<RowsGrid rows={rows} total={4} label="Rows" />)
  expect(page).not.toMatch(/<script|<b>|\u202E/)
  expect(page).toContain('abc\\u202edef')
  expect(page).toContain('two ↵ lines')
  expect(page).toContain('<span class="visually-hidden">empty</span>')
})

it('outlines the proven cell by its original row, even if sorted', () => {
  const rows = rowsOf('DOUBLE', [1, 14.8, 3])
  const page = renderToStaticMarkup(
    <RowsGrid rows={rows} total={3} outlined={{ row: 1, column: 'v' }} label="Rows of step 3" />,
  )
  expect(page.match(/class="r[^"]*hit"[^>]*><bdi>([^<]*)/)?.[1]).toBe('14.8')
  const elsewhere = <RowsGrid rows={rows} total={3} outlined={{ row: 1, column: 'gone' }} label="Rows" />
  expect(renderToStaticMarkup(elsewhere)).not.toContain('hit')
})

it('shows the number of rows, or that they were not counted', () => {
  expect([rowsLabel(1, 1), rowsLabel(52, 52), rowsLabel(0, 0)]).toEqual(['1 row', '52 rows', '0 rows'])
  expect(rowsLabel(10_000, null)).toBe('first 10,000 rows; the total was not counted')
})
