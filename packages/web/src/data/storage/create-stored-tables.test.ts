import { describe, expect, it } from 'vitest'
import type { ImportPlan } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { createStoredTables } from './create-stored-tables.ts'
import { createMemoryRecords } from './records.ts'
import { filesInRecords } from './stored-files.ts'

const tableOf = (name: string, fingerprint: string): ImportedTable => ({
  name,
  rowCount: 1,
  columns: [],
  neverSent: [],
  rejectedCount: 0,
  rejected: [],
  addedAt: '2026-01-01',
  isKept: true,
  source: { file: 'book.xlsx', format: 'excel', sizeBytes: 3, fingerprint },
})

const plan: ImportPlan = {
  file: 'book.xlsx',
  sizeBytes: 3,
  format: 'excel',
  encoding: null,
  delimiter: null,
  hasHeader: true,
  warnings: [],
  tables: ['a', 'b'].map((name) => ({
    part: `sheet ${name}`,
    isChosen: true,
    name,
    columns: [],
    rowCount: 1,
    preview: { columns: [{ name: 'x', type: 'VARCHAR' }], rows: [['1']] },
  })),
}

const bytes = Uint8Array.of(1, 2, 3)

function openTables() {
  const records = createMemoryRecords()
  const files = filesInRecords(records)
  const tables = createStoredTables({ records, files, alone: (work) => work(), changed: () => undefined })
  return { records, files, tables }
}

describe('createStoredTables', () => {
  it('stores a file once for all of its tables, each with its part of the plan', async () => {
    const { files, tables } = openTables()
    for (const name of ['a', 'b']) await tables.put({ table: tableOf(name, 'f1'), plan }, bytes)
    expect(await files.names()).toEqual(['f1'])
    const entries = await tables.entries()
    expect(entries.map(({ table }) => table.name)).toEqual(['a', 'b'])
    expect(entries.map(({ plan }) => plan.tables.map(({ part, preview }) => [part, preview.rows.length]))).toEqual([
      [['sheet a', 0]],
      [['sheet b', 0]],
    ])
    for (const name of ['a', 'b']) expect((await tables.source(name))?.bytes).toEqual(bytes)
  })

  it('removes the file with its last table', async () => {
    const { files, tables } = openTables()
    for (const name of ['a', 'b']) await tables.put({ table: tableOf(name, 'f1'), plan }, bytes)
    await tables.remove('a')
    expect(await files.names()).toEqual(['f1'])
    await tables.remove('b')
    expect(await files.names()).toEqual([])
  })

  it('restores a renamed table under its new name', async () => {
    const { tables } = openTables()
    await tables.put({ table: tableOf('a', 'f1'), plan }, bytes)
    await tables.change('a', { ...tableOf('sales', 'f1'), neverSent: ['email'] })
    expect((await tables.list()).map(({ name, neverSent }) => [name, neverSent])).toEqual([['sales', ['email']]])
    expect((await tables.source('sales'))?.plan.tables[0]).toMatchObject({ part: 'sheet a', name: 'sales' })
    expect(await tables.source('a')).toBeNull()
  })

  it('lists a table whose file is missing', async () => {
    const { files, tables } = openTables()
    await tables.put({ table: { ...tableOf('a', 'f1'), isKept: false }, plan }, null)
    await files.remove('f1')
    expect((await tables.list()).map(({ name }) => name)).toEqual(['a'])
    expect(await tables.source('a')).toBeNull()
  })

  it('keeps the old state if the new file cannot be written, and removes leftovers of a crash', async () => {
    const { files, tables, records } = openTables()
    await tables.put({ table: tableOf('a', 'f1'), plan }, bytes)
    const full = { ...files, put: async () => Promise.reject(new Error('no space')) }
    const failing = createStoredTables({ records, files: full, alone: (work) => work(), changed: () => undefined })
    await expect(failing.put({ table: tableOf('a', 'f2'), plan }, bytes)).rejects.toThrow('no space')
    expect((await tables.source('a'))?.bytes).toEqual(bytes)
    await files.put('orphan', bytes)
    await tables.sweep()
    expect(await files.names()).toEqual(['f1'])
  })
})
