// The bytes that leave the browser for an analysis at each level: with the real database, code frame and client, against
// a server that records all requests.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attempts, query, transform } from './support/privacy-attempts.ts'
import { type Conversed, openPrivacyPage, type PlayedCall, type PrivacyPage } from './support/privacy-page.ts'
import { cellSecret, neverName, neverSecret, otherSecret, otherTable, scope, tables } from './support/privacy-tables.ts'

let page: PrivacyPage
beforeAll(async () => {
  page = await openPrivacyPage()
  await page.add(tables)
})
afterAll(() => page?.close())

const caps = [
  { rows: 0, bytes: 16_000 },
  { rows: 100, bytes: 16_000 },
  { rows: 50, bytes: 16_000 },
  { rows: 200, bytes: 64_000 },
] as const

/** Letters and digits only: a query can insert other characters between them. */
const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
const backwards = (text: string) => [...text].reverse().join('')
const holds = (text: string, secret: string) =>
  bare(text).includes(bare(secret)) || bare(text).includes(bare(backwards(secret)))

/** Names that the model wrote in a call return in its error: they reveal nothing. */
function leaks({ given }: Conversed, secrets: readonly string[]): readonly string[] {
  return attempts.flatMap(({ input }, index) => {
    const body = JSON.stringify(given[index])
    const found = secrets.filter((secret) => holds(body, secret) && !holds(JSON.stringify(input), secret))
    return found.map((secret) => `${secret} by ${JSON.stringify(input)}: ${body.slice(0, 400)}`)
  })
}

describe.each([0, 1, 2, 3] as const)('privacy level %i', (level) => {
  let receivedByServer: Conversed
  beforeAll(async () => {
    receivedByServer = await page.converse({ level, scope, calls: attempts })
  })

  it('answers every call, and logs every byte that the server received', () => {
    expect(receivedByServer.given).toHaveLength(attempts.length)
    expect(receivedByServer.sent.map(({ body }) => body)).toEqual(receivedByServer.received)
    expect(receivedByServer.sent.map(({ bytes }) => bytes)).toEqual(
      receivedByServer.received.map((body) => Buffer.byteLength(body)),
    )
    expect(receivedByServer.sent[0]).toMatchObject({ what: 'question', rows: level < 2 ? 0 : 14 })
  })

  it('returns no result above the limits', () => {
    for (const { result } of receivedByServer.given) {
      if (result?.rows === undefined) continue
      expect(result.rows.length).toBeLessThanOrEqual(caps[level].rows)
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(caps[level].bytes)
      const { sent } = receivedByServer.steps.find(({ n }) => n === result.stepId) ?? {}
      expect(sent).toMatchObject({ bytes: Buffer.byteLength(JSON.stringify(result)), rows: result.rows.length })
    }
    for (const { error } of receivedByServer.given) expect((error ?? '').length).toBeLessThanOrEqual(3000)
  })

  it('sends neither locked columns nor tables out of scope', () => {
    expect(leaks(receivedByServer, [neverSecret, neverName, otherSecret, otherTable])).toEqual([])
    for (const secret of [neverSecret, neverName, otherSecret, otherTable, 'lohn']) {
      expect(holds(receivedByServer.received[0] ?? '', secret)).toBe(false)
    }
  })

  it(level < 2 ? 'the cell does not leave' : 'the cell leaves with the rows, which is what the level says', () => {
    const found = leaks(receivedByServer, [cellSecret])
    if (level < 2) expect(found).toEqual([])
    else expect(found.length).toBeGreaterThan(5)
    expect(receivedByServer.received[0]?.includes('zz note')).toBe(level >= 2)
    expect(receivedByServer.received[0]?.includes('"nullShare"')).toBe(level >= 1)
    if (level < 2) expect(receivedByServer.received[0]).not.toContain('Rareville')
  })

  it('asks the user at level 1 only, and not again after a refusal', () => {
    expect(receivedByServer.asked).toEqual(level === 1 ? [1] : [])
  })
})

describe('single rows at level 1', () => {
  it('are sent when the user allows them, asked for each result', async () => {
    const calls = [query(`FROM people WHERE note LIKE 'zebra%'`), query('SELECT note FROM people ORDER BY id')]
    const { given, asked, received } = await page.converse({ level: 1, scope, calls, rowsAnswer: 'allow' })
    expect(asked).toEqual([1, 2])
    expect(given[0]?.result?.rows[0]?.note).toBe(cellSecret)
    expect(given[1]?.result?.rows).toHaveLength(100)
    expect(received.join()).not.toContain(neverSecret)
  })

  const one = async (sql: string) => {
    const { given, asked } = await page.converse({ level: 1, scope, calls: [query(sql)] })
    const { result, error } = given[0] ?? {}
    if (error !== undefined) throw new Error(error)
    return asked.length > 0 ? 'asked' : JSON.stringify(result?.rows).includes('(rare value)') ? 'partly' : 'shown'
  }

  it.each([
    'SELECT region, count(*) AS n FROM people GROUP BY 1 ORDER BY 1',
    'SELECT count(*), avg(salary), min(salary), median(id) FROM people',
    `SELECT count(*) FROM people WHERE note LIKE 'zebra%'`,
    'SELECT DISTINCT region FROM people',
    'SELECT upper(region) AS r, sum(salary) FROM people GROUP BY 1',
    `SELECT region || ' / ' || city AS both, count(*) FROM people WHERE city <> 'Rareville' GROUP BY 1`,
    `SELECT CASE WHEN salary > 3000 THEN 'much' ELSE 'little' END AS pay, max(salary) FROM people GROUP BY 1`,
    'SELECT region, avg(salary) FROM people JOIN managers USING (region) GROUP BY 1 ORDER BY 2 LIMIT 2',
    'SELECT p.region, sum(o.amount) FROM people p JOIN orders o ON p.id = o.person GROUP BY 1',
    'SELECT region, n, sum(n) OVER (ORDER BY n) FROM (SELECT region, count(*) AS n FROM people GROUP BY 1)',
    'SELECT avg(n) FROM (SELECT note, count(*) AS n FROM people GROUP BY 1)',
    `SELECT round(100.0 * count(*) / (SELECT count(*) FROM people), 1) AS share FROM people WHERE region = 'North'`,
    'WITH a AS MATERIALIZED (SELECT region, sum(salary) AS s FROM people GROUP BY 1) SELECT * FROM a JOIN a b USING (region)',
    `PIVOT (FROM people WHERE city <> 'Rareville') ON region USING avg(salary) AS s, count(*) AS n GROUP BY city`,
    'SELECT sum(salary) FROM people WHERE id < 0',
    'DESCRIBE people',
    'SELECT 1 AS one, 2 AS two',
  ])('are not in %s', async (sql) => {
    expect(await one(sql)).toBe('shown')
  })

  it.each([
    'SELECT * FROM people LIMIT 1',
    'SELECT id, salary FROM people ORDER BY salary DESC LIMIT 3',
    'SELECT id, count(*) FROM people GROUP BY 1',
    'SELECT id, count(*) FROM people GROUP BY 1 ORDER BY 1 LIMIT 1',
    'SELECT id % 100 AS k, sum(salary) FROM people GROUP BY 1 LIMIT 3',
    'SELECT max(salary) FROM people WHERE id = 14',
    'SELECT salary, count(*) FROM people WHERE id = 14 GROUP BY 1',
    'SELECT region, arg_max(salary, id) FROM people GROUP BY 1',
    'SELECT list(salary) FROM people',
    'SELECT name, salary, count(*) FROM people, orders GROUP BY ALL',
    'SELECT p.name, sum(o.amount) AS revenue FROM people p JOIN orders o ON p.id = o.person GROUP BY 1 ORDER BY 2 DESC LIMIT 10',
    'SELECT salary, count(*) FROM people, orders GROUP BY 1',
    'SELECT salary, count(*) FROM people JOIN orders ON salary * 0 = amount * 0 GROUP BY 1',
    'SELECT manager, avg(salary) FROM people JOIN managers USING (region) GROUP BY 1',
    'SELECT manager FROM managers UNION SELECT region FROM people',
    'SELECT region, count(*) FROM people WHERE random() < 2 GROUP BY 1',
    'SELECT region, count(*) FROM people TABLESAMPLE 100% GROUP BY 1',
    'SELECT unnest(quantile_disc(salary, [0.1, 0.2, 0.3])) FROM people',
    'SELECT id, count(*) FROM people, range(10) GROUP BY 1',
    'SELECT p.salary FROM (SELECT max(id) AS id FROM people) JOIN people p USING (id)',
    'SELECT id, row_number() OVER (ORDER BY id) FROM people',
    'SELECT region, count(*) FROM people GROUP BY 1 UNION ALL SELECT name, id FROM people WHERE id = 3',
  ])('need consent in %s', async (sql) => {
    expect(await one(sql)).toBe('asked')
  })

  it.each([
    'SELECT city, count(*) AS n FROM people GROUP BY 1 ORDER BY 1',
    'SELECT min(note) FROM people',
    'SELECT region, mode(name) FROM people GROUP BY 1',
    `SELECT coalesce(CASE WHEN id = 14 THEN concat('#', note) END, 'rest') AS k, count(*) AS n FROM people GROUP BY 1`,
    `SELECT concat('#', city) AS k, avg(salary) FROM people GROUP BY 1`,
    `SELECT max(CASE WHEN id = 14 THEN list_aggregate(list_transform(string_split(note, ''), lambda x: ascii(x)::VARCHAR), 'string_agg', '.')[:20] END) AS k FROM people`,
  ])('have their texts hidden in %s', async (sql) => {
    expect(await one(sql)).toBe('partly')
  })

  it('need consent even through another step', async () => {
    const calls = [
      query('SELECT salary FROM people WHERE id = 14'),
      query('SELECT max(salary) FROM step_1'),
      query('SELECT id FROM people, range(9)'),
      query('SELECT id, count(*) FROM step_3 GROUP BY 1'),
      query('SELECT city, count(*) AS n FROM people GROUP BY 1'),
      query('FROM step_5 ORDER BY 1'),
      query('SELECT region, count(*) AS n FROM people GROUP BY 1'),
      query('FROM step_7 ORDER BY n LIMIT 1'),
      transform('data.map(({ n }) => ({ twice: n * 2 }))', 7),
    ]
    const { given, asked } = await page.converse({ level: 1, scope, calls, rowsAnswer: 'allow' })
    expect(given.map(({ error }) => error)).toEqual(calls.map(() => undefined))
    expect(asked).toEqual([1, 2, 3, 4, 6])
  })
})

describe.each([0, 1] as const)('a table with one row at level %i', (level) => {
  it('does not reveal its cells through a minimum, maximum, sum or average', async () => {
    const calls = [
      { name: 'get_column_stats', input: { column: 'bonus', table: 'chief' } },
      { name: 'get_value_distribution', input: { column: 'bonus', table: 'chief', limit: 5 } },
      query('SELECT min(bonus), count(*) FROM chief'),
      query('SELECT sum(bonus) FROM chief, range(10)'),
      query('SELECT avg(bonus) FROM chief JOIN people ON nr = id'),
      query('SELECT count(*) AS n FROM chief'),
    ]
    const { given, received, asked } = await page.converse({ level, scope: [...scope, 'chief'], calls })
    expect(received.join()).not.toContain('77123')
    expect(given.map(({ error }) => error)).toEqual(calls.map(() => undefined))
    expect(asked).toEqual(level === 1 ? [1] : [])
    expect(given.at(-1)?.result?.rows).toEqual(level === 1 ? [{ n: 1 }] : [])
    for (const { result } of given) expect(result).toMatchObject({ elapsedMs: expect.toSatisfy(isRoughTime) })
  })
})

const isRoughTime = (ms: number) => [100, 1000, 10_000, 100_000].includes(ms)

describe('rows of a small table next to a larger one', () => {
  const asked = async (...sqls: readonly string[]) => {
    const calls = sqls.map(query)
    const receivedByServer = await page.converse({ level: 1, scope: [...scope, 'staff'], calls, rowsAnswer: 'allow' })
    return receivedByServer.given.map(({ error, result }) =>
      error !== undefined ? 'refused' : receivedByServer.asked.includes(result?.stepId ?? 0) ? 'asked' : 'shown',
    )
  }

  it('need consent in a step even if a comment, a name or a text mentions the larger table', async () => {
    const fine = (n: number) => `SELECT sid, pay, count(*) AS n FROM step_${n} GROUP BY 1, 2`
    const receivedByServer = await asked(
      `SELECT s.* FROM e'staf\\x66' s, range(100) -- orders`,
      `SELECT s.* FROM staff s, range(100) -- orders`,
      fine(2),
      `SELECT orders.*, 'orders' AS o FROM 'staff' orders, range(100)`,
      fine(4),
    )
    expect(receivedByServer).toEqual(['refused', 'asked', 'asked', 'asked', 'asked'])
  })

  it.each([
    'SELECT x, count(*) AS n FROM (SELECT s.pay AS x, person + 0 AS pay FROM staff s, orders LIMIT 100000000) a JOIN people p ON a.pay = p.id GROUP BY 1',
    'SELECT x, count(*) AS n FROM (SELECT s.pay AS x, s.pay * 0 AS pay, o.person * 0 AS person FROM staff s, orders o) WHERE pay = person GROUP BY 1',
    'SELECT x, count(*) AS n FROM (SELECT s.pay AS x, s.pay % 400 + 1 pay, o.person FROM staff s, orders o) WHERE pay = person GROUP BY 1',
    'SELECT x, count(*) AS n FROM (SELECT s.pay, s.pay * 0, o.person * 0 FROM staff s, orders o) a(x, pay, person) WHERE pay = person GROUP BY 1',
    'WITH a(x, pay, person) AS (SELECT s.pay, s.pay * 0, o.person * 0 FROM staff s, orders o) SELECT x, count(*) AS n FROM a WHERE pay = person GROUP BY 1',
    `SELECT x, count(*) AS n FROM (SELECT s.pay AS x, COLUMNS('^pay$') * 0, o.person FROM staff s, orders o) WHERE pay * 0 = person * 0 GROUP BY 1`,
    `SELECT x, count(*) AS n FROM (SELECT pay AS x, COLUMNS('pay') * 0 FROM staff) a JOIN (SELECT COLUMNS('person') * 0 FROM orders) b ON a.pay = b.person GROUP BY 1`,
    'SELECT pay, count(*) AS n FROM staff JOIN (SELECT 69863 + 137 * person AS k FROM orders) ON k = pay GROUP BY 1',
    'SELECT pay, count(*) AS n FROM staff JOIN (SELECT 69863 + 137 * person AS person FROM orders) ON person = pay GROUP BY 1',
    'SELECT pay, count(*) AS n FROM staff, orders WHERE sid < 8 GROUP BY 1',
    'SELECT pay, count(*) AS n FROM staff, orders WHERE sid + 0 = 3 GROUP BY 1',
    'SELECT max(pay) FROM staff, range(10) WHERE sid = 3',
    'SELECT max(pay) FROM staff, orders WHERE sid = 3',
    'SELECT max(a.pay) FROM staff a, staff b WHERE a.sid = 3',
    'SELECT s.pay, count(*) AS n FROM staff s, (SELECT max(person) AS pay FROM orders GROUP BY amount) o JOIN people p ON o.pay = p.id GROUP BY 1',
  ])('need consent in %s', async (sql) => {
    expect(await asked(sql)).toEqual(['asked'])
  })

  it('need consent if an intermediate step renames the columns', async () => {
    const receivedByServer = await asked(
      'SELECT 69863 + 137 * person AS k FROM orders',
      'SELECT pay, count(*) AS n FROM staff JOIN step_1 ON k = pay GROUP BY 1',
    )
    expect(receivedByServer).toEqual(['asked', 'asked'])
  })

  it.each([
    'SELECT sid, count(*) AS n FROM staff JOIN orders ON sid = person GROUP BY 1',
    'SELECT s.sid AS sid, sum(o.amount) AS total FROM staff s JOIN orders o ON s.sid = o.person GROUP BY s.sid ORDER BY total DESC',
    'SELECT sum(o.amount) AS total FROM staff s JOIN orders o ON s.sid = o.person WHERE s.sid = 7',
    `SELECT p.city, sum(o.amount) AS total FROM people p JOIN orders o ON p.id = o.person WHERE p.region = 'North' AND city <> 'Rareville' GROUP BY 1`,
    'WITH o AS (SELECT person, amount FROM orders WHERE amount > 9) SELECT s.sid, avg(o.amount) FROM o JOIN staff s ON o.person = s.sid GROUP BY 1',
  ])('are not in %s', async (sql) => {
    expect(await asked(sql)).toEqual(['shown'])
  })
})

it('hides a row count that depends on a cell at level 0', async () => {
  const calls = [query('SELECT 1 FROM range((SELECT salary::BIGINT FROM people WHERE id = 14))')]
  const { given } = await page.converse({ level: 0, scope, calls })
  expect(given[0]?.result?.rowCount).toBe(1000)
})

describe('a level that is lowered while a call runs', () => {
  const distribution = { name: 'get_value_distribution', input: { column: 'note', table: 'people', limit: 400 } }
  const lowered = (to: number, call: PlayedCall) =>
    page.converse({ level: 2, lowersTo: to, scope, calls: [call, { name: 'list_tables', input: {} }] })

  it.each([
    distribution,
    { name: 'get_column_stats', input: { column: 'note', table: 'people' } },
    { name: 'sample_rows', input: { table: 'people', limit: 20 } },
    query('SELECT note FROM people'),
    query('SELECT CAST(note AS INTEGER) FROM people WHERE id = 14'),
    query('PIVOT (FROM people WHERE id < 20) ON note USING count(*)'),
  ])('applies to the result of that call: %j', async (call) => {
    for (const to of [0, 1]) {
      const { given, asked } = await lowered(to, call)
      expect(JSON.stringify(given)).not.toMatch(/zz note|zebra/)
      const isSummary = to === 1 && call.name === 'get_column_stats'
      expect(given[0]?.result?.rows.length ?? 0).toBe(isSummary ? 1 : 0)
      expect(asked).toEqual(to === 1 && given[0]?.error === undefined && !isSummary ? [1] : [])
    }
  })
})

describe('the tools on real tables', () => {
  it('answer both calls of one turn, find unusual names, respect the table, and correct errors', async () => {
    const stats = (input: object): PlayedCall => ({ name: 'get_column_stats', input: { thought: '', ...input } })
    const calls = [
      [query('SELECT 1 AS a'), query('SELECT 2 AS a')],
      ...['Größe', '价格', 'a"b', 'Price ($)'].map((column) => stats({ column })),
      { name: 'get_value_distribution', input: { column: 'Größe', limit: 2 } },
      stats({ column: 'region', table: 'managers' }),
      stats({ column: 'region' }),
      stats({ column: 'salry' }),
      query('SELECT salry FROM people'),
      query('SELECT * FROM peple'),
      query('SELECT * FROM people'),
      transform('[]', 1),
      transform('[{ a: 1 }, { b: new Set([1, 2]).size }]', 1),
      query('FROM range(12000) t(i)'),
      query('SELECT count(*) AS n, max(i) AS i FROM step_14'),
    ]
    const { given } = await page.converse({ level: 3, scope: [...scope, 'Größen'], calls })
    const rowsOf = (index: number) => given[index]?.result?.rows
    expect(new Set([given[0]?.result?.stepId, given[1]?.result?.stepId])).toEqual(new Set([1, 2]))
    expect([2, 3, 4, 5].map((index) => rowsOf(index)?.[0]?.rows)).toEqual([30, 30, 30, 30])
    expect(rowsOf(6)).toEqual([
      { value: 0, count: 10, percent: 33.33 },
      { value: 1, count: 10, percent: 33.33 },
    ])
    expect(rowsOf(7)?.[0]).toMatchObject({ rows: 4, distinct: 4 })
    expect(given[8]?.error).toContain('Several tables have a column "region": "people", "managers"')
    expect(given[9]?.error).toContain('Near: "salary"')
    expect(given[10]?.error).toContain('Near: "salary"')
    expect(given[11]?.error).toContain('Near: "people"')
    expect(given[12]?.result).toMatchObject({ rowCount: 400, truncated: true })
    expect(given[13]?.result).toMatchObject({ rowCount: 0, rows: [] })
    expect(rowsOf(14)).toEqual([
      { a: 1, b: null },
      { a: null, b: 2 },
    ])
    expect(given[15]?.result).toMatchObject({ rowCount: 12_000, truncated: true })
    expect(rowsOf(16)).toEqual([{ n: 12_000, i: 11_999 }])
    expect(page.trouble()).toEqual([])
  })
})
