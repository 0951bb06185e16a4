// SQL in the database of the page, in a real browser: allowed and refused statements, results and their values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EnginePage, openEnginePage } from './support/engine-page.ts'
import { writingProbes } from './support/sql-probes.ts'

let harness: EnginePage
beforeAll(async () => {
  harness = await openEnginePage()
})
afterAll(() => harness?.close())

const read: EnginePage['read'] = (...query) => harness.read(...query)
const rowsOf: EnginePage['rowsOf'] = (...query) => harness.rowsOf(...query)

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
