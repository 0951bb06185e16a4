import { expect, it } from 'vitest'
import type { ImportedTable } from '../domain/imported-table.ts'
import { firstScope, joinedScope } from './default-scope.ts'

const table = (name: string, more: Partial<ImportedTable> = {}): ImportedTable => ({
  name,
  rowCount: 3,
  columns: [],
  neverSent: [],
  rejectedCount: 0,
  rejected: [],
  isKept: true,
  source: { file: name, format: 'csv', sizeBytes: 1, fingerprint: 'f' },
  addedAt: '2026-01-01T00:00:00Z',
  ...more,
})

it('includes every table that has rows and is not added by hand', () => {
  const tables = [
    table('sales'),
    table('empty', { rowCount: 0 }),
    table('made', { joinsByHand: true }),
    table('depots'),
  ]
  expect(firstScope(tables)).toEqual(['sales', 'depots'])
})

const many = Array.from({ length: 62 }, (_, n) =>
  table(`t${n}`, { addedAt: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString() }),
)

it('starts with the ten newest tables if there are more', () => {
  expect(firstScope(many)).toEqual(many.slice(52).map(({ name }) => name))
  expect(firstScope(many.slice(0, 10))).toHaveLength(10)
})

it('adds new tables to the scope of an open analysis, up to ten tables', () => {
  expect(joinedScope(['sales'], [table('depots'), table('sales'), table('made', { joinsByHand: true })])).toEqual([
    'sales',
    'depots',
  ])
  expect(joinedScope(['sales'], many)).toHaveLength(10)
  const twelve = many.slice(0, 12).map(({ name }) => name)
  expect(joinedScope(twelve, [table('depots')])).toEqual(twelve)
})
