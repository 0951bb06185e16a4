// Table profiles from the real engine, without a model.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Harness, openHarness } from './support/analysis-harness.ts'

/** Shared by all tests, on the page. */
declare global {
  var engine: import('../../packages/web/src/data/domain/query-engine.ts').QueryEngine
}

let harness: Harness<'duck' | 'profile' | 'joins' | 'privacy'>
beforeAll(async () => {
  harness = await openHarness('duck', 'profile', 'joins', 'privacy')
  await harness.run(async ({ modules }) => {
    globalThis.engine = await modules.duck.createQueryEngine({})
  })
})
afterAll(() => harness?.close())

type Types = Readonly<Record<string, string>>

const profileOf = (csv: string, types: Types) =>
  harness.run(
    async ({ modules, csv, types }) => {
      await engine.addCsv({
        name: 'a "table"',
        bytes: new TextEncoder().encode(csv),
        delimiter: ',',
        hasHeader: true,
        columns: Object.entries(types).map(([name, type]) => ({ name, type })),
      })
      const profile = await modules.profile.profileTable(engine, 'A "table"')
      return profile
    },
    { csv, types },
  )

it('returns counts, ranges, quartiles, bins, frequent values and remarks', async () => {
  const rows = Array.from({ length: 100 }, (_, n) =>
    [
      ...[n + 1, ['Oslo', 'Bergen', 'Oslo', ''][n % 4], n === 99 ? 5000 : (n % 10) / 2, n % 3],
      ...[`2026-01-${String((n % 9) + 1).padStart(2, '0')}`, `2026-01-01 ${String(n % 24).padStart(2, '0')}:00:00`],
      ...[n % 2 === 0, n < 81 ? '' : n, ` ${n}`, 'same'],
    ].join(','),
  )
  const types = {
    id: 'BIGINT',
    Größe: 'VARCHAR',
    'am"ount': 'DOUBLE',
    qty: 'BIGINT',
    day: 'DATE',
    at: 'TIMESTAMP',
    flag: 'BOOLEAN',
    gap: 'BIGINT',
    text: 'VARCHAR',
    same: 'VARCHAR',
  }
  const header = Object.keys(types).map((name) => `"${name.replaceAll('"', '""')}"`)
  const profile = await profileOf(`${header.join()}\n${rows.join('\n')}\n`, types)
  expect(profile).toMatchObject({ table: 'a "table"', rowCount: 100, duplicateRows: 0 })
  const column = (name: string) => profile.columns.find((one) => one.column.name === name)
  expect(column('id')).toMatchObject({ isUnique: true, nulls: 0, distinct: 100, range: { min: 1, max: 100 }, top: [] })
  expect(column('id')?.quantiles).toEqual({ q25: 25.75, median: 50.5, q75: 75.25, mean: 50.5 })
  expect(column('id')?.bins).toHaveLength(20)
  expect(column('id')?.bins.reduce((sum, { count }) => sum + count, 0)).toBe(100)
  expect(column('Größe')).toMatchObject({ kind: 'text', nulls: 25, distinct: 2, remarks: ['25 % empty'] })
  expect(column('Größe')?.top).toEqual([
    { value: 'Oslo', count: 50 },
    { value: 'Bergen', count: 25 },
  ])
  expect(column('am"ount')?.remarks).toContain('some values are far from the others')
  expect(column('qty')?.bins).toEqual([
    { label: '0', count: 34 },
    { label: '1', count: 33 },
    { label: '2', count: 33 },
  ])
  expect(column('qty')?.top[0]).toEqual({ value: 0, count: 34 })
  expect(column('day')).toMatchObject({ kind: 'date', range: { min: '2026-01-01', max: '2026-01-09' } })
  expect(column('day')?.bins.map(({ label }) => label)).toEqual(
    Array.from({ length: 9 }, (_, n) => `2026-01-0${n + 1}`),
  )
  expect(column('at')?.quantiles).toMatchObject({ q25: '2026-01-01T05:00:00' })
  expect(column('flag')?.top).toEqual([
    { value: false, count: 50 },
    { value: true, count: 50 },
  ])
  expect(column('gap')?.remarks).toContain('81 % empty')
  expect(column('text')?.remarks).toEqual(['text that looks like numbers', 'spaces around some values'])
  expect(column('same')?.remarks).toEqual(['every row the same'])
})

it('counts duplicate rows, and accepts an empty table', async () => {
  const twice = await profileOf('a,b\n1,x\n1,x\n2,\n2,\n2,y\n', { a: 'BIGINT', b: 'VARCHAR' })
  expect(twice.duplicateRows).toBe(2)
  const empty = await profileOf('a,b,c\n', { a: 'BIGINT', b: 'VARCHAR', c: 'DATE' })
  expect(empty.columns.map(({ bins, top, range }) => [bins, top, range])).toEqual([
    [[], [], null],
    [[], [], null],
    [[], [], null],
  ])
})

it('profiles hundreds of thousands of rows with fifteen columns', async () => {
  const seen = await harness.run(async ({ modules }) => {
    const lines = ['id,city,a,b,c,d,e,f,g,h,day,at,flag,note,mail']
    for (let n = 0; n < 300_000; n += 1) {
      const at = new Date(1.7e12 + n * 30_000).toISOString()
      const r = (n * 7919) % 1009
      lines.push(
        `${n},city${r % 40},${r},${r / 7},${n % 9},${r * r},${n / 3},${r % 2},${n % 1000},${n % 7},${at.slice(0, 10)},${at.slice(0, 19)},${r % 2 === 0},note ${r},u${n}@x`,
      )
    }
    const names = lines[0]?.split(',') ?? []
    const types: Types = {
      city: 'VARCHAR',
      note: 'VARCHAR',
      mail: 'VARCHAR',
      day: 'DATE',
      at: 'TIMESTAMP',
      flag: 'BOOLEAN',
    }
    await engine.addCsv({
      name: 't',
      bytes: new TextEncoder().encode(lines.join('\n')),
      delimiter: ',',
      hasHeader: true,
      columns: names.map((name) => ({ name, type: types[name] ?? 'DOUBLE' })),
    })
    const { columns, ...profile } = await modules.profile.profileTable(engine, 't')
    const stop = new AbortController()
    stop.abort()
    const cancelled = await modules.profile.profileTable(engine, 't', stop.signal).catch(({ problem }) => problem)
    const facts = columns.map(({ column, distinct, isUnique }) => [column.name, distinct, isUnique])
    return { ...profile, facts, cancelled }
  })
  expect(seen).toMatchObject({ rowCount: 300_000, duplicateRows: 0, cancelled: 'cancelled' })
  expect(seen.facts[0]).toEqual(['id', 300_000, true])
  expect(seen.facts.at(-1)).toEqual(['mail', 300_000, true])
  expect(seen.facts[1]).toEqual(['city', 40, false])
})

it('describes tables to the model with the counts of the profile, and marks estimates for a long table', async () => {
  const described = await harness.run(async ({ modules }) => {
    const add = async (name: string, count: number) => {
      const lines = Array.from({ length: count }, (_, n) => `${n * 7},${(n % 12) + 1},${n < 239 ? `v${n}` : ''}`)
      await engine.addCsv({
        name,
        bytes: new TextEncoder().encode(`id,month,few\n${lines.join('\n')}\n`),
        delimiter: ',',
        hasHeader: true,
        columns: [
          { name: 'id', type: 'BIGINT' },
          { name: 'month', type: 'BIGINT' },
          { name: 'few', type: 'VARCHAR' },
        ],
      })
      const known = (await engine.tables()).filter((table) => table.name === name)
      const [table] = await modules.privacy.describeTables(engine, known, { level: 1 })
      await engine.drop(name)
      return table?.columns.map(({ summary }) => summary) ?? []
    }
    return { short: await add('short', 6000), long: await add('long', 200_001) }
  })
  expect(described.short.map((summary) => summary?.distinct)).toEqual([6000, 12, 239])
  expect(JSON.stringify(described.short)).not.toContain('isDistinctApproximate')
  const [id, month, few] = described.long
  expect([id, month, few].map((summary) => summary?.isDistinctApproximate)).toEqual([true, true, true])
  expect(Math.abs((id?.distinct ?? 0) - 200_001)).toBeLessThan(20_000)
  expect(few?.distinct).toBeLessThanOrEqual(239)
})

it('suggests joins with their match rate, with the key on the right', async () => {
  const joins = await harness.run(async ({ modules }) => {
    const add = (name: string, csv: string, types: Types) =>
      engine.addCsv({
        name,
        bytes: new TextEncoder().encode(csv),
        delimiter: ',',
        hasHeader: true,
        columns: Object.entries(types).map(([column, type]) => ({ name: column, type })),
      })
    await add('depots', 'id,name,region\n1,A,N\n2,B,N\n3,C,S\n', { id: 'BIGINT', name: 'VARCHAR', region: 'VARCHAR' })
    await add('deliveries', 'id,depot_id,region\n1,1,N\n2,1,S\n3,2,S\n4,9,N\n', {
      id: 'BIGINT',
      depot_id: 'BIGINT',
      region: 'VARCHAR',
    })
    const tables = (await engine.tables()).filter(({ name }) => name.startsWith('de'))
    const found = await modules.joins.suggestJoins(engine, tables)
    return found
  })
  expect(joins).toEqual([
    { left: { table: 'deliveries', column: 'depot_id' }, right: { table: 'depots', column: 'id' }, matchRate: 2 / 3 },
  ])
})
