import { beforeEach, describe, expect, it } from 'vitest'
import { EngineError } from '../domain/query-engine.ts'
import { openTools, planOf, rowsOf, scan } from './open-tools.fixture.ts'

let page: ReturnType<typeof openTools>
beforeEach(() => {
  page = openTools()
})

describe('a query of the model', () => {
  it('returns the documented result, becomes a step, and is stored as a view', async () => {
    const { call, recorder, stored, reads } = page
    const sql = 'SELECT region, count(*) AS n FROM orders GROUP BY 1'
    expect(await call('run_query', { thought: 'Why', sql })).toEqual({
      stepId: 1,
      rowCount: 2,
      truncated: false,
      elapsedMs: 3,
      columns: [
        { name: 'region', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
      ],
      rows: [
        { region: 'North', n: 12 },
        { region: 'South', n: 9 },
      ],
    })
    expect(stored).toEqual([1])
    expect(recorder.steps()[0]).toMatchObject({
      n: 1,
      tool: 'run_query',
      state: 'ok',
      thought: 'Why',
      code: sql,
      rowCount: 2,
    })
    expect(recorder.steps()[0]?.sent?.rows).toBe(2)
    expect(reads[0]?.options).toMatchObject({ author: 'model', timeoutMs: 30_000, hidden: ['salaries'] })
  })

  it('is the same step if the same call is repeated, and a new one for another call', async () => {
    const { call, recorder } = page
    const input = { thought: '', sql: 'SELECT 1' }
    const ids = [
      await call('run_query', input, 'a'),
      await call('run_query', input, 'a'),
      await call('run_query', input, 'b'),
    ]
    expect(ids).toMatchObject([{ stepId: 1 }, { stepId: 1 }, { stepId: 2 }])
    expect(recorder.steps()).toHaveLength(2)
  })

  it('loads the steps that it reads before it runs, even after a reload', async () => {
    const { call, recorder } = page
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    await call('run_query', { thought: '', sql: 'SELECT * FROM step_1 JOIN "step_1" b USING (n)' })
    expect(recorder.brought).toEqual([[], [1]])
    expect(recorder.steps()[1]?.reads).toEqual([1])
  })

  it('may run in parallel with another', async () => {
    const { call } = page
    const both = await Promise.all([1, 2].map((n) => call('run_query', { thought: '', sql: `SELECT ${n}` })))
    expect(both).toMatchObject([{ stepId: 1 }, { stepId: 2 }])
  })

  it('returns an error with suggestions, and never with a hidden name', async () => {
    const { call, setting, recorder } = page
    setting.answer = () => {
      throw new EngineError('sql', 'Binder Error: Referenced column "emial" not found! Candidates: "email", "salaries"')
    }
    const failed = call('run_query', { thought: '', sql: 'SELECT emial, regoin FROM orders' })
    await expect(failed).rejects.toThrow('There is no column "emial"')
    const { message } = await failed.catch((error: Error) => error)
    expect(message).not.toMatch(/\bemail\b|salaries/)
    expect(recorder.steps()[0]).toMatchObject({ state: 'error', error: expect.stringContaining('emial') })
    setting.answer = () => {
      throw new EngineError('sql', 'Catalog Error: Table with name ordes does not exist!\nDid you mean "salaries"?')
    }
    await expect(call('run_query', { thought: '', sql: 'FROM ordes' })).rejects.toThrow('Near: "orders"')
  })

  it('asks the model to turn to the user after three failures in a row', async () => {
    const { call, setting } = page
    const fail = () => call('run_query', { thought: '', sql: 'SELECT x' }).catch((error: Error) => error.message)
    const answer = setting.answer
    setting.answer = () => {
      throw new EngineError('timeout', 'too long')
    }
    const again = () => call('run_query', { sql: 'SELECT x' }, 'again').catch((error: Error) => error.message)
    expect([await fail(), await again(), await again()].join()).not.toContain('ask_user')
    expect(await fail()).toMatch(/longer than 30 seconds.* failed 3 times in a row: ask the user with ask_user/s)
    setting.answer = answer
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    setting.answer = () => {
      throw new EngineError('memory', 'x')
    }
    expect(await fail()).not.toContain('in a row')
  })

  it('is refused with an explanation of its invalid input', async () => {
    await expect(page.call('run_query', { thought: 'x' })).rejects.toThrow('The input of run_query is not right. sql:')
    expect(page.recorder.steps()).toEqual([])
  })

  it('is a cancelled step after a cancellation', async () => {
    page.setting.answer = () => {
      throw new EngineError('cancelled', 'x')
    }
    await expect(page.call('run_query', { thought: '', sql: 'SELECT 1' })).rejects.toThrow()
    expect(page.recorder.steps()[0]).toMatchObject({ state: 'cancelled', error: null })
  })
})

describe('the level', () => {
  const sql = 'SELECT region, count(*) AS n FROM orders GROUP BY 1'

  it('0 shows counts and names', async () => {
    page.setting.level = 0
    expect(await page.call('run_query', { thought: '', sql })).toMatchObject({
      rowCount: 1,
      note: expect.stringContaining('rounded'),
      rows: [],
      columns: [{}, {}],
    })
    await expect(page.call('sample_rows', { table: 'orders' })).rejects.toThrow('No rows are shown')
    expect(page.asked).toEqual([])
  })

  it('1 shows summaries without consent, and hides texts of few rows', async () => {
    const { setting, call, recorder } = page
    setting.level = 1
    setting.answer = (query) =>
      query.startsWith('SELECT t, max(n)')
        ? rowsOf(['t', 'n'], ['north', 12], ['ann', 2])
        : rowsOf(['region', 'n'], ['North', 12], ['Ann', 2])
    const result = await call('run_query', { thought: '', sql })
    expect(result).toMatchObject({
      rows: [
        { region: 'North', n: 12 },
        { region: '(rare value)', n: 2 },
      ],
      note: expect.stringContaining('fewer than 5'),
    })
    expect(JSON.stringify(result)).not.toContain('Ann')
    expect(recorder.steps()[0]?.isSummary).toBe(false)
    expect(page.asked).toEqual([])
  })

  it('1 asks before new single rows are shown, until the user refuses', async () => {
    const { setting, call, asked } = page
    Object.assign(setting, { level: 1, plan: planOf(scan) })
    expect(await call('run_query', { thought: '', sql: 'FROM orders' })).toMatchObject({ rows: [{ n: 12 }, { n: 9 }] })
    setting.rowsAnswer = 'summary'
    expect(await call('run_query', { thought: '', sql: 'FROM orders LIMIT 2' })).toMatchObject({
      rows: [],
      note: expect.stringContaining('The user chose'),
    })
    expect(asked).toEqual([
      { callId: 'call-1', step: 1, rowCount: 2, tables: ['orders'], columns: ['region', 'n'] },
      { callId: 'call-2', step: 2, rowCount: 2, tables: ['orders'], columns: ['region', 'n'] },
    ])
    setting.rowsAnswer = 'allow'
    expect(await call('run_query', { thought: '', sql: 'FROM orders LIMIT 3' })).toMatchObject({ rows: [] })
    expect(asked).toHaveLength(2)
  })

  it('1 asks if the query plan is unknown', async () => {
    Object.assign(page.setting, { level: 1, plan: 'no plan' })
    await page.call('run_query', { thought: '', sql })
    expect(page.asked).toHaveLength(1)
  })

  it('1 judges a transform by its sources', async () => {
    const { setting, call, asked } = page
    setting.level = 1
    setting.answer = (query) => (query.startsWith('SELECT t') ? rowsOf(['t', 'n']) : rowsOf(['n'], [1]))
    await call('run_query', { thought: '', sql: 'SELECT count(*) AS n FROM orders' })
    await call('transform_data', { thought: '', code: 'data', sourceStep: 1 })
    expect(asked).toHaveLength(0)
    setting.plan = planOf(scan)
    await call('run_query', { thought: '', sql: 'FROM orders' })
    await call('transform_data', { thought: '', code: 'Object.values(allSteps)', sourceStep: 1 })
    expect(asked).toMatchObject([{ step: 3 }, { step: 4 }])
  })

  it('1 asks if another run of the query could return other rows', async () => {
    page.setting.level = 1
    const random = 'SELECT region, count(*) FROM orders WHERE random() < 0.5 GROUP BY 1'
    await page.call('run_query', { thought: '', sql: random })
    await page.call('run_query', { thought: '', sql: 'SELECT count(*) FROM step_1' })
    await page.call('run_query', { thought: '', sql })
    expect(page.asked).toMatchObject([{ step: 1 }, { step: 2 }])
  })

  it('reports the kind of sent rows only if it was judged or is certain', async () => {
    const { setting, call, recorder } = page
    setting.answer = (query) =>
      query.startsWith('SELECT t, max(n)') ? rowsOf(['t', 'n'], ['north', 12]) : rowsOf(['region', 'n'], ['North', 12])
    const sentBy = async (tool: string, input: object) => {
      await call(tool, { thought: '', ...input })
      return recorder.steps().at(-1)?.sent
    }
    expect(await sentBy('run_query', { sql })).not.toHaveProperty('rowsKind')
    expect(await sentBy('sample_rows', { table: 'orders' })).toMatchObject({ rowsKind: 'files' })
    expect(await sentBy('sample_rows', { table: 'step_1' })).not.toHaveProperty('rowsKind')
    setting.level = 1
    expect(await sentBy('run_query', { sql })).toMatchObject({ rowsKind: 'summary' })
    expect(await sentBy('get_value_distribution', { column: 'id' })).toMatchObject({ rowsKind: 'summary' })
    setting.plan = planOf(scan)
    expect(await sentBy('run_query', { sql: 'FROM orders' })).toMatchObject({ rows: 1, rowsKind: 'files' })
    setting.level = 0
    expect(await sentBy('run_query', { sql })).toEqual({ rows: 0, bytes: expect.any(Number) })
  })

  it('applies to a call that started at another level', async () => {
    const { setting, call, asked } = page
    const answer = setting.answer
    setting.rowsAnswer = 'summary'
    setting.answer = (query) => {
      setting.level = 1
      return answer(query)
    }
    setting.plan = planOf(scan)
    expect(await call('get_value_distribution', { thought: '', column: 'id' })).toMatchObject({ rows: [] })
    expect(asked).toHaveLength(1)
    setting.level = 0
    setting.answer = (query) => {
      setting.level = 3
      return answer(query)
    }
    expect(await call('run_query', { thought: '', sql }, 'low')).toMatchObject({ rows: [] })
    // Even if the same call runs again.
    expect(await call('run_query', { thought: '', sql }, 'low')).toMatchObject({ rows: [] })
    expect(await call('run_query', { thought: '', sql })).toMatchObject({ rows: [{}, {}] })
  })

  it('below 2 removes values from errors', async () => {
    page.setting.level = 1
    page.setting.answer = () => {
      throw new EngineError('sql', `Conversion Error: Could not convert string 'ann@x.com' to INT32`)
    }
    const message = await page
      .call('run_query', { thought: '', sql: 'SELECT id::INT FROM orders' })
      .catch((error: Error) => error.message)
    expect(message).toBe(
      'Conversion Error: Could not convert string … to INT32: check the values for which try_cast returns NULL.',
    )
  })
})
