import { expect, it } from 'vitest'
import { joinPairs } from './join-pairs.ts'

const table = (name: string, columns: Readonly<Record<string, string>>) => ({
  name,
  columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
})
const pairsOf = (...tables: readonly ReturnType<typeof table>[]) =>
  joinPairs(tables).map(({ left, right }) => `${left.table}.${left.column} = ${right.table}.${right.column}`)

it('recognizes a key by the singular name of its table, in any spelling', () => {
  const depots = table('depots', { id: 'BIGINT', name: 'VARCHAR' })
  expect(pairsOf(table('deliveries', { depot_id: 'BIGINT' }), depots)).toEqual(['deliveries.depot_id = depots.id'])
  expect(pairsOf(table('deliveries', { depotId: 'BIGINT' }), depots)).toEqual(['deliveries.depotId = depots.id'])
  expect(pairsOf(table('deliveries', { depot: 'VARCHAR' }), depots)).toEqual(['deliveries.depot = depots.name'])
  expect(pairsOf(table('a', { 'Category ID': 'BIGINT' }), table('categories', { Id: 'INTEGER' }))).toEqual([
    'a.Category ID = categories.Id',
  ])
})

it('pairs columns with the same name once, and keys before others', () => {
  const one = table('orders', { region: 'VARCHAR', sku: 'VARCHAR', customer_id: 'BIGINT' })
  const other = table('customers', { customer_id: 'BIGINT', Region: 'VARCHAR' })
  expect(pairsOf(one, other)).toEqual([
    'orders.customer_id = customers.customer_id',
    'orders.region = customers.Region',
  ])
})

it('does not pair unrelated ids, or numbers with words', () => {
  expect(pairsOf(table('a', { id: 'BIGINT' }), table('b', { id: 'BIGINT' }))).toEqual([])
  expect(pairsOf(table('a', { code: 'BIGINT' }), table('b', { code: 'VARCHAR' }))).toEqual([])
})

it('compares each name of two wide tables a few times, not with every other', () => {
  let looks = 0
  const wide = (name: string) => ({
    name,
    columns: Array.from({ length: 1000 }, (_, at) => ({
      type: 'BIGINT',
      get name() {
        looks += 1
        return `c${at}`
      },
    })),
  })
  expect(joinPairs([wide('a'), wide('b')])).toHaveLength(1000)
  expect(looks).toBeLessThan(20_000)
})
