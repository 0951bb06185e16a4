import type { PrivacyLevel } from '@quarterdeck/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Cell, Rows } from '../cells.ts'
import { type Engine, EngineError, type ReadOptions, type TableFacts } from '../engine.ts'
import { SandboxError } from '../sandbox/sandbox.ts'
import { createMemoryStepBook } from '../steps/memory-step-book.fixture.ts'
import { createAnalysisTools } from './create-analysis-tools.ts'

const facts = (name: string, columns: readonly string[], neverSent: readonly string[] = []): TableFacts => ({
  ...{ name, rowCount: 1000, neverSent },
  columns: columns.map((column) => ({ name: column, type: column === 'total' ? 'DOUBLE' : 'VARCHAR' })),
})
const tables = [
  facts('orders', ['id', 'total', 'region', 'a"b', 'email'], ['email']),
  facts('Größen', ['Größe', '价格', 'Price ($)', 'region']),
  facts('salaries', ['person', 'pay']),
]

const rowsOf = (names: readonly string[], ...rows: readonly (readonly Cell[])[]): Rows => ({
  columns: names.map((name) => ({
    name,
    type: typeof rows[0]?.[names.indexOf(name)] === 'number' ? 'BIGINT' : 'VARCHAR',
  })),
  rows,
})
const scanPlan = (below: object) =>
  JSON.stringify({ children: [{ operator_type: 'EXPLAIN_ANALYZE', extra_info: {}, children: [below] }] })
const scan = {
  operator_type: 'TABLE_SCAN',
  operator_cardinality: 1000,
  operator_rows_scanned: 1000,
  extra_info: { Table: 'orders' },
}
const grouped = {
  ...{ operator_type: 'HASH_GROUP_BY', operator_cardinality: 2, children: [scan] },
  extra_info: { Groups: '#0', Aggregates: 'count_star()' },
}

interface Setting {
  level: PrivacyLevel
  scope: readonly string[]
  answer: (sql: string) => Rows
  plan: string
  rowsAnswer: 'allow' | 'summary'
  transform: () => Rows
}

function open() {
  const setting: Setting = {
    ...{ level: 2, scope: ['orders', 'Größen'], plan: scanPlan(grouped), rowsAnswer: 'allow' },
    answer: () => rowsOf(['region', 'n'], ['North', 12], ['South', 9]),
    transform: () => rowsOf(['x'], [1]),
  }
  const reads: { sql: string; options: ReadOptions }[] = []
  const kept: number[] = []
  const asked: object[] = []
  const book = createMemoryStepBook()
  const engine = {
    tables: async () => tables,
    async read(sql: string, options: ReadOptions) {
      reads.push({ sql, options })
      const rows = setting.answer(sql)
      return { ...rows, rowCount: rows.rows.length, elapsedMs: 3.2, ipc: new Uint8Array(1) }
    },
    plan: async () => setting.plan,
    keepStep: async (n: number) => void kept.push(n),
  }
  const tools = createAnalysisTools({
    engine: engine as unknown as Engine, // the rest of it is not the tools'
    sandbox: { run: async () => setting.transform() },
    toIpc: () => new Uint8Array(1),
    level: () => setting.level,
    scope: () => setting.scope,
    steps: book,
    ask: {
      question: async (question) => {
        asked.push(question)
        return 'the second'
      },
      rows: async (rows) => {
        asked.push(rows)
        return setting.rowsAnswer
      },
    },
  })
  let calls = 0
  const call = async (name: string, input: object, id = `call-${++calls}`) =>
    tools[name]?.(input as never, { id, signal: new AbortController().signal }) as Promise<never>
  return { setting, reads, kept, asked, book, call }
}

let page: ReturnType<typeof open>
beforeEach(() => {
  page = open()
})

describe('a query of the model', () => {
  it('gives what the reference says, is a step, and is kept as its view', async () => {
    const { call, book, kept, reads } = page
    const sql = 'SELECT region, count(*) AS n FROM orders GROUP BY 1'
    expect(await call('run_query', { thought: 'Why', sql })).toEqual({
      ...{ stepId: 1, rowCount: 2, truncated: false, elapsedMs: 3 },
      columns: [
        { name: 'region', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
      ],
      rows: [
        { region: 'North', n: 12 },
        { region: 'South', n: 9 },
      ],
    })
    expect(kept).toEqual([1])
    expect(book.steps()[0]).toMatchObject({
      n: 1,
      tool: 'run_query',
      state: 'ok',
      thought: 'Why',
      code: sql,
      rowCount: 2,
    })
    expect(book.steps()[0]?.sent?.rows).toBe(2)
    expect(reads[0]?.options).toMatchObject({ author: 'model', timeoutMs: 30_000, hidden: ['salaries'] })
  })

  it('is the same step when the same call comes again, and the next one when another does', async () => {
    const { call, book } = page
    const input = { thought: '', sql: 'SELECT 1' }
    const ids = [
      await call('run_query', input, 'a'),
      await call('run_query', input, 'a'),
      await call('run_query', input, 'b'),
    ]
    expect(ids).toMatchObject([{ stepId: 1 }, { stepId: 1 }, { stepId: 2 }])
    expect(book.steps()).toHaveLength(2)
  })

  it('has steps it reads in the engine before it runs, also after a refresh', async () => {
    const { call, book } = page
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    await call('run_query', { thought: '', sql: 'SELECT * FROM step_1 JOIN "step_1" b USING (n)' })
    expect(book.brought).toEqual([[], [1]])
    expect(book.steps()[1]?.reads).toEqual([1])
  })

  it('may run beside another one', async () => {
    const { call } = page
    const both = await Promise.all([1, 2].map((n) => call('run_query', { thought: '', sql: `SELECT ${n}` })))
    expect(both).toMatchObject([{ stepId: 1 }, { stepId: 2 }])
  })

  it('that fails is an error with what could have been meant, and never a name that is not sent', async () => {
    const { call, setting, book } = page
    setting.answer = () => {
      throw new EngineError('sql', 'Binder Error: Referenced column "emial" not found! Candidates: "email", "salaries"')
    }
    const failed = call('run_query', { thought: '', sql: 'SELECT emial, regoin FROM orders' })
    await expect(failed).rejects.toThrow('There is no column "emial"')
    const { message } = await failed.catch((error: Error) => error)
    expect(message).not.toMatch(/\bemail\b|salaries/)
    expect(book.steps()[0]).toMatchObject({ state: 'error', error: expect.stringContaining('emial') })
    setting.answer = () => {
      throw new EngineError('sql', 'Catalog Error: Table with name ordes does not exist!\nDid you mean "salaries"?')
    }
    await expect(call('run_query', { thought: '', sql: 'FROM ordes' })).rejects.toThrow('Near: "orders"')
  })

  it('that fails three times in a row sends the model to the person', async () => {
    const { call, setting } = page
    const fail = () => call('run_query', { thought: '', sql: 'SELECT x' }).catch((error: Error) => error.message)
    const answer = setting.answer
    setting.answer = () => {
      throw new EngineError('timeout', 'too long')
    }
    expect([await fail(), await fail()].join()).not.toContain('ask_user')
    expect(await fail()).toMatch(/longer than 30 seconds.* failed 3 times in a row: ask the person with ask_user/s)
    setting.answer = answer
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    setting.answer = () => {
      throw new EngineError('memory', 'x')
    }
    expect(await fail()).not.toContain('in a row')
  })

  it('is refused with what is wrong in its input', async () => {
    await expect(page.call('run_query', { thought: 'x' })).rejects.toThrow('The input of run_query is not right. sql:')
    expect(page.book.steps()).toEqual([])
  })

  it('that was cancelled is a cancelled step', async () => {
    page.setting.answer = () => {
      throw new EngineError('cancelled', 'x')
    }
    await expect(page.call('run_query', { thought: '', sql: 'SELECT 1' })).rejects.toThrow()
    expect(page.book.steps()[0]).toMatchObject({ state: 'cancelled', error: null })
  })
})

describe('the level', () => {
  const sql = 'SELECT region, count(*) AS n FROM orders GROUP BY 1'

  it('0 shows counts and names', async () => {
    page.setting.level = 0
    expect(await page.call('run_query', { thought: '', sql })).toMatchObject({
      rowCount: 2,
      rows: [],
      columns: [{}, {}],
    })
    await expect(page.call('sample_rows', { table: 'orders' })).rejects.toThrow('No rows are shown')
    expect(page.asked).toEqual([])
  })

  it('1 shows summaries without a word, with texts of few rows hidden', async () => {
    const { setting, call, book } = page
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
    expect(book.steps()[0]?.isSummary).toBe(false)
    expect(page.asked).toEqual([])
  })

  it('1 asks before single rows are shown, each time they are others, until it is refused', async () => {
    const { setting, call, asked } = page
    Object.assign(setting, { level: 1, plan: scanPlan(scan) })
    expect(await call('run_query', { thought: '', sql: 'FROM orders' })).toMatchObject({ rows: [{ n: 12 }, { n: 9 }] })
    setting.rowsAnswer = 'summary'
    expect(await call('run_query', { thought: '', sql: 'FROM orders LIMIT 2' })).toMatchObject({
      rows: [],
      note: expect.stringContaining('The person chose'),
    })
    expect(asked).toEqual([
      { callId: 'call-1', step: 1, rowCount: 2 },
      { callId: 'call-2', step: 2, rowCount: 2 },
    ])
    setting.rowsAnswer = 'allow'
    expect(await call('run_query', { thought: '', sql: 'FROM orders LIMIT 3' })).toMatchObject({ rows: [] })
    expect(asked).toHaveLength(2)
  })

  it('1 asks where nobody can tell how a query ran', async () => {
    Object.assign(page.setting, { level: 1, plan: 'no plan' })
    await page.call('run_query', { thought: '', sql })
    expect(page.asked).toHaveLength(1)
  })

  it('1 takes a transform for what its sources are', async () => {
    const { setting, call, asked } = page
    setting.level = 1
    setting.answer = (query) => (query.startsWith('SELECT t') ? rowsOf(['t', 'n']) : rowsOf(['n'], [1]))
    await call('run_query', { thought: '', sql: 'SELECT count(*) AS n FROM orders' })
    await call('transform_data', { thought: '', code: 'data', sourceStep: 1 })
    expect(asked).toHaveLength(0)
    setting.plan = scanPlan(scan)
    await call('run_query', { thought: '', sql: 'FROM orders' })
    await call('transform_data', { thought: '', code: 'Object.values(allSteps)', sourceStep: 1 })
    expect(asked).toMatchObject([{ step: 3 }, { step: 4 }])
  })

  it('below 2 lets no value out of an error, and no error() in', async () => {
    page.setting.level = 1
    page.setting.answer = () => {
      throw new EngineError('sql', `Conversion Error: Could not convert string 'ann@x.com' to INT32`)
    }
    const said = await page
      .call('run_query', { thought: '', sql: 'SELECT id::INT FROM orders' })
      .catch((error: Error) => error.message)
    expect(said).toBe('Conversion Error: Could not convert string … to INT32')
    await expect(page.call('run_query', { thought: '', sql: 'SELECT "error"(id) FROM orders' })).rejects.toThrow(
      'error() is not allowed',
    )
  })
})

describe('a column that is asked about', () => {
  it('is that of the table that is named', async () => {
    const { call, reads, book } = page
    await call('get_column_stats', { thought: 'Why', column: 'region', table: 'Größen' })
    expect(reads.at(-1)?.sql).toContain('FROM "Größen"')
    expect(book.steps()[0]).toMatchObject({ tool: 'get_column_stats', language: 'sql', code: reads.at(-1)?.sql })
  })

  it('is nobody’s guess where several tables have it', async () => {
    await expect(page.call('get_column_stats', { thought: '', column: 'region' })).rejects.toThrow(
      'Several tables have a column "region": "orders", "Größen". Say which one in "table".',
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
  ])('%s is found and written as %s', async (column, written) => {
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
  ])('%j that is not there is an error the model can mend', async (input, said) => {
    await expect(page.call('get_column_stats', { thought: '', ...input })).rejects.toThrow(said)
    expect(page.book.steps()).toEqual([])
  })

  it('shows frequent values only at level 1, and no ends of texts', async () => {
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
  it('gets the step it names, by number and after twelve of them', async () => {
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

  it('may come to nothing', async () => {
    const { call, setting, kept } = page
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    setting.transform = () => ({ columns: [], rows: [] })
    expect(await call('transform_data', { thought: '', code: '[]', sourceStep: 1 })).toMatchObject({
      rowCount: 0,
      rows: [],
    })
    expect(kept).toEqual([1, 2])
  })

  it('that fails says where, and cannot be read from', async () => {
    const { call, setting } = page
    await call('run_query', { thought: '', sql: 'SELECT 1' })
    setting.transform = () => {
      throw new SandboxError('threw', 'TypeError: x is not iterable', 3)
    }
    await expect(call('transform_data', { thought: '', code: 'x', sourceStep: 1 })).rejects.toThrow(
      'The code failed (line 3): TypeError: x is not iterable',
    )
    await expect(call('transform_data', { thought: '', code: 'data', sourceStep: 2 })).rejects.toThrow(
      'There is no step 2 with rows',
    )
  })
})

describe('the other tools', () => {
  it('list what there is, steps too, and nothing that is hidden', async () => {
    await page.call('run_query', { thought: '', sql: 'SELECT region, n FROM orders' })
    const list = await page.call('list_tables', {})
    expect(list).toMatchObject({
      tables: [{ name: 'orders', rowCount: 1000 }, { name: 'Größen' }],
      steps: [{ name: 'step_1', rowCount: 2 }],
    })
    expect(JSON.stringify(list)).not.toMatch(/email|salaries|North/)
  })

  it('ask the person', async () => {
    expect(await page.call('ask_user', { question: 'Which?', options: ['a', 'b'] })).toEqual({ answer: 'the second' })
    expect(page.asked).toEqual([{ callId: 'call-1', question: 'Which?', options: ['a', 'b'] }])
  })

  it('show rows from level 2 on, and at level 1 when a person allows it', async () => {
    await page.call('sample_rows', { table: 'ORDERS', limit: 2 })
    expect(page.reads.at(-1)?.sql).toBe('SELECT * FROM "orders" LIMIT 2')
    expect(page.asked).toEqual([])
    page.setting.level = 1
    await page.call('sample_rows', { table: 'orders' })
    expect(page.asked).toHaveLength(1)
  })
})
