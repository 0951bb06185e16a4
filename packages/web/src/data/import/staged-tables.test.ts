import { expect, it } from 'vitest'
import type { QueryEngine } from '../domain/query-engine.ts'
import { createStagedTables } from './staged-tables.ts'

it('hides locked columns before a table has its name, ignoring case', async () => {
  const done: string[] = []
  const names: string[] = []
  const engine = {
    setNeverSent: async (table: string, columns: readonly string[]) =>
      void done.push(`hide ${columns} of ${names.indexOf(table)}`),
    drop: async (table: string) => void done.push(`drop ${table}`),
    rename: async (from: string, to: string) => void done.push(`name ${names.indexOf(from)} ${to}`),
  } as Partial<QueryEngine> as QueryEngine // the other methods are not called
  const arrivals = createStagedTables(engine, (table) => (table === 'people' ? ['email', 'gone'] : []))
  const columns = ['id', 'Email'].map((name) => ({ name, type: 'VARCHAR' }))
  const add = (wanted: string) =>
    arrivals.add(wanted, async (_, name) => {
      names.push(name)
      return { facts: { name, rowCount: 1, columns, neverSent: [] }, rejectedCount: 0, rejected: [] }
    })
  const settled = await arrivals.settle([await add('people'), await add('orders')])
  expect(done).toEqual(['hide Email of 0', 'drop people', 'name 0 people', 'drop orders', 'name 1 orders'])
  expect(settled.map(({ facts }) => [facts.name, facts.neverSent])).toEqual([
    ['people', ['Email']],
    ['orders', []],
  ])
})
