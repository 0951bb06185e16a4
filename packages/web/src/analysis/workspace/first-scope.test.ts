import { expect, it } from 'vitest'
import type { KeptTable } from '../kept-table.ts'
import { firstScope } from './first-scope.ts'

const table = (name: string, more: Partial<KeptTable> = {}): KeptTable => ({
  ...{ name, rowCount: 3, columns: [], neverSent: [], rejectedCount: 0, rejected: [], isKept: true },
  ...{
    source: { file: name, format: 'csv', sizeBytes: 1, fingerprint: 'f' },
    addedAt: '2026-01-01T00:00:00Z',
    ...more,
  },
})

it('is about every table that has rows and waits for nobody to choose it', () => {
  const tables = [
    table('sales'),
    table('empty', { rowCount: 0 }),
    table('made', { joinsByHand: true }),
    table('depots'),
  ]
  expect(firstScope(tables)).toEqual(['sales', 'depots'])
})
