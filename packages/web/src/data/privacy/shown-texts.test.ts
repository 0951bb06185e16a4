import { expect, it } from 'vitest'
import { countedTexts, isLabel } from './shown-texts.ts'

const rows = (count: string) => ({
  columns: ['k', count].map((name) => ({ name, type: 'VARCHAR' })),
  rows: [['many', 12], ['few', 4], ['both', 9], ['both', 1n]], // biome-ignore format: a table
})

it.each([
  ['SELECT lower(a), count(*) FROM t GROUP BY 1', 'count_star()'],
  ['SELECT lower(a) AS k, count(*) AS n FROM t GROUP BY 1 ORDER BY n', 'n'],
  ['SELECT lower(a) AS k, COUNT( * ) "n" FROM t GROUP BY 1', 'n'],
])('finds texts next to a count of five in %s', (code, count) => {
  expect([...countedTexts(rows(count), code)]).toEqual(['many'])
})

it.each([
  ['SELECT lower(a) AS k, sum(b) AS n FROM t GROUP BY 1', 'n'],
  ['SELECT lower(a) AS k, 100 AS n FROM (SELECT count(*) AS n FROM t)', 'n'],
  ['SELECT lower(a) AS k, 100 AS "count_star()" FROM t', 'count_star()'],
  ['SELECT lower(a) AS k, max(b) AS n -- count(*) AS n\n FROM t GROUP BY 1', 'n'],
])('finds none in %s', (code, count) => {
  expect(countedTexts(rows(count), code).size).toBe(0)
})

it.each([
  ...['2026-09', '2026-09-03', '2026-09-03 12:30:15', '2026-09-03T12:30:15+00', '2026/9/3', '03.09.2026', '12:30'],
  ...['Q3 2026', '2026-Q3', '2026 W07', 'Q1 2026 - Q2 2026', '2026-09 to 2026-10', '03 Sep', 'Sep 2026', '3 Sep 2026'],
  ...['10–20 %', '[10, 20)', '<= 1,000.50 €', '1.000,5 - 2.000', '0-9', '1,000-2,000', '> 5', '-12.5', 'Mon', '9 am'],
])('treats %s as a label', (text) => {
  expect(isLabel(text)).toBe(true)
})

it.each([
  ...['78.97.109.101.54', '78,97,109,101', '78 97 109 101', '78-97-109', '78:97:109', '78.97.109', '078/097/109'],
  ...['+49 171 5550000', '192.168.1.10', '78.97-109.101-54', 'Name6', '1 to 2 to 3'],
])('does not treat %s as a label', (text) => {
  expect(isLabel(text)).toBe(false)
})
