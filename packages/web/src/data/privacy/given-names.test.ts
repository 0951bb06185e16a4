import { expect, it } from 'vitest'
import { createGivenNames } from './given-names.ts'

it.each([
  'SELECT person + 0 AS pay FROM t',
  'SELECT person + 0 "Pay" FROM t',
  'SELECT count(*) pay FROM t',
  "SELECT x + 1 AS 'pay' FROM t",
  'SELECT pay: person + 0 FROM t',
  "SELECT r.pay FROM (SELECT {'pay': 1} AS r)",
  'SELECT r.pay FROM (SELECT struct_pack(pay := 1) AS r)',
  'SELECT 1 * s.pay AS pay FROM s',
  'SELECT -pay AS pay FROM s',
  'FROM (SELECT a, b FROM t) x(y, pay)',
  'FROM t AS x(pay)',
  'FROM t x(pay, y)',
  'WITH a(x, pay) AS (FROM t) FROM a',
  'WITH b AS (FROM t), a(x, pay) AS MATERIALIZED (FROM t) FROM a',
  'WITH RECURSIVE a(pay) AS (SELECT 1) FROM a',
  'SELECT * REPLACE (pay * 0 AS pay) FROM t',
  'SELECT * RENAME (sid AS pay) FROM t',
  "SELECT COLUMNS('p') * 0 FROM t",
  'UNPIVOT t ON a, b INTO NAME x VALUE pay',
  'SELECT CASE WHEN a THEN b END pay FROM t',
])('finds the alias in %s', (sql) => {
  expect(createGivenNames(['FROM t', sql])('PAY')).toBe(true)
})

it.each([
  'SELECT pay, sum(pay) AS total FROM s JOIN t USING (pay) WHERE pay > 1 GROUP BY pay ORDER BY pay DESC',
  'SELECT s.pay AS pay, t.x FROM s JOIN t ON s.pay = t.id AND t.pay = s.id',
  'SELECT DISTINCT pay AS pay FROM s -- 1 AS pay',
  'SELECT a, round(sum(pay), 2) AS x, max(a, pay) AS y FROM t GROUP BY ALL HAVING max(pay) > 1',
  'SELECT CASE WHEN pay IN (1, 2) THEN pay ELSE pay END AS x, CAST(pay AS INT), pay::INT FROM t',
  'WITH a AS (SELECT pay, count(DISTINCT pay) FROM t) SELECT extract(year FROM pay) FROM a',
])('finds no alias in %s', (sql) => {
  expect(createGivenNames([sql])('pay')).toBe(false)
})
