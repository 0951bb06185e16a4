import { beforeAll, describe, expect, it } from 'vitest'
import { type NodeDuckDb, openNodeDuckDb } from './node-duckdb.fixture.ts'
import { toEngineError } from './to-engine-error.ts'

describe('functions that DuckDB keeps in extensions, on the real DuckDB', () => {
  let duck: NodeDuckDb
  beforeAll(async () => {
    duck = await openNodeDuckDb('tables_of_this_test')
    duck.rows(`CREATE TABLE t AS SELECT '2024-01-05' AS a, DATE '2024-02-05' AS d, TIMESTAMP '2024-01-01 10:00' AS ts,
      1700000000 AS seconds, '{"x":1}' AS j`)
  })

  const said = (sql: string): string => {
    try {
      return JSON.stringify(duck.rows(sql))
    } catch (error) {
      return toEngineError(error).message
    }
  }

  const localDay = (): string => {
    const now = new Date()
    return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}-${String(now.getDate()).padStart(2, '0')}`
  }

  it('returns the local day for current_date and today(), in SELECT and in WHERE', () => {
    const before = localDay()
    const [row] = duck.rows('SELECT CAST(current_date AS VARCHAR), CAST(today() AS VARCHAR)')
    // The query may run over midnight.
    expect([before, localDay()]).toContain(row?.[0])
    expect(row?.[1]).toBe(row?.[0])
    expect(said('SELECT a FROM t WHERE d < current_date AND ts < localtimestamp')).toBe('[["2024-01-05"]]')
    expect(said('SELECT typeof(current_date), typeof(localtime), typeof(current_time)')).toBe(
      '[["DATE","TIME","TIME"]]',
    )
  })

  it('prefers a column with the name of a function', () => {
    expect(said('SELECT current_date FROM (SELECT 5 AS current_date)')).toBe('[[5]]')
  })

  it('reads seconds since 1970 as a TIMESTAMP that casts to a day and truncates to a month', () => {
    expect(
      said(`SELECT CAST(to_timestamp(seconds) AS VARCHAR), typeof(to_timestamp(seconds)),
      CAST(CAST(to_timestamp(seconds) AS DATE) AS VARCHAR), CAST(date_trunc('month', to_timestamp(seconds)) AS VARCHAR) FROM t`),
    ).toBe('[["2023-11-14 22:13:20","TIMESTAMP","2023-11-14","2023-11-01"]]')
    expect(said(`SELECT to_timestamp(a, '%Y-%m-%d') FROM t`)).toContain('Read text with strptime(text, format)')
  })

  it.each([
    [`SELECT ts AT TIME ZONE 'UTC' FROM t`, 'ICU'],
    [`SELECT date_trunc('day', now())`, 'ICU'],
    ['SELECT CAST(now() AS DATE)', 'ICU'],
    [`SELECT strftime(now(), '%Y')`, 'ICU'],
    [`SELECT 'a' COLLATE de`, 'ICU'],
    [`SELECT json_extract(j, '$.x') FROM t`, 'JSON'],
    [`SELECT j->>'x' FROM t`, 'JSON'],
    ['SELECT j::JSON FROM t', 'JSON'],
    ['SELECT to_json(t) FROM t', 'JSON'],
  ])('names the extension that %s needs, and does not call it a write', (sql, extension) => {
    expect(said(sql)).toContain(`This needs DuckDB's ${extension} extension, which this page does not have`)
    expect(said(sql)).not.toMatch(/Only reading|INSTALL|LOAD|autoload|disabled/)
  })

  it.each([
    `SELECT date_diff('day', a, d) FROM t`,
    `SELECT date_trunc('month', a) FROM t`,
    'SELECT year(a) FROM t',
    `SELECT strftime(a, '%Y') FROM t`,
    'SELECT a + INTERVAL 1 DAY FROM t',
  ])('suggests a cast for text in %s', (sql) => {
    expect(said(sql)).toContain('An argument is text: cast it first, as in CAST(x AS DATE)')
    expect(said(sql)).not.toContain('extension')
  })

  it('does not suggest a date cast for an average of text', () => {
    expect(said('SELECT avg(a) FROM t')).not.toMatch(/cast it first|extension, which/)
  })

  it('says that only reading is allowed when a statement changes the configuration', () => {
    expect(said('SET lock_configuration = false')).toBe('Only reading is allowed here.')
  })
})
