import { describe, expect, it } from 'vitest'
import { readPlan } from './measured-plan.ts'
import { testSummary } from './summary-test.ts'

interface Given {
  readonly type: string
  readonly rows?: number
  readonly scanned?: number
  readonly info?: object
  readonly below?: readonly Given[]
}

/** In the format of DuckDB 1.4.3; e2e/data/privacy.test.ts runs the same queries on DuckDB. */
const asJson = ({ type, rows = 0, scanned = 0, info = {}, below = [] }: Given): object => ({
  operator_type: type,
  operator_name: type,
  operator_cardinality: rows,
  operator_rows_scanned: scanned,
  extra_info: info,
  children: below.map(asJson),
})

const judge = (given: Given, safe: readonly string[] = [], names: readonly string[] = []) => {
  const plan = readPlan(
    JSON.stringify({ extra_info: {}, children: [asJson({ type: 'EXPLAIN_ANALYZE', below: [given] })] }),
  )
  if (plan === null) throw new Error('no plan')
  return testSummary(plan, {
    isSummaryStep: (table) => safe.includes(table),
    stepSize: () => 1000,
    isText: (_, column) => column === 'name',
    isGiven: (name) => names.includes(name),
  })
}
const scan = (rows: number, scanned = rows, Table = 't'): Given => ({
  type: 'TABLE_SCAN',
  rows,
  scanned,
  info: { Table, Projections: ['id', 'name'] },
})
const only = (Projections: string | string[], { info, ...given }: Given): Given => ({
  ...given,
  info: { ...info, Projections },
})
const deliveries = only(['depot', 'person', 'name'], scan(1000))
const equal = (Conditions: string, ...below: Given[]): Given => ({
  type: 'HASH_JOIN',
  rows: 1000,
  info: { 'Join Type': 'INNER', Conditions },
  below,
})
const groupBy = (rows: number, Aggregates: string | string[], below: Given): Given => ({
  type: 'HASH_GROUP_BY',
  rows,
  info: { Groups: '#0', Aggregates },
  below: [below],
})
const total = (Aggregates: string | string[], below: Given): Given => ({
  type: 'UNGROUPED_AGGREGATE',
  rows: 1,
  info: { Aggregates },
  below: [below],
})
const over = (type: string, rows: number, ...below: Given[]): Given => ({ type, rows, below })

describe('the reason why a grouping is not a summary', () => {
  it('distinguishes groups that are too small from single rows', () => {
    expect(judge(groupBy(300, 'count_star()', scan(1000))).smallGroups).toEqual({ groups: 300, rows: 1000 })
    expect(judge(total(['avg(#1)'], scan(3))).smallGroups).toEqual({ groups: 1, rows: 3 })
    expect(judge(scan(1000)).smallGroups).toBeNull()
    expect(judge(groupBy(300, 'first(#1)', scan(1000))).smallGroups).toBeNull()
    expect(judge(groupBy(10, 'count_star()', scan(1000))).smallGroups).toBeNull()
  })

  it('does not call a list of different values a grouping', () => {
    expect(judge(groupBy(300, [], scan(1000))).smallGroups).toBeNull()
  })
})

describe('isSummary', () => {
  it.each<[string, Given]>([
    ['groups', groupBy(10, 'count_star()', scan(1000))],
    ['groups of a join', groupBy(10, ['sum(#1)'], over('HASH_JOIN', 1000, scan(1000), scan(50, 50, 'depots')))],
    [
      'groups by what a small table shares with a large one',
      groupBy(10, ['sum(#1)'], equal('depot = id', deliveries, only('id', scan(12, 12, 'depots')))),
    ],
    [
      'groups joined with rows that are not read',
      groupBy(10, [], equal('a = b', scan(1000), only('', scan(3, 3, 'u')))),
    ],
    ['one group of everything', total(['avg(#0)', '"mode"(#1)'], scan(1000))],
    ['one group of a whole small table', total('sum(#0)', scan(5))],
    ['one group of a few groups', total('max(#0)', groupBy(3, 'count_star()', scan(1000)))],
    ['a count of very few', total('count_star()', scan(1, 1000))],
    ['one group of nothing', total('sum(#0)', scan(0, 1000))],
    ['the first of groups that were all read', over('TOP_N', 5, groupBy(100, 'sum(#1)', scan(1000)))],
    ['a limit that cuts nothing', over('STREAMING_LIMIT', 4, groupBy(4, 'sum(#1)', scan(1000)))],
    ['an average over fine groups', total('avg(#0)', groupBy(1000, 'count_star()', scan(1000)))],
    [
      'a share',
      over(
        'CROSS_PRODUCT',
        1,
        total('count_star()', scan(50, 1000)),
        total(['"first"(#0)'], total('count_star()', scan(1000))),
      ),
    ],
    [
      'a few of the groups of groups',
      over('STREAMING_LIMIT', 2, groupBy(4, 'sum(#1)', groupBy(9, 'sum(#1)', scan(1000)))),
    ],
    ['groups of filtered rows', groupBy(3, 'sum(#1)', equal('depot = id', deliveries, scan(20, 40, 'staff')))],
    ['a window over groups', over('WINDOW', 10, groupBy(10, 'sum(#1)', scan(1000)))],
    ['numbers without a table', over('TABLE_SCAN', 5)],
  ])('accepts %s', (name, plan) => {
    const given = name === 'numbers without a table' ? { ...plan, type: 'DUMMY_SCAN' } : plan
    expect(judge(given).isSummary).toBe(true)
  })

  it.each<[string, Given]>([
    ['rows', over('PROJECTION', 12, scan(12, 1000))],
    ['one row', over('STREAMING_LIMIT', 1, scan(2048, 1000))],
    ['the first rows', over('TOP_N', 3, scan(1000))],
    ['a count beside each row', over('WINDOW', 1000, scan(1000))],
    ['groups of a unique column', groupBy(1000, 'count_star()', scan(1000))],
    ['the first groups of a unique column', over('TOP_N', 1, groupBy(1000, 'count_star()', scan(1000)))],
    [
      'groups that a limit did not read to the end',
      over('STREAMING_LIMIT', 5, groupBy(100, 'count_star()', scan(100_000))),
    ],
    ['the one row of a filter', total('max(#0)', scan(1, 1000))],
    ['the group of the one row of a filter', groupBy(1, 'count_star()', scan(1, 1000))],
    [
      'the few filtered rows of a small table, joined with many of a large one',
      groupBy(3, 'count_star()', over('CROSS_PRODUCT', 3000, scan(1000), scan(3, 40, 'staff'))),
    ],
    [
      'the one row of a filter above the scan, joined with many of a large one',
      total('max(#0)', over('CROSS_PRODUCT', 1000, scan(1000), over('FILTER', 1, scan(40, 40, 'staff')))),
    ],
    [
      'the one row of a table that is also read whole',
      groupBy(1, 'count_star()', over('CROSS_PRODUCT', 40, scan(40, 40, 'staff'), scan(1, 40, 'staff'))),
    ],
    [
      'the one row of a filter, ten times',
      total('max(#0)', over('CROSS_PRODUCT', 10, scan(1, 40), { type: 'DUMMY_SCAN' })),
    ],
    [
      'one group of rows from an unknown table',
      total('max(#0)', over('CROSS_PRODUCT', 9000, scan(1000), over('TABLE_SCAN', 9))),
    ],
    ['one group of a table with four rows', total('sum(#0)', scan(4))],
    ['the one row of a table, ten times', total('max(#0)', over('CROSS_PRODUCT', 10, scan(1), { type: 'DUMMY_SCAN' }))],
    ['a list', total('list(#0)', scan(1000))],
    ['an aggregate whose name cannot be parsed', total('"my agg"(#0)', scan(1000))],
    ['a long text', groupBy(10, 'string_agg(#1)', scan(1000))],
    ['any value', groupBy(10, ['any_value(#1)', 'count_star()'], scan(1000))],
    ['the row of the largest', groupBy(10, 'arg_max(#1, #2)', scan(1000))],
    [
      'the row that DuckDB picks for a scalar',
      total(['"first"(#0)', 'count_star()'], over('STREAMING_LIMIT', 1, scan(2048, 1000))),
    ],
    ['a summary joined with rows', over('UNION', 0, groupBy(10, 'count_star()', scan(1000)), scan(3, 1000))],
    ['a row found by a summary', over('HASH_JOIN', 1, scan(1, 1000), total('max(#0)', scan(1000)))],
    ['unnested quantiles', over('UNNEST', 500, total('quantile_disc(#0)', scan(1000)))],
    [
      'rows multiplied by a cross join',
      groupBy(1000, 'count_star()', over('CROSS_PRODUCT', 10_000, scan(1000), { type: 'TABLE_SCAN', rows: 10 })),
    ],
    [
      'each row of a small table, joined with many of a large one',
      groupBy(100, 'count_star()', over('CROSS_PRODUCT', 100_000, scan(1000), scan(100, 100, 'people'))),
    ],
    [
      'each value of a column of a small table',
      groupBy(100, 'count_star()', over('CROSS_PRODUCT', 100_000, scan(1000), only('pay', scan(100, 100, 'people')))),
    ],
    [
      'each value of a column of a small table, joined on a constant',
      groupBy(100, 'count_star()', equal('(a * 0) = (pay * 0)', scan(1000), only('pay', scan(100, 100, 'people')))),
    ],
    [
      'numbers of each row of a small table',
      groupBy(100, 'sum(#1)', equal('person = id', deliveries, only(['id', 'pay'], scan(100, 100, 'people')))),
    ],
    [
      'two columns of each row of a small table',
      groupBy(100, 'sum(#1)', equal('person = id', deliveries, only(['id', 'name', 'pay'], scan(100, 100, 'people')))),
    ],
    [
      'a column of a small table on which only the larger one is joined',
      groupBy(100, 'sum(#1)', equal('depot = id', deliveries, only(['pay', 'name'], scan(100, 100, 'people')))),
    ],
    ['an unknown source', over('TABLE_SCAN', 5)],
  ])('rejects %s', (_name, plan) => {
    expect(judge(plan).isSummary).toBe(false)
  })

  it('accepts the names of a small table if they turn out to belong to several rows each', () => {
    const depots = only(['id', 'name'], scan(9, 9, 'depots'))
    const named = judge(groupBy(4, 'sum(#1)', equal('depot = id', deliveries, depots)))
    expect(named).toMatchObject({ isSummary: true, lookups: new Set(['depots']) })
    const fine = judge(groupBy(400, 'sum(#1)', equal('depot = id', deliveries, depots)))
    expect(fine.isSummary).toBe(false)
    // Large enough on its own: its texts need no second check.
    const customers = only(['id', 'name'], scan(100, 100, 'customers'))
    const grouped = judge(groupBy(4, 'sum(#1)', equal('depot = id', deliveries, customers)))
    expect(grouped).toMatchObject({ isSummary: true, lookups: new Set() })
  })

  it('treats a column as shared only if the join uses that column', () => {
    const staff = only('pay', scan(40, 40, 'staff'))
    const depots = only('id', scan(400, 400, 'depots'))
    const groups = (below: Given) => groupBy(40, 'count_star()', { ...below, rows: 96_000 })
    const shared = groups(equal('depot = pay', deliveries, staff))
    expect(judge(shared).isSummary).toBe(true)
    expect(judge(shared, [], ['pay']).isSummary).toBe(false)
    expect(judge(shared, [], ['depot']).isSummary).toBe(false)
    // Computed from columns, or a column of a step: both can enumerate all numbers.
    expect(judge(groups(equal('(depot + 1) = pay', deliveries, staff))).isSummary).toBe(false)
    const step = only('k', scan(1000, 1000, 'step_1'))
    expect(judge(groups(equal('k = pay', step, staff))).isSummary).toBe(false)
    // Another column has the name further down.
    const both = over('CROSS_PRODUCT', 96_000, only(['depot', 'pay'], scan(1000)), staff)
    expect(judge(groups(equal('pay = id', both, depots))).isSummary).toBe(false)
    const named = { ...over('PROJECTION', 96_000, staff), info: { Projections: ['x', 'pay'] } }
    expect(judge(groups(equal('depot = pay', deliveries, named))).isSummary).toBe(false)
    const moved = { ...over('PROJECTION', 96_000, staff), info: { Projections: '#0' } }
    expect(judge(groups(equal('depot = pay', deliveries, moved))).isSummary).toBe(true)
    expect(judge(groups(equal('depot = pay', deliveries, over('WINDOW', 40, staff)))).isSummary).toBe(false)
  })

  it('follows common table expressions to their readers', () => {
    const cte = (held: Given): Given => ({
      type: 'CTE',
      info: { 'Table Index': '0' },
      below: [held, { type: 'CTE_SCAN', rows: 10, info: { 'CTE Index': '0' } }],
    })
    expect(judge(cte(groupBy(10, 'count_star()', scan(1000)))).isSummary).toBe(true)
    expect(judge(cte(scan(1000))).isSummary).toBe(false)
    expect(judge(groupBy(10, 'count_star()', { ...cte(scan(1000)), rows: 1000 })).isSummary).toBe(false)
  })

  it('uses the earlier verdict for rows of a step', () => {
    const rows = over('PROJECTION', 8, scan(8, 8, 'step_2'))
    expect(judge(rows, ['step_2']).isSummary).toBe(true)
    expect(judge(rows).isSummary).toBe(false)
    const one = total('max(#0)', scan(1, 1, 'step_2'))
    expect(judge(one, ['step_2']).isSummary).toBe(true)
    expect(judge(one).isSummary).toBe(false)
    const blownUp = groupBy(1000, 'count_star()', scan(5000, 5000, 'step_2'))
    expect(judge(blownUp).isSummary).toBe(false)
  })

  it('returns what was read and whether text can come from a single row', () => {
    const joined = over('HASH_JOIN', 1000, scan(400, 1000), scan(12, 12, 'kept.main.depots'))
    const found = judge(groupBy(10, 'sum(#1)', joined))
    expect([...found.sources]).toEqual([
      ['t', 1000],
      ['depots', 12],
    ])
    expect(found.picksValues).toBe(false)
    expect(judge(groupBy(10, 'min(#1)', joined)).picksValues).toBe(true)
  })

  it('returns null without a valid plan', () => {
    expect(readPlan('┌───────┐')).toBeNull()
    expect(readPlan('[]')).toBeNull()
    expect(readPlan('{"children":[]}')).toBeNull()
  })
})
