import { beforeEach, describe, expect, it } from 'vitest'
import { CodeFrameError } from '../code-frame/code-frame.ts'
import { openTools } from './open-tools.fixture.ts'

let page: ReturnType<typeof openTools>
beforeEach(() => {
  page = openTools()
})

describe('a requested column', () => {
  it('belongs to the named table', async () => {
    const { call, reads, recorder } = page
    await call('get_column_stats', { thought: 'Why', column: 'region', table: 'Größen' })
    expect(reads.at(-1)?.sql).toContain('FROM "Größen"')
    expect(recorder.steps()[0]).toMatchObject({ tool: 'get_column_stats', language: 'sql', code: reads.at(-1)?.sql })
  })

  it('is an error if several tables have it', async () => {
    await expect(page.call('get_column_stats', { thought: '', column: 'region' })).rejects.toThrow(
      'Several tables have a column "region": "orders", "Größen". Set "table" to one of them.',
    )
  })

  it.each([
    ['Größe', '"Größe"'],
    ['价格', '"价格"'],
    ['Price ($)', '"Price ($)"'],
    ['a"b', '"a""b"'],
    ['TOTAL', '"total"'],
    ['orders.total', '"total"'],
    ['"total"', '"total"'],
  ])('is found as %s and written as %s', async (column, written) => {
    await page.call('get_value_distribution', { thought: '', column, limit: 3 })
    expect(page.reads.at(-1)?.sql).toContain(`SELECT ${written} AS "value"`)
    expect(page.reads.at(-1)?.sql).toContain('LIMIT 3')
  })

  it.each([
    [{ column: 'totl' }, 'There is no column "totl". Near: "total".'],
    [{ column: 'totl', table: 'orders' }, 'There is no column "totl" in "orders". Near: "total".'],
    [{ column: 'total', table: 'oders' }, 'There is no table "oders". Near: "orders".'],
    [{ column: 'emai' }, 'There is no column "emai". There are: "id",'],
    [{ column: 'email', table: 'orders' }, 'There is no column "email" in "orders".'],
    [{ column: 'pay', table: 'salaries' }, 'There is no table "salaries". There are: "orders", "Größen".'],
    [{ column: 'n', table: 'step_7' }, 'There is no table "step_7".'],
  ])('returns a helpful error for unknown %j', async (input, message) => {
    await expect(page.call('get_column_stats', { thought: '', ...input })).rejects.toThrow(message)
    expect(page.recorder.steps()).toEqual([])
  })

  it('shows only frequent values at level 1, and no first or last text', async () => {
    page.setting.level = 1
    await page.call('get_value_distribution', { thought: '', column: 'id' })
    expect(page.reads.at(-1)?.sql).toContain('HAVING count(*) >= 5')
    await page.call('get_column_stats', { thought: '', column: 'id' })
    expect(page.reads.at(-1)?.sql).not.toContain('min(')
    await page.call('get_column_stats', { thought: '', column: 'total' })
    expect(page.reads.at(-1)?.sql).toContain('min("total")')
  })
})

describe('a transform', () => {
  it('gets the step it names, by number and after twelve steps', async () => {
    const { call, reads } = page
    for (let n = 1; n <= 12; n += 1) await call('run_query', { thought: '', sql: `SELECT ${n}` })
    reads.length = 0
    expect(await call('transform_data', { thought: '', code: 'data', sourceStep: 2 })).toMatchObject({
      stepId: 13,
      rows: [{ x: 1 }],
    })
    expect(reads.map(({ sql }) => sql)).toEqual(['SELECT * FROM "step_2"'])
    await expect(call('transform_data', { thought: '', code: 'data', sourceStep: 20 })).rejects.toThrow(
      'There is no step 20 with rows. These',
    )
  })

  it('may return nothing', async () => {
    const { call, setting, stored } = page
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    setting.transform = () => ({ columns: [], rows: [] })
    expect(await call('transform_data', { thought: '', code: '[]', sourceStep: 1 })).toMatchObject({
      rowCount: 0,
      rows: [],
    })
    expect(stored).toEqual([1, 2])
  })

  it('reports the line of a failure, and cannot be read afterwards', async () => {
    const { call, setting } = page
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    setting.transform = () => {
      throw new CodeFrameError('threw', 'TypeError: x is not iterable', 3)
    }
    await expect(call('transform_data', { thought: '', code: '\n\nx', sourceStep: 1 })).rejects.toThrow(
      'The code failed (line 3): TypeError: x is not iterable',
    )
    await expect(call('transform_data', { thought: '', code: 'x', sourceStep: 1 })).rejects.toThrow(
      'The code failed: TypeError: x is not iterable',
    )
    await expect(call('transform_data', { thought: '', code: 'data', sourceStep: 2 })).rejects.toThrow(
      'There is no step 2 with rows',
    )
  })
})

describe('the other tools', () => {
  it('list tables and steps, but nothing hidden', async () => {
    await page.call('run_query', { thought: '', sql: 'SELECT region, n FROM orders' })
    const list = await page.call('list_tables', {})
    expect(list).toMatchObject({
      tables: [{ name: 'orders', rowCount: 1000 }, { name: 'Größen' }],
      steps: [{ name: 'step_1', rowCount: 2 }],
    })
    expect(JSON.stringify(list)).not.toMatch(/email|salaries|North/)
  })

  it('ask the user', async () => {
    expect(await page.call('ask_user', { question: 'Which?', options: ['a', 'b'] })).toEqual({ answer: 'the second' })
    expect(page.asked).toEqual([{ callId: 'call-1', question: 'Which?', options: ['a', 'b'] }])
  })

  it('show rows from level 2 on, and at level 1 with consent', async () => {
    await page.call('sample_rows', { table: 'ORDERS', limit: 2 })
    expect(page.reads.at(-1)?.sql).toBe('SELECT * FROM "orders" LIMIT 2')
    expect(page.asked).toEqual([])
    page.setting.level = 1
    await page.call('sample_rows', { table: 'orders' })
    expect(page.asked).toHaveLength(1)
  })
})
