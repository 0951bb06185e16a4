import { expect, it } from 'vitest'
import { countedTexts } from './shown-texts.ts'

const rows = (count: string) => ({
  columns: ['k', count].map((name) => ({ name, type: 'VARCHAR' })),
  ...{ rows: [['many', 12], ['few', 4], ['both', 9], ['both', 1n]] }, // biome-ignore format: a table
})

it.each([
  ['SELECT lower(a), count(*) FROM t GROUP BY 1', 'count_star()'],
  ['SELECT lower(a) AS k, count(*) AS n FROM t GROUP BY 1 ORDER BY n', 'n'],
  ['SELECT lower(a) AS k, COUNT( * ) "n" FROM t GROUP BY 1', 'n'],
])('knows the texts beside a count of five in %s', (code, count) => {
  expect([...countedTexts(rows(count), code)]).toEqual(['many'])
})

it.each([
  ['SELECT lower(a) AS k, sum(b) AS n FROM t GROUP BY 1', 'n'],
  ['SELECT lower(a) AS k, 100 AS n FROM (SELECT count(*) AS n FROM t)', 'n'],
  ['SELECT lower(a) AS k, 100 AS "count_star()" FROM t', 'count_star()'],
  ['SELECT lower(a) AS k, max(b) AS n -- count(*) AS n\n FROM t GROUP BY 1', 'n'],
])('knows none in %s', (code, count) => {
  expect(countedTexts(rows(count), code).size).toBe(0)
})
