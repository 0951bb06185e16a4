import { describe, expect, it } from 'vitest'
import { type GuardRules, judge } from './guard.ts'
import { tokensOf } from './sql-tokens.fixture.ts'

const rules: GuardRules = {
  author: 'model',
  hidden: ['Salaries'],
  builtIn: {
    catalogViews: new Set(['duckdb_columns', 'pg_class']),
    tableFunctions: new Set(['read_csv', 'range', 'histogram', 'query']),
    alsoValues: new Set(['range', 'histogram']),
  },
}
const refusal = (sql: string, author: GuardRules['author'] = 'model') =>
  judge(sql, tokensOf(sql), { ...rules, author }).refusal

describe('the SQL guard', () => {
  it('allows one reading statement, without its terminator', () => {
    const sql = '-- first\nSELECT 1 ; ; -- last'
    expect(judge(sql, tokensOf(sql), rules)).toEqual({ refusal: null, sql: '-- first\nSELECT 1', explains: null })
  })

  it('finds where the explained statement starts', () => {
    const sql = 'EXPLAIN (ANALYZE, FORMAT JSON) FROM t'
    expect(judge(sql, tokensOf(sql), rules)).toMatchObject({ refusal: null, explains: sql.indexOf('FROM') })
    expect(refusal('EXPLAIN ANALYZE DROP TABLE t')).toContain('starts with DROP')
    expect(refusal('EXPLAIN (SELECT 1)')).toBeNull()
  })

  it.each(['person', 'model'] as const)('refuses a second statement and non-reading statements of a %s', (author) => {
    expect(refusal('SELECT 1; SELECT 2', author)).toContain('more after the semicolon')
    expect(refusal("COPY t TO 'x'", author)).toContain('starts with COPY')
    expect(refusal('"SELECT" 1', author)).toContain('starts with')
    expect(refusal('', author)).toContain('contains none')
    expect(judge('SELECT U&', null, { ...rules, author }).refusal).toContain('cannot be parsed safely')
  })

  it.each(["FROM enable_logging('Metrics')", 'SELECT "nextval"(\'s\')', 'SELECT system.main.write_log(note) FROM t'])(
    'refuses %s for every author, because it has side effects',
    (sql) => {
      expect(refusal(sql)).not.toBeNull()
      expect(refusal(sql, 'person')).toContain('has side effects')
    },
  )

  it.each([
    'SELECT count(*) FROM t ORDER BY 1 DESC',
    'SELECT \'Salaries\', "salaries" FROM t WHERE salaries = 1',
    'SELECT salaries, histogram(x) FROM t GROUP BY salaries',
    'SELECT f(a, histogram(x)) FROM range(3)',
    'SELECT 1 AS show, t.show FROM t',
    'SELECT pg_rating FROM t',
    'DESCRIBE t',
    'SELECT CASE WHEN a THEN b END, histogram(x) FROM t',
    "SELECT 'step_1' FROM t WHERE a LIKE e'a\\tb' OR a IN ('step_2', e'\\\\d+', e'it\\'s')",
    "FROM (VALUES (e'a\\tb'), (e'c\\td')) v(x) WHERE x <> 'plain'",
  ])('allows a model to read %s', (sql) => {
    expect(refusal(sql)).toBeNull()
  })

  it.each([
    'FROM quarterdeck_kept.main.t',
    "FROM t WHERE 'QUARTERDECK_KEPT' = x",
    'FROM salaries',
    'FROM t, u JOIN v ON a = CASE WHEN b THEN c END, "Salaries"',
    "FROM a: 'salaries'",
    'FROM (salaries JOIN t ON true)',
    "FROM t, main.histogram('x', y)",
    "SELECT * FROM query('FROM t')",
    'SELECT "read_csv"(\'x\')',
    'FROM duckdb_columns',
    "FROM 'pg_class'",
    'FROM information_schema.tables',
    'FROM (SHOW TABLES)',
    'DESC',
    '(DESCRIBE)',
    'EXPLAIN DESC tables',
    "SELECT getvariable('x')",
    'SELECT stats(note) FROM t',
    'SELECT current_query()',
    "SELECT 1 FROM t WHERE a = 'pg_class'",
    "FROM e'duckdb\\x5fcolumns'",
    "FROM ONLY E'pg\\137class'",
    "FROM e'salar\\u0069es'",
    "FROM e'step\\x5f1' LIMIT 0",
    "DESCRIBE e'step\\x5f1'",
    "SELECT s.* FROM e'staf\\x66' s, range(100) -- orders",
    "FROM t, e'st\\u0061ff'",
    "FROM SOMETHING NEW e'st\\141ff'",
    "FROM ONLY e'st\\x61ff'",
    "FROM t JOIN e'it\\x27s' ON true",
    "FROM t JOIN 'step_1' ON true",
    'FROM t, $$Step_1$$',
    'SELECT error/**/(note) FROM t',
    'SELECT "error" (note) FROM t',
  ])('refuses %s for a model, but not for the user', (sql) => {
    expect(refusal(sql)).not.toBeNull()
    expect(refusal(sql, 'person')).toBeNull()
  })
})
