import { expect, it } from 'vitest'
import type { Cell } from '../domain/cells.ts'
import { describeTables } from './describe-tables.ts'

/** A database that returns the same for every table, and records the queries. */
function playedEngine(facts: readonly Cell[]) {
  const asked: string[] = []
  const read = async (sql: string) => {
    asked.push(sql)
    return { columns: [], rows: [facts], rowCount: 1, elapsedMs: 0, ipc: null }
  }
  return { read, asked }
}

const disclosed = async (rowCount: number, facts: readonly Cell[]) => {
  const engine = playedEngine(facts)
  const columns = [{ name: 'n', type: 'BIGINT' }]
  const [table] = await describeTables(engine, [{ name: 't', rowCount, columns, neverSent: [] }], { level: 1 })
  return { sql: engine.asked[0], summary: table?.columns[0]?.summary }
}

it('counts different values, and marks estimates of a long table', async () => {
  const short = await disclosed(200_000, [200_000n, 12n, 1, 12, 3, 6, 9])
  expect(short.sql).toContain('count(DISTINCT "n")')
  expect(short.summary).toEqual({ nullShare: 0, distinct: 12, min: 1, max: 12, quartiles: [3, 6, 9] })
  const long = await disclosed(200_001, [200_001n, 13n, 1, 12, 3, 6, 9])
  expect(long.sql).toContain('approx_count_distinct("n")')
  expect(long.summary).toMatchObject({ distinct: 13, isDistinctApproximate: true })
})

it('never reports more different values than values', async () => {
  expect((await disclosed(300_000, [239n, 240n, 1, 12, 3, 6, 9])).summary).toMatchObject({ distinct: 239 })
})

it('sends no range and quartiles of a table with fewer than five rows, because they are its cells', async () => {
  const few = await disclosed(4, [4n, 4n, null, null, null, null, null])
  expect(few.sql).not.toMatch(/min\(|max\(|quantile/)
  expect(few.summary).toEqual({ nullShare: 0, distinct: 4 })
  expect((await disclosed(5, [5n, 5n, 1, 9, 2, 5, 8])).sql).toContain('min("n")')
})
