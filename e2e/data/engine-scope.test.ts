// Data that a model must not see, in the database of the page in a real browser: locked columns, tables out of scope.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EnginePage, openEnginePage } from './support/engine-page.ts'
import { curiousReads, nosyProbes, scopeProbes } from './support/sql-probes.ts'

let harness: EnginePage
beforeAll(async () => {
  harness = await openEnginePage()
})
afterAll(() => harness?.close())

const read: EnginePage['read'] = (...query) => harness.read(...query)
const rowsOf: EnginePage['rowsOf'] = (...query) => harness.rowsOf(...query)

describe('columns that are never sent', () => {
  beforeAll(async () => {
    await harness.run(async () => {
      const options = { author: 'model', maxRows: 100, timeoutMs: 60_000 } as const
      const old = await engine.read('SELECT id, email FROM people', options)
      if (old.ipc === null) throw new Error('no bytes')
      await engine.storeStep(1, { ipc: old.ipc })
      await engine.setNeverSent('people', ['email'])
      await engine.storeStep(2, { sql: 'SELECT * FROM people' })
    })
  })
  afterAll(() =>
    harness.run(async () => {
      await engine.setNeverSent('people', [])
      await engine.dropSteps()
    }),
  )

  it.each(curiousReads)('cannot be inferred from %s', async (sql) => {
    const text = JSON.stringify(await read(sql), (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(text).not.toMatch(/@x\.com|email/i)
    expect(text).not.toContain('quarterdeck_kept')
  })

  it('cannot be found by a model that looks for other catalogs', async () => {
    const found: string[] = []
    for (const sql of nosyProbes) {
      const outcome = await read(sql)
      const text = JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      if (!('problem' in outcome) || /@x\.com|email/.test(text.replaceAll(sql, '')))
        found.push(`${sql}: ${text.slice(0, 200)}`)
    }
    expect(found).toEqual([])
  })

  it('are visible to the user', async () => {
    expect(await rowsOf('SELECT email FROM people WHERE id = 1', { author: 'person' })).toEqual([['ann@x.com']])
    expect(await rowsOf('SELECT email FROM step_1 WHERE id = 1', { author: 'person' })).toEqual([['ann@x.com']])
    expect(await harness.run(() => engine.tables())).toMatchObject([
      { name: 'people', rowCount: 3, neverSent: ['email'], columns: [{}, {}, { name: 'email' }, {}] },
      { name: 'orders' },
    ])
  })

  it('are not exposed by a step', async () => {
    const kept = harness.run(() => engine.storeStep(3, { sql: 'FROM quarterdeck_kept.main.people' }))
    await expect(kept).rejects.toThrow('only the tables of this analysis')
  })
})

describe('tables out of scope', () => {
  const hidden = ['orders']
  it.each([
    'FROM orders',
    'FROM "Orders"',
    "FROM 'orders'",
    'FROM memory.main.orders',
    'SELECT * FROM people, orders',
    'SELECT * FROM people p JOIN orders o ON o.person = p.id',
    'SELECT * FROM people JOIN (orders JOIN people q ON true) ON true',
    'SELECT (SELECT count(*) FROM orders)',
    'TABLE orders',
    'DESCRIBE orders',
    'SUMMARIZE orders',
    'PIVOT orders ON person USING sum(amount)',
    'FROM o: orders',
    'WITH a AS (FROM orders) FROM a',
  ])('are not found by %s', async (sql) => {
    expect(await read(sql, { hidden })).toMatchObject({
      problem: 'refused',
      message: expect.stringContaining('not part of this analysis'),
    })
  })

  it('are not found in any spelling, by name or through a query that is stored as a step', async () => {
    await harness.run(async () => {
      const columns = [
        { name: 'who', type: 'VARCHAR' },
        { name: 'lohn', type: 'BIGINT' },
      ]
      const bytes = new TextEncoder().encode('who,lohn\nzebra-4711,98765\n')
      await engine.addCsv({ name: 'payroll', bytes, delimiter: ',', hasHeader: true, columns })
      await engine.storeStep(1, { sql: 'FROM payroll' })
      await engine.storeStep(2, { sql: 'FROM step_1' })
    })
    const hidden = ['Payroll']
    const found: string[] = []
    for (const sql of [...scopeProbes, 'FROM step_1', 'FROM step_2', "FROM 'step_2'"]) {
      const outcome = await read(sql, { hidden })
      const text = JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      const rest = text.replaceAll(JSON.stringify(sql).slice(1, -1), '').replaceAll(/LINE 1:.*/g, '')
      if (!('problem' in outcome) || !['refused', 'sql'].includes(outcome.problem)) found.push(`${sql}: ${text}`)
      else if (/zebra|98765|quarterdeck_|lohn/.test(rest)) found.push(`${sql}: ${text}`)
    }
    expect(found).toEqual([])
    expect(await rowsOf('FROM step_2')).toEqual([['zebra-4711', 98765]])
    expect(await rowsOf('FROM step_2', { author: 'person' })).toEqual([['zebra-4711', 98765]])
    expect(await rowsOf('SELECT count(*) FROM main.people', { hidden })).toEqual([[3]])
    // Even if a table with that name is added after the scope is known.
    await harness.run(async () => {
      await engine.dropSteps()
      await engine.rename('payroll', 'wages')
      await engine.rename('wages', 'payroll')
    })
    expect(await read('FROM ONLY payroll', { hidden })).toMatchObject({ problem: 'sql' })
    await harness.run(() => engine.drop('payroll'))
  })

  it('are not found during their import', async () => {
    const name = 'arriving 0f8fad5b-d9cb-469f-a165-70867728950e'
    const listed = await harness.run(
      async ({ name }) => {
        const columns = [{ name: 'who', type: 'VARCHAR' }]
        const bytes = new TextEncoder().encode('who\nzebra-4711\n')
        await engine.addCsv({ name, bytes, delimiter: ',', hasHeader: true, columns })
        return (await engine.tables()).map((table) => table.name)
      },
      { name },
    )
    expect(listed).not.toContain(name)
    expect(await read(`FROM "${name}"`)).toMatchObject({ problem: 'sql' })
    expect(JSON.stringify(await read('FROM "arriving 0f8fad5b"'))).not.toContain('d9cb')
    await harness.run(({ name }) => engine.drop(name), { name })
  })

  it('are not suggested, and their names are free for other tables', async () => {
    const outcome = await read('FROM ordes', { hidden })
    expect(JSON.stringify(outcome)).not.toContain('orders')
    expect(
      await rowsOf("SELECT id AS orders FROM people WHERE name <> 'orders' ORDER BY orders LIMIT 1", { hidden }),
    ).toEqual([[1]])
    expect(await rowsOf('SELECT count(*) FROM orders', { author: 'person' })).toEqual([[3]])
  })
})
