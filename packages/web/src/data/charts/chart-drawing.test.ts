import { describe, expect, it } from 'vitest'
import type { Cell } from '../domain/cells.ts'
import { chartDrawing } from './chart-drawing.ts'
import { choiceOf, rowsOf, weekly } from './chart-rows.fixture.ts'
import { drawnFacts } from './drawn-facts.ts'
import { chartSummary, chartTitle } from './spec/chart-summary.ts'

const sales = (...rows: readonly (readonly Cell[])[]) => rowsOf({ city: 'VARCHAR', amount: 'DOUBLE' }, ...rows)
const bars = choiceOf({ x: 'city', y: ['amount'] })

describe('chartDrawing', () => {
  it('draws the rows unchanged, and returns the same numbers as a table', () => {
    const drawing = chartDrawing(choiceOf({ type: 'line', x: 'week', y: ['late_share'], series: 'region' }), weekly)
    expect(drawing.kind).toBe('marks')
    expect(drawing.marks).toHaveLength(16)
    expect(drawing.series).toEqual(['North', 'West', 'South', 'East'])
    expect(drawing.table.columns.map(({ name }) => name)).toEqual(['week', 'region', 'late_share'])
    expect(drawing.table.rows).toEqual(weekly.rows)
    expect(drawnFacts(drawing)).toEqual(['From step 1', '16 of 16 rows drawn', 'Axis starts at 0'])
  })

  it('sums, counts and averages by group, with exact integers of any size', () => {
    const rows = sales(['a', 1n], ['b', 5], ['a', 2], ['b', null])
    const values = (aggregate: 'sum' | 'mean' | 'count' | 'min' | 'max') =>
      chartDrawing({ ...bars, aggregate }, rows).table.rows
    expect(values('sum')).toEqual([
      ['a', 3],
      ['b', 5],
    ])
    expect(values('mean')).toEqual([
      ['a', 1.5],
      ['b', 5],
    ])
    expect(values('count')).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    expect(values('min')).toEqual([
      ['a', 1],
      ['b', 5],
    ])
    expect(values('max')).toEqual([
      ['a', 2],
      ['b', 5],
    ])
  })

  it('sorts by size or by name, and numbers in names by value', () => {
    const rows = sales(['n10', 1], ['n9', 3], ['n1', 2])
    const names = (order: 'none' | 'x' | 'y-down' | 'y-up') => chartDrawing({ ...bars, order }, rows).names
    expect(names('none')).toEqual(['n10', 'n9', 'n1'])
    expect(names('x')).toEqual(['n1', 'n9', 'n10'])
    expect(names('y-down')).toEqual(['n9', 'n1', 'n10'])
    expect(names('y-up')).toEqual(['n10', 'n1', 'n9'])
  })

  it('draws several numeric columns as series, and counts each row once', () => {
    const rows = rowsOf({ city: 'VARCHAR', july: 'DOUBLE', sept: 'DOUBLE' }, ['a', 1, 2], ['b', 3, 4])
    const drawing = chartDrawing(choiceOf({ x: 'city', y: ['july', 'sept'] }), rows)
    expect(drawing.series).toEqual(['july', 'sept'])
    expect(drawing.rows.drawnRows).toBe(2)
    expect(drawing.table.rows).toEqual([
      ['a', 'july', 1],
      ['a', 'sept', 2],
      ['b', 'july', 3],
      ['b', 'sept', 4],
    ])
  })

  it('counts the loaded rows, and says when the step has more', () => {
    const drawing = chartDrawing({ ...bars, aggregate: 'sum' }, sales(['a', 1], ['a', 2], ['b', 2]), 2_418_306)
    expect(drawnFacts(drawing).slice(1, 3)).toEqual(['3 of 2,418,306 rows drawn', 'Uses only the first 3 rows'])
  })
})

describe('values that are left out', () => {
  const many = sales(...Array.from({ length: 40 }, (_, at) => [`c${at}`, 100 - at]))

  it('adds up the remaining values for sums, and omits them otherwise', () => {
    const sum = chartDrawing({ ...bars, aggregate: 'sum', limit: 3 }, many)
    expect(sum.marks.map(({ name, y }) => [name, y]).slice(0, 2)).toEqual([
      ['c0', 100],
      ['c1', 99],
    ])
    expect(sum.marks.at(-1)).toMatchObject({ name: '38 others', y: 38 * 98 - (37 * 38) / 2, rows: 38 })
    expect(sum.notes).toEqual(['38 of 40 added up as others'])
    expect(sum.rows.drawnRows).toBe(40)
    const mean = chartDrawing({ ...bars, aggregate: 'mean', limit: 3 }, many)
    expect(mean.names).toEqual(['c0', 'c1', 'c2'])
    expect(mean.notes).toEqual(['3 of 40 drawn, 37 left out'])
    expect(mean.rows.drawnRows).toBe(3)
  })

  it('draws at most thirty names or five slices by default, and never more than eight slices', () => {
    expect(chartDrawing(bars, many).names).toHaveLength(30)
    const steep = sales(...Array.from({ length: 40 }, (_, at) => [`c${at}`, 1000 / 2 ** at]))
    expect(chartDrawing({ ...bars, type: 'pie' }, steep).names).toHaveLength(5)
    expect(chartDrawing({ ...bars, type: 'pie', limit: 20 }, many).names).toHaveLength(8)
  })

  it('never makes "others" the largest slice of a pie: adds slices, or draws bars and says so', () => {
    const pie = { ...bars, type: 'pie' as const }
    const flat = sales(...Array.from({ length: 10 }, (_, at) => [`c${at}`, at === 0 ? 40 : 10]))
    expect(chartDrawing(pie, flat)).toMatchObject({ choice: { type: 'pie' }, notes: ['3 of 10 added up as others'] })
    expect(chartDrawing(pie, flat).names).toHaveLength(8)
    const drawing = chartDrawing(pie, many)
    expect(drawing.choice.type).toBe('bar')
    expect(drawing.names.slice(0, 2)).toEqual(['c0', 'c1'])
    expect(drawnFacts(drawing)).toContain('Bars instead of a pie: “others” would be the largest slice')
    expect(chartDrawing({ ...pie, limit: 3 }, many).names).toEqual(['c0', 'c1', '38 others'])
  })

  it('has no "others" for periods of time: draws up to eight in order, and bars for more', () => {
    const months = (count: number) =>
      rowsOf(
        { month: 'VARCHAR', n: 'BIGINT' },
        ...Array.from({ length: count }, (_, at): Cell[] => [`2026-${String(count - at).padStart(2, '0')}`, 5 + at]),
      )
    const pie = choiceOf({ type: 'pie', x: 'month', y: ['n'] })
    const eight = chartDrawing(pie, months(8))
    expect(eight.choice.type).toBe('pie')
    expect([eight.names.length, eight.names[0], eight.names.at(-1)]).toEqual([8, 'Jan 2026', 'Aug 2026'])
    expect(eight.notes).toEqual([])
    const twelve = chartDrawing(pie, months(12))
    expect(twelve.choice.type).toBe('bar')
    expect([twelve.names.length, twelve.names[0]]).toEqual([12, 'Jan 2026'])
    expect(drawnFacts(twelve)).toContain('Bars instead of a pie: 12 periods are too many slices to distinguish')
  })

  it('keeps a value named like the others apart from the others', () => {
    const rows = sales(['2 others', 9], ['b', 3], ['c', 2], ['d', 1])
    const drawing = chartDrawing({ ...bars, aggregate: 'sum', limit: 3 }, rows)
    expect(drawing.marks.map(({ name, y }) => [name, y])).toEqual([
      ['2 others', 9],
      ['b', 3],
      ['2 others…', 3],
    ])
  })

  it('samples five thousand points evenly', () => {
    const rows = rowsOf({ a: 'DOUBLE', b: 'DOUBLE' }, ...Array.from({ length: 10_000 }, (_, at) => [at, at]))
    const drawing = chartDrawing(choiceOf({ type: 'scatter', x: 'a', y: ['b'] }), rows)
    expect(drawing.marks).toHaveLength(5000)
    expect(drawing.marks.at(-1)?.y).toBe(9998)
    expect(drawnFacts(drawing)).toContain('5,000 of 10,000 rows drawn')
  })

  it('counts rows without a value, keeps empty names, and keeps names apart that look the same', () => {
    const drawing = chartDrawing(bars, sales(['a', 1], ['b', null], [null, 2], ['(empty)', 4], ['a ', 5]))
    expect(drawing.marks.map(({ name, y }) => [name, y])).toEqual([
      ['a', 1],
      ['(empty)', 2],
      ['(empty) (2)', 4],
      ['a (2)', 5],
    ])
    expect(drawnFacts(drawing)).toContain('1 row without a value left out')
  })

  it('says where the axis starts', () => {
    const line = choiceOf({ type: 'line', x: 'city', y: ['amount'] })
    const axis = (choice: typeof line, ...values: readonly number[]) =>
      drawnFacts(chartDrawing(choice, sales(...values.map((value, at) => [`c${at}`, value]))))[2]
    expect(axis(line, 96, 99)).toBe('Axis starts at 96')
    expect(axis(bars, 96, 99)).toBe('Axis starts at 0')
    expect(axis(bars, -3, 9)).toBe('Axis runs from -4 to 10')
  })
})

describe('without anything to draw', () => {
  it('shows the rows and names the missing column', () => {
    const drawing = chartDrawing(choiceOf({ sourceStep: 4, x: 'carier', y: ['amount'] }), sales(['a', 1], ['b', 2]))
    expect(drawing).toMatchObject({ kind: 'table', problem: expect.stringContaining('Step 4 has no column “carier”') })
    expect(drawing.table.rows).toHaveLength(2)
  })

  it('explains text columns, nulls only, and negative slices', () => {
    const problem = (choice: Parameters<typeof chartDrawing>[0], ...rows: readonly (readonly Cell[])[]) =>
      chartDrawing(choice, sales(...rows)).problem
    expect(problem(choiceOf({ x: 'amount', y: ['city'] }), ['a', 1], ['b', 1])).toContain('“city” has no numbers')
    expect(problem(bars, ['a', null], ['b', null])).toBe('All values of “amount” are empty: nothing to draw.')
    expect(problem({ ...bars, type: 'pie' }, ['a', -1], ['b', 2])).toContain('negative')
    expect(problem({ ...bars, type: 'scatter' }, ['a', 1], ['b', 2])).toContain('needs numbers or dates')
  })

  it('shows a single value as a figure, and no rows as an empty table', () => {
    const one = rowsOf({ total: 'HUGEINT' }, [9_007_199_254_740_993n])
    expect(chartDrawing(choiceOf({ type: 'table' }), one)).toMatchObject({ kind: 'figure', yTitle: 'total' })
    expect(chartDrawing(choiceOf({ y: ['total'] }), one).kind).toBe('figure')
    expect(chartDrawing(bars, sales()).kind).toBe('table')
  })
})

describe('bins', () => {
  const bins = (...edges: readonly number[]) =>
    rowsOf({ 'Umsatz_€ from': 'DOUBLE', rows: 'BIGINT' }, ...edges.map((edge): Cell[] => [edge, 3]))
  const choice = choiceOf({ x: 'Umsatz_€ from', y: ['rows'] })
  const names = (...edges: readonly number[]) => chartDrawing(choice, bins(...edges)).names

  it('are labelled with enough digits to distinguish their edges, and are exact in the table', () => {
    expect(names(212.6933, 425.3866, 638.0799, 1276.1598)).toEqual(['213', '425', '638', '1,276'])
    expect(names(0.0833, 0.1667, 0.25, 0.3333, 0.5)).toEqual(['0.083', '0.167', '0.25', '0.333', '0.5'])
    expect(names(0, 1e-150, 0.001, 0.002)).toEqual(['0', '0 (2)', '0.001', '0.002'])
    expect(chartDrawing(choice, bins(212.6933, 425.3866, 638.0799, 850.7732)).table.rows[0]).toEqual([212.6933, 3])
  })

  it('do not include prices, years or unevenly spaced numbers', () => {
    expect(names(9.99, 19.99, 29.99, 39.99)).toEqual(['9.99', '19.99', '29.99', '39.99'])
    expect(names(2021, 2022, 2023, 2024)).toEqual(['2021', '2022', '2023', '2024'])
    const many = Array.from({ length: 61 }, (_, at) => at / 1000)
    expect(names(...many)[1]).toBe('0.001')
    expect(names(...many.map((edge) => edge + 212.69331))[0]).toBe('212.69331')
    expect(names(1.2345, 2.5182, 3.3415, 9.0001)).toEqual(['1.2345', '2.5182', '3.3415', '9.0001'])
  })

  it('are titled after the counted values', () => {
    const title = (chosen: typeof choice, rows = bins(1, 2, 3, 4)) => chartTitle(chosen, chartDrawing(chosen, rows))
    expect(title(choice)).toBe('Rows by Umsatz_€')
    const since = rowsOf({ valid_from: 'DATE', n: 'BIGINT' }, ['2026-01-01', 1], ['2026-01-02', 2])
    expect(title(choiceOf({ x: 'valid_from', y: ['n'] }), since)).toBe('n by valid_from')
    expect(title(choiceOf({ x: 'valid_from', y: ['n'], aggregate: 'sum' }), since)).toBe('Sum of n by valid_from')
  })
})

it('describes the drawing in text', () => {
  const choice = choiceOf({ type: 'line', x: 'week', y: ['late_share'], series: 'region' })
  const drawing = chartDrawing(choice, weekly)
  const title = chartTitle(choice, drawing)
  expect(title).toBe('late_share by week and region')
  expect(chartSummary(title, drawing)).toContain('North goes from 5 (2026-07-06) to 17 (2026-09-28).')
})
