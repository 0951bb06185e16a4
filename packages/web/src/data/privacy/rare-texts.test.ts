import { expect, it } from 'vitest'
import type { Cell } from '../domain/cells.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import { rareTexts, type ShownWith, type TextSource } from './rare-texts.ts'

const source = (name: string, rowCount: number, type = 'VARCHAR'): TextSource => ({
  name,
  rowCount,
  columns: [
    { name: 'a"b', type },
    { name: 'n', type: 'BIGINT' },
  ],
})

async function find(
  texts: readonly string[],
  counts: Record<string, Record<string, number>>,
  given: Partial<ShownWith> = {},
) {
  const asked: string[] = []
  const engine: Pick<QueryEngine, 'read'> = {
    async read(sql) {
      asked.push(sql)
      const table = Object.keys(counts).find((name) => sql.includes(`FROM "${name}"`)) ?? ''
      const isAlike = sql.includes('lower(trim(')
      const rows = Object.entries(counts[table] ?? {})
        .map(([text, n]): Cell[] => [isAlike ? text.trim().toLowerCase() : text, n])
        .filter(([text]) => sql.includes(`'${String(text).replaceAll("'", "''")}'`))
      return { columns: [], rows, rowCount: rows.length, elapsedMs: 1, ipc: null }
    },
  }
  const sources = Object.keys(counts).map((name) => source(name, name === 't' ? 1000 : 10))
  const rare = await rareTexts(engine, texts, {
    code: '',
    names: [],
    sources,
    allowsDerived: () => true,
    ...given,
    read: { author: 'model', timeoutMs: 1 },
  })
  return { rare: [...rare], asked }
}

it('treats texts of fewer than five rows as rare', async () => {
  const { rare, asked } = await find(['North', "O'Hara"], { t: { North: 5, "O'Hara": 4 } })
  expect(rare).toEqual(["O'Hara"])
  expect(asked[0]).toContain(`WHERE "a""b" IN ('North', 'O''Hara')`)
})

it('ignores case and spaces, and runs a second query only if needed', async () => {
  expect(await find(['NORTH'], { t: { ' north': 5 } })).toMatchObject({ rare: [] })
  expect((await find(['North'], { t: { North: 5 } })).asked).toHaveLength(1)
  expect((await find(['ANN'], { t: { Ann: 1 } })).rare).toEqual(['ANN'])
})

it('treats a text of one row in a small table as rare, even next to larger tables', async () => {
  expect((await find(['Ann'], { t: {}, people: { Ann: 1 } })).rare).toEqual(['Ann'])
  expect((await find(['Depot 3'], { t: { 'Depot 3': 7 }, depots: { 'Depot 3': 1 } })).rare).toEqual([])
})

it('shows texts of the query or the schema without a check', async () => {
  const given = { code: `SELECT CASE WHEN x THEN 'late' END`, names: ['Region'], allowsDerived: () => false }
  expect(await find(['late', 'region'], { t: {} }, given)).toEqual({ rare: [], asked: [] })
})

it('shows a text of no table only if it is a grouping value, and always shows periods', async () => {
  expect((await find(['North / A', '2026-09', 'Q3 2026'], { t: {} })).rare).toEqual([])
  expect((await find(['North / A', '2026-09', '03 Sep'], { t: {} }, { allowsDerived: () => false })).rare).toEqual([
    'North / A',
  ])
})
