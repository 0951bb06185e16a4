// The database of the page in a real browser: allowed SQL, hidden data, and cancellation.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineError, QueryOptions, ReadResult } from '../../packages/web/src/data/domain/query-engine.ts'
import { type Harness, openHarness } from './support/analysis-harness.ts'
import type { HarnessModules } from './support/harness-entry.ts'
import { curiousReads, nosyProbes, scopeProbes, writingProbes } from './support/sql-probes.ts'

type QueryEngine = Awaited<ReturnType<HarnessModules['duck']['createQueryEngine']>>
type Outcome = { readonly result: ReadResult } | { readonly problem: string; readonly message: string }

declare global {
  /** Created on the page before the first test. */
  var engine: QueryEngine
}

const people = 'id,name,email,age\n1,Ann,ann@x.com,31\n2,Bob,bob@x.com,\n3,"Cid ""C""",cid@x.com,29\n'
const orders = 'nr,person,amount\n10,1,5.5\n11,1,4.5\n12,3,90\n'

let harness: Harness<'duck' | 'ipc' | 'raw'>
const progress: { bytesLoaded: number; bytesTotal: number | null }[] = []

beforeAll(async () => {
  harness = await openHarness('duck', 'ipc', 'raw')
  const loads = await harness.run(
    async ({ modules, people, orders }) => {
      const loads: { bytesLoaded: number; bytesTotal: number | null }[] = []
      globalThis.engine = await modules.duck.createQueryEngine({ onProgress: (at) => void loads.push(at) })
      const add = (name: string, text: string, types: readonly string[]) => {
        const names = text.slice(0, text.indexOf('\n')).split(',')
        const columns = names.map((column, at) => ({ name: column, type: types[at] ?? 'VARCHAR' }))
        const bytes = new TextEncoder().encode(text)
        return engine.addCsv({ name, bytes, delimiter: ',', hasHeader: true, columns })
      }
      await add('people', people, ['BIGINT', 'VARCHAR', 'VARCHAR', 'BIGINT'])
      await add('orders', orders, ['BIGINT', 'BIGINT', 'DOUBLE'])
      return loads
    },
    { people, orders },
  )
  progress.push(...loads)
})
afterAll(() => harness?.close())

const read = (sql: string, options: Partial<QueryOptions> = {}): Promise<Outcome> =>
  harness.run(
    async ({ sql, options }) => {
      try {
        const result = await engine.read(sql, { author: 'model', maxRows: 1000, timeoutMs: 60_000, ...options })
        return { result: { ...result, ipc: null } }
      } catch (error) {
        const { problem, message } = error as EngineError
        return { problem: problem ?? 'bug', message }
      }
    },
    { sql, options },
  )

const rowsOf = async (sql: string, options: Partial<QueryOptions> = {}) => {
  const outcome = await read(sql, options)
  if ('problem' in outcome) throw new Error(`${outcome.problem}: ${outcome.message}`)
  return outcome.result.rows
}

describe('starting the engine', () => {
  it('reports loaded bytes and loads only from this server', () => {
    expect(progress.length).toBeGreaterThan(1)
    expect(progress.at(-1)?.bytesLoaded).toBeGreaterThan(30_000_000)
    expect(progress.at(-1)?.bytesTotal).toBe(progress.at(-1)?.bytesLoaded)
    expect(harness.outside()).toEqual([])
  })

  it('would be seen if it reached a server: without locks and policy it does, with the policy alone it does not', async () => {
    const assets = await readdir(join(harness.site, 'assets'))
    const urls = {
      worker: `/assets/${assets.find((name) => name.startsWith('duckdb-browser-eh.worker-'))}`,
      wasm: `/assets/${assets.find((name) => name.startsWith('duckdb-eh-'))}`,
      address: harness.forbidden.url,
    }
    const readUnlocked = async ({
      modules,
      worker,
      wasm,
      address,
    }: { modules: Pick<HarnessModules, 'raw'> } & typeof urls) => {
      const db = new modules.raw.AsyncDuckDB(new modules.raw.VoidLogger(), new Worker(worker))
      const blob = new Blob([await (await fetch(wasm)).arrayBuffer()], { type: 'application/wasm' })
      await db.instantiate(URL.createObjectURL(blob))
      const connection = await db.connect()
      const read = await connection.query(`FROM read_csv('${address}/x.csv')`).then(
        (table) => table.numRows,
        () => 'refused',
      )
      await db.terminate()
      return read
    }
    const before = harness.forbidden.hits()
    expect(await harness.run(readUnlocked, urls)).toBe('refused')
    expect(harness.forbidden.hits()).toBe(before)
    const bare = await harness.openBare()
    expect(await bare.run(readUnlocked, urls)).toBe(1)
    expect(harness.forbidden.hits()).toBeGreaterThan(before)
    await bare.close()
  })
})

describe('SQL that does more than read', () => {
  it.each(['model', 'person'] as const)('fails for a %s, without a request to a server', async (author) => {
    const before = harness.forbidden.hits()
    const passed: string[] = []
    for (const sql of writingProbes(harness.forbidden.url)) {
      const outcome = await read(sql, { author })
      if (!('problem' in outcome) || !['refused', 'sql'].includes(outcome.problem))
        passed.push(`${sql} ${JSON.stringify(outcome)}`)
      else if (/extensions?\.duckdb|https?:\/\/(?!127)/.test(outcome.message)) passed.push(outcome.message)
    }
    expect(passed).toEqual([])
    expect(harness.forbidden.hits()).toBe(before)
    expect(await rowsOf('SELECT count(*), sum(age), count(email) FROM people')).toEqual([[3, 60, 3]])
    expect(await rowsOf('SELECT table_name FROM duckdb_tables() ORDER BY 1', { author: 'person' })).toEqual([
      ['orders'],
      ['people'],
    ])
  })

  it('is refused with a message that a model can act on', async () => {
    expect(await read('DROP TABLE people')).toEqual({
      problem: 'refused',
      message:
        'Only one statement that reads is allowed: SELECT, WITH, FROM, VALUES, TABLE, DESCRIBE, SUMMARIZE, SHOW, PIVOT, UNPIVOT or EXPLAIN. This one starts with DROP.',
    })
    expect(await read("SELECT * FROM 'x.csv'")).toMatchObject({
      message: 'Files and addresses cannot be read here: only the tables of this page can.',
    })
    expect(await read('PIVOT orders ON nope USING sum(amount)')).toMatchObject({
      problem: 'sql',
      message: expect.stringContaining('nope'),
    })
    expect(await read('SELECT ? AS x')).toMatchObject({
      problem: 'sql',
      message: expect.stringContaining('Parameters'),
    })
  })

  it.each([
    ["SELECT json_extract('{}', '$.a')", "needs DuckDB's JSON extension, which this page does not have"],
    ["SELECT strftime(now(), '%Y')", 'Cast to TIMESTAMP first'],
    ["SELECT TIMESTAMP '2024-01-01 10:00' AT TIME ZONE 'UTC'", "needs DuckDB's ICU extension"],
  ])('names the missing extension: %s', async (sql, words) => {
    const outcome = await read(sql)
    expect(outcome).toMatchObject({ problem: 'sql', message: expect.stringContaining(words) })
    expect(JSON.stringify(outcome)).not.toMatch(/INSTALL|LOAD|Only reading/)
  })
})

describe('SQL that reads', () => {
  it.each<[sql: string, rows: unknown]>([
    ['SELECT name FROM people WHERE id = 1', [['Ann']]],
    ['  -- a comment; with a semicolon\n select 1 ; -- and another\n;', [[1]]],
    ['SELECT \';\' AS a, "name" FROM people WHERE id = 2', [[';', 'Bob']]],
    ["SELECT $$it's; fine$$", [["it's; fine"]]],
    ['WITH a AS (SELECT 1 AS x) SELECT x FROM a', [[1]]],
    ['WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) FROM r', [[1], [2], [3]]],
    ['FROM people SELECT count(*)', [[3]]],
    ['VALUES (1), (2)', [[1], [2]]],
    [
      'TABLE orders',
      [
        [10, 1, 5.5],
        [11, 1, 4.5],
        [12, 3, 90],
      ],
    ],
    ['(SELECT 1)', [[1]]],
    [
      'SELECT p.name, sum(o.amount) FROM people p JOIN orders o ON o.person = p.id GROUP BY ALL ORDER BY 2',
      [
        ['Ann', 10],
        ['Cid "C"', 90],
      ],
    ],
    [
      'PIVOT orders ON person USING sum(amount) GROUP BY nr',
      [
        [10, 5.5, null],
        [11, 4.5, null],
        [12, null, 90],
      ],
    ],
    ['SELECT histogram(age) FROM people', [['{"29":1,"31":1}']]],
    ['SELECT i FROM range(3) t(i)', [[0], [1], [2]]],
    ["SELECT\u00a0name\u00a0FROM people WHERE name = 'Ann'", [['Ann']]],
    ["SELECT x FROM (SELECT 'a b' AS x) WHERE x = 'a b'", [['a b']]],
    ['SELECT 1 AS a, 2 AS a', [[1, 2]]],
    ["SELECT current_date > DATE '2024-01-01', CAST(to_timestamp(0) AS DATE) = DATE '1970-01-01'", [[true, true]]],
    ['SELECT 1 AS show, 2 AS "describe"', [[1, 2]]],
  ])('%s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows)
  })

  it('returns names and types as DuckDB reports them, and unique names', async () => {
    const outcome = await read('SELECT 1 AS a, 2 AS a, id, name FROM people LIMIT 1')
    expect(outcome).toMatchObject({
      result: {
        columns: [
          { name: 'a', type: 'INTEGER' },
          { name: 'a_1', type: 'INTEGER' },
          { name: 'id', type: 'BIGINT' },
          { name: 'name', type: 'VARCHAR' },
        ],
        rowCount: 1,
      },
    })
    expect(await read('DESCRIBE people')).toMatchObject({ result: { rowCount: 4 } })
    expect(await read('SUMMARIZE people')).toMatchObject({ result: { rowCount: 4 } })
    expect(await read('EXPLAIN SELECT count(*) FROM people')).toMatchObject({ result: { rowCount: 1 } })
    expect(await read('UNPIVOT orders ON nr, person')).toMatchObject({ result: { rowCount: 6 } })
  })

  it('stops at the row limit and reports it', async () => {
    expect(await read('SELECT i FROM range(100000) t(i)', { maxRows: 3 })).toMatchObject({
      result: { rows: [[0], [1], [2]], rowCount: null },
    })
    expect(await read('SELECT i FROM range(3) t(i)', { maxRows: 3 })).toMatchObject({ result: { rowCount: 3 } })
    expect(await read('SELECT 1 WHERE false')).toMatchObject({ result: { rows: [], rowCount: 0 } })
  })

  it('runs in parallel', async () => {
    const counts = await harness.run(async () => {
      const read = (sql: string) => engine.read(sql, { author: 'model', maxRows: 10, timeoutMs: 60_000 })
      const all = Array.from({ length: 8 }, (_, at) =>
        read(`SELECT ${at} AS at, count(*) FROM range(300000) a(i), people`),
      )
      return (await Promise.all(all)).map(({ rows }) => rows[0])
    })
    expect(counts).toEqual(Array.from({ length: 8 }, (_, at) => [at, 900_000]))
  })

  it('returns a plan with the rows of each operator', async () => {
    const plan = await harness.run(() =>
      engine.plan('EXPLAIN SELECT count(*) FROM people', { author: 'model', timeoutMs: 60_000 }),
    )
    expect(plan).toMatch(/"operator_type": "TABLE_SCAN"[\s\S]*"operator_cardinality": 3/)
    const refused = harness.run(() => engine.plan('DROP TABLE people', { author: 'model', timeoutMs: 60_000 }))
    await expect(refused).rejects.toThrow('Only one statement')
  })
})

describe('values', () => {
  it.each<[sql: string, cell: unknown]>([
    ['9007199254740993', 9007199254740993n],
    ['5::BIGINT', 5],
    ['170141183460469231731687303715884105727::HUGEINT', 170141183460469231731687303715884105727n],
    ['(-5)::HUGEINT', -5],
    ['340282366920938463463374607431768211455::UHUGEINT', 340282366920938463463374607431768211455n],
    ['18446744073709551615::UBIGINT', 18446744073709551615n],
    ['-1.25::DECIMAL(10,2)', -1.25],
    ['0.1::FLOAT', 0.1],
    ["'nan'::DOUBLE", Number.NaN],
    ["'-infinity'::DOUBLE", Number.NEGATIVE_INFINITY],
    ["DATE '2024-02-29'", '2024-02-29'],
    ["DATE '0044-03-15 (BC)'", '-000043-03-15'],
    ["'infinity'::DATE", 'infinity'],
    ["TIMESTAMP '2024-02-29 12:34:56.789123'", '2024-02-29T12:34:56.789123'],
    ["TIMESTAMP '1969-12-31 23:59:59'", '1969-12-31T23:59:59'],
    ["'infinity'::TIMESTAMP", 'infinity'],
    ["'2024-02-29 12:34:56.5'::TIMESTAMP_NS", '2024-02-29T12:34:56.5'],
    ["'2024-02-29 12:34:56'::TIMESTAMP_S", '2024-02-29T12:34:56'],
    ["TIMESTAMPTZ '2024-02-29 12:34:56+02'", '2024-02-29T10:34:56Z'],
    ["TIME '12:34:56.5'", '12:34:56.5'],
    ["'12:34:56+02'::TIMETZ", '12:34:56+02'],
    ["INTERVAL '1 year 3 days 4 hours'", '1 year 3 days 04:00:00'],
    ["'\\x00\\xffa'::BLOB", '\\x00\\xFFa'],
    ["'b'::ENUM('a', 'b')", 'b'],
    ["'47183823-2574-4bfd-b411-99ed177d3e43'::UUID", '47183823-2574-4bfd-b411-99ed177d3e43'],
    ["'101'::BIT", '101'],
    ['NULL', null],
    ['true', true],
    ["'Größe 价格 😀'", 'Größe 价格 😀'],
    ['[1, NULL, 9007199254740993]', '[1,null,9007199254740993]'],
    ["{'a': DATE '2024-01-01', 'b': [1.5::DECIMAL(4,1)]}", '{"a":"2024-01-01","b":[1.5]}'],
    ["MAP {'k': 1}", '{"k":1}'],
    ['[1, 2]::INT[2]', '[1,2]'],
    ["[{'x': TIMESTAMP '2024-01-01 00:00:00'}]", '[{"x":"2024-01-01T00:00:00"}]'],
    ['union_value(num := 2)', '2'],
    ["[INTERVAL '1 day']", '[1 day]'],
  ])('%s', async (sql, cell) => {
    expect(await rowsOf(`SELECT ${sql} AS v`)).toEqual([[cell]])
  })

  it('survive a round trip through a step unchanged', async () => {
    const sql = `SELECT 1::BIGINT AS "a b", 'x' AS "价""格", DATE '2024-01-01' AS d, 'b'::ENUM('a', 'b') AS e, [1, 2] AS l, NULL AS n,
      {'a': 1} AS s, MAP {'k': 1} AS m, 1.5::DECIMAL(4,1) AS dec, true AS t, TIME '12:00' AS ti, INTERVAL '1 day' AS i
      FROM range(3000)`
    const [before, after] = await harness.run(
      async ({ sql }) => {
        const options = { author: 'model', maxRows: 5000, timeoutMs: 60_000 } as const
        const first = await engine.read(sql, options)
        if (first.ipc === null) throw new Error('no bytes')
        await engine.storeStep(7, { ipc: first.ipc })
        const second = await engine.read('FROM step_7', options)
        await engine.dropSteps()
        return [first, second].map(({ rows, rowCount }) => ({ rows: rows.slice(-2), rowCount }))
      },
      { sql },
    )
    expect(after).toEqual(before)
    expect(before?.rowCount).toBe(3000)
  })
})

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

describe('tables', () => {
  it('load from CSV with the chosen types, and report misfits with their line', async () => {
    const imported = await harness.run(async () => {
      const text =
        'Größe;"a""b";x;left out\r\n1;2.5;2024-01-31;q\r\noops;3;2024-02-01;q\r\n2;4\r\n3;5;2024-02-02;"multi\r\nline"\r\n4;6;;\r\n5;6;2024-02-03;q;more\r\n'
      return engine.addCsv({
        name: 'odd "name" 价格',
        bytes: new TextEncoder().encode(text),
        delimiter: ';',
        hasHeader: true,
        columns: [
          { name: 'Größe', type: 'BIGINT' },
          { name: 'a"b', type: 'DOUBLE' },
          { name: 'x', type: 'DATE' },
          { name: 'left out', type: null },
        ],
      })
    })
    expect(imported).toEqual({
      facts: {
        name: 'odd "name" 价格',
        rowCount: 3,
        columns: [
          { name: 'Größe', type: 'BIGINT' },
          { name: 'a"b', type: 'DOUBLE' },
          { name: 'x', type: 'DATE' },
        ],
        neverSent: [],
      },
      rejectedCount: 3,
      rejected: [
        { line: 3, column: 'Größe', problem: '"oops" is not a whole number', text: 'oops;3;2024-02-01;q' },
        { line: 4, column: null, problem: '2 columns instead of 4', text: '2;4' },
        { line: 8, column: null, problem: '5 columns instead of 4', text: '5;6;2024-02-03;q;more' },
      ],
    })
    expect(await rowsOf('SELECT "Größe", "a""b", x FROM "odd ""name"" 价格"')).toEqual([
      [1, 2.5, '2024-01-31'],
      [3, 5, '2024-02-02'],
      [4, 6, null],
    ])
  })

  it('can be renamed, replaced and dropped with any name', async () => {
    const names = await harness.run(async ({ modules }) => {
      await engine.rename('odd "name" 价格', 'Select')
      await engine.rename('Select', 'SELECT')
      await engine.setNeverSent('SELECT', ['x'])
      const ipc = modules.ipc.toIpc([{ name: 'n', type: 'BIGINT', values: [1, 2] }])
      await engine.addArrow('SELECT', ipc)
      await engine.addArrow('typed', ipc, [{ name: 'N "1"', type: 'VARCHAR' }])
      const refused = await engine
        .addArrow('typed', ipc, [{ name: 'n', type: 'DATE' }])
        .catch((error: Error) => error.name)
      const step = await engine.addArrow('step_3', ipc).catch((error: Error) => error.name)
      return [
        (await engine.tables()).map(({ name, columns, neverSent }) => [name, columns.length, neverSent]),
        refused,
        step,
      ]
    })
    expect(names).toEqual([
      [
        ['people', 4, []],
        ['orders', 3, []],
        ['SELECT', 1, []],
        ['typed', 1, []],
      ],
      'EngineError',
      'EngineError',
    ])
    expect(await rowsOf('FROM "select"')).toEqual([[1], [2]])
    expect(await rowsOf('SELECT "N ""1""" FROM typed')).toEqual([['1'], ['2']])
    await harness.run(async () => {
      for (const name of ['SELECT', 'typed']) await engine.drop(name)
    })
    expect(await read('FROM typed')).toMatchObject({ problem: 'sql' })
    expect(await read('FROM typed', { author: 'person' })).toMatchObject({ problem: 'sql' })
  })

  it('stay unchanged while others are added and renamed', async () => {
    const names = ['quarterdeck_incoming', 'quarterdeck_ready', 'other renamed']
    await harness.run(
      async ({ modules, names }) => {
        const ipc = modules.ipc.toIpc([{ name: 'n', type: 'BIGINT', values: [1, 2] }])
        for (const name of names) await engine.addArrow(name, ipc)
        await engine.addArrow('typed', ipc, [{ name: 'n', type: 'VARCHAR' }])
        await engine.rename('typed', 'other')
      },
      { names },
    )
    for (const name of [...names, 'other']) expect(await rowsOf(`SELECT count(*) FROM "${name}"`)).toEqual([[2]])
    await harness.run(
      async ({ names }) => {
        for (const name of [...names, 'other']) await engine.drop(name)
      },
      { names },
    )
  })

  it('are complete or absent after a cancelled import, and the next import works', async () => {
    const outcome = await harness.run(async () => {
      const lines = Array.from({ length: 300_000 }, (_, at) => `${at},${at * 2}`).join('\n')
      const cancel = new AbortController()
      const columns = [
        { name: 'a', type: 'BIGINT' },
        { name: 'b', type: 'BIGINT' },
      ]
      const csv = { name: 'large', bytes: new TextEncoder().encode(lines), delimiter: ',', hasHeader: false, columns }
      const cancelled = engine.addCsv({ ...csv, signal: cancel.signal }).catch((error: EngineError) => error.problem)
      cancel.abort()
      const problem = await cancelled
      const adding = engine.addCsv(csv)
      // Meanwhile the file itself is in DuckDB's file system, including columns that are never sent. Models must not
      // read it.
      const peeks = ["FROM 'up/*'", "FROM 'up/*.csv'", "FROM read_csv('up/*')"].map((sql) =>
        engine.read(sql, { author: 'model', maxRows: 10, timeoutMs: 60_000 }).then(
          () => 'read',
          () => 'refused',
        ),
      )
      const peeked = await Promise.all(peeks)
      const { facts, rejectedCount } = await adding
      await engine.drop('large')
      return { problem, peeked, rowCount: facts.rowCount, rejectedCount }
    })
    expect(outcome).toEqual({
      problem: 'cancelled',
      peeked: ['refused', 'refused', 'refused'],
      rowCount: 300_000,
      rejectedCount: 0,
    })
  })
})

describe('steps', () => {
  it('are rows or queries, replaced by number, and visible to the model and the user', async () => {
    await harness.run(async () => {
      const { ipc } = await engine.read('SELECT id FROM people', { author: 'model', maxRows: 10, timeoutMs: 60_000 })
      if (ipc !== null) await engine.storeStep(1, { ipc })
      await engine.storeStep(2, { sql: 'SELECT id * 2 AS twice FROM step_1;' })
    })
    expect(await rowsOf('SELECT sum(twice) FROM step_2')).toEqual([[12]])
    expect(await rowsOf('SELECT sum(twice) FROM step_2', { author: 'person' })).toEqual([[12]])
    await harness.run(() => engine.storeStep(1, { sql: 'SELECT 50::BIGINT AS id' }))
    expect(await rowsOf('FROM step_2')).toEqual([[100]])
    await harness.run(() => engine.storeStep(1, { sql: "SELECT 'x' AS id" }))
    expect(await read('FROM step_2')).toMatchObject({ problem: 'sql' })
    await harness.run(() => engine.dropSteps())
    expect(await read('FROM step_1')).toMatchObject({ problem: 'sql' })
  })
})

describe('stopping a query', () => {
  const endless = 'SELECT sum(sin(a.i) * cos(b.i)) FROM range(3000000) a(i), range(3000000) b(i)'

  it('happens on timeout or on request, and the next query runs', async () => {
    expect(await read(endless, { timeoutMs: 300 })).toMatchObject({
      problem: 'timeout',
      message: expect.stringContaining('0.3 s'),
    })
    expect(await rowsOf('SELECT 1')).toEqual([[1]])
    const cancelled = await harness.run(
      async ({ endless }) => {
        const cancel = new AbortController()
        const read = engine.read(endless, { author: 'model', maxRows: 10, timeoutMs: 60_000, signal: cancel.signal })
        const other = engine.read('SELECT 2', { author: 'person', maxRows: 10, timeoutMs: 60_000 })
        setTimeout(() => cancel.abort(), 200)
        const problem = await read.catch((error: EngineError) => error.problem)
        return [problem, (await other).rows]
      },
      { endless },
    )
    expect(cancelled).toEqual(['cancelled', [[2]]])
  })

  it('ends the worker if the query never pauses; the restarted database is empty, locked and works', async () => {
    const deaf = 'SELECT count(*) FROM range(3000000) a(i), range(3000000) b(j) WHERE i + j = -1'
    const [one, other] = await Promise.all([
      read(deaf, { timeoutMs: 100 }),
      read('SELECT count(*) FROM range(100000000)'),
    ])
    expect(one).toMatchObject({ problem: 'timeout' })
    expect(['dead', undefined]).toContain('problem' in other ? other.problem : undefined)
    expect(await read('SELECT 1')).toMatchObject({ problem: 'dead' })
    await harness.run(() => Promise.all([engine.restart(), engine.restart()]))
    expect(await harness.run(() => engine.tables())).toEqual([])
    expect(await rowsOf('SELECT 1')).toEqual([[1]])
    expect(await read("COPY (SELECT 1) TO 'up/x'")).toMatchObject({ problem: 'refused' })
    expect(await read(`FROM '${harness.forbidden.url}/x.csv'`)).toMatchObject({ problem: 'sql' })
    await harness.run(() => engine.close())
    expect(await read('SELECT 1')).toMatchObject({ problem: 'dead' })
  })
})
