import { beforeAll, describe, expect, it } from 'vitest'
import type { QueryEngine } from '../domain/query-engine.ts'
import { smallGroupsLabel } from '../domain/small-groups.ts'
import { type NodeDuckDb, openNodeDuckDb } from '../engine/node-duckdb.fixture.ts'
import { groupSizes, withRowsOfGroup } from './group-sizes.ts'
import { judgeQuery } from './judge-step.ts'

describe('groups that are too small for a summary, on the real DuckDB', () => {
  let engine: Pick<QueryEngine, 'plan' | 'read'>
  beforeAll(async () => {
    const duck: NodeDuckDb = await openNodeDuckDb('tables_of_this_test')
    // North 9 rows, South 4, East 2, West 1.
    duck.rows(`CREATE TABLE sales AS SELECT unnest(['North', 'South', 'East', 'West']) AS region,
      unnest([9, 4, 2, 1]) AS n`)
    duck.rows('CREATE OR REPLACE TABLE sales AS SELECT region, range AS amount FROM sales, range(9) WHERE range < n')
    engine = {
      plan: async (sql) => String(duck.rows(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`)[0]?.at(-1)),
      // `groupSizes` reads only the rows of the result.
      read: async (sql) => ({ rows: duck.rows(sql) }) as Awaited<ReturnType<QueryEngine['read']>>,
    }
  })

  const judge = (code: string) =>
    judgeQuery(engine, {
      code,
      written: [code],
      rows: { columns: [], rows: [] },
      names: [],
      fromCells: false,
      hidden: [],
      tables: [],
      signal: new AbortController().signal,
      isSummaryStep: () => false,
      stepSize: () => 0,
    })

  it.each([
    'SELECT region, avg(amount) FROM sales GROUP BY region',
    'SELECT region, avg(amount) AS a FROM sales GROUP BY 1 ORDER BY a DESC LIMIT 2;',
    'WITH s AS (SELECT * FROM sales) SELECT region, sum(amount) FROM s GROUP BY ALL -- the end',
  ])('counts the groups that are too small, and the smallest: %s', async (code) => {
    const { isShown, smallGroups } = await judge(code)
    expect(isShown).toBe(false)
    expect(smallGroups === undefined ? '' : smallGroupsLabel(smallGroups)).toBe(
      'The groups are too small for a summary: 3 groups have fewer than 5 rows; the smallest has 1.',
    )
  })

  it('reports how few rows a single value covers', async () => {
    const { smallGroups } = await judge(`SELECT avg(amount) FROM sales WHERE region = 'East'`)
    expect(smallGroups === undefined ? '' : smallGroupsLabel(smallGroups)).toBe(
      'This result covers only 2 rows. A summary needs at least 5.',
    )
  })

  it('reports no small groups for single rows', async () => {
    expect(await judge('SELECT * FROM sales')).not.toHaveProperty('smallGroups')
    expect(await judge('SELECT DISTINCT amount, region FROM sales')).not.toHaveProperty('smallGroups')
  })

  it('returns the number of groups and rows if the group sizes cannot be counted', async () => {
    const sql = 'SELECT region, sum(amount) FROM sales GROUP BY 1 UNION ALL SELECT region, 1 FROM sales GROUP BY 1'
    expect(withRowsOfGroup(sql)).toBeNull()
    const options = { author: 'model' as const, timeoutMs: 60_000 }
    const sizes = await groupSizes(engine, sql, options)
    expect(smallGroupsLabel({ groups: 8, rows: 16, ...sizes })).toBe(
      'The groups are too small for a summary: 8 groups with 16 rows in total.',
    )
  })
})
