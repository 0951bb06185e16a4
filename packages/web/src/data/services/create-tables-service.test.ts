import { expect, it, vi } from 'vitest'
import { LockNotStored } from '../domain/data-services.ts'
import type { ImportPlan, PlannedColumn } from '../domain/import-plan.ts'
import { importedTable } from '../domain/imported-table.fixture.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import type { FileToImport } from '../import/import-file.ts'
import { sourceOfText } from '../import/source/source-file.ts'
import { type BrowserStorage, type StorageChange, StorageError } from '../storage/browser-storage.ts'
import { createStoredTables } from '../storage/create-stored-tables.ts'
import { fingerprintOf } from '../storage/fingerprint.ts'
import { createMemoryRecords } from '../storage/records.ts'
import { filesInRecords } from '../storage/stored-files.ts'
import { createTablesService } from './create-tables-service.ts'

const asFound = { isKept: true, replaces: [] }
const columns = { id: 'BIGINT', email: 'VARCHAR' }
const planned = Object.entries(columns).map(([name, type]): PlannedColumn => ({ sourceName: name, name, type }))
const planOf = (name: string): ImportPlan => ({
  file: `${name}.csv`,
  sizeBytes: 3,
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  hasHeader: true,
  warnings: [],
  tables: [{ part: null, isChosen: true, name, columns: planned, preview: { columns: [], rows: [] }, rowCount: 1 }],
})

/** A service with the stored table `people`, and an engine that records only locked columns. */
async function openService({
  isLasting = true,
  neverSent = [] as readonly string[],
  /** By another tab, while the stored tables are loading. */
  addedMeanwhile = null as string | null,
} = {}) {
  const records = createMemoryRecords()
  let isFull = false
  const write: typeof records.write = (changes) =>
    isFull
      ? Promise.reject(new StorageError('full', 'The browser has no space left for this site.'))
      : records.write(changes)
  const guarded = { ...records, write }
  const deps = {
    files: filesInRecords(guarded),
    alone: <T>(work: () => Promise<T>) => work(),
    changed: () => undefined,
  }
  const tables = createStoredTables({ records: guarded, ...deps })
  const people = importedTable('people', columns, { neverSent })
  await tables.put({ table: people, plan: planOf('people') }, Uint8Array.of(1))

  const locked = new Map<string, readonly string[]>()
  const engine = {
    tables: async () => [],
    setNeverSent: async (table: string, names: readonly string[]) => void locked.set(table, names),
    rename: async (from: string, to: string) => {
      locked.set(to, locked.get(from) ?? [])
      locked.delete(from)
    },
    drop: async (table: string) => void locked.delete(table),
  } as unknown as QueryEngine // only what these tests use
  let meanwhile = async () => undefined as unknown
  const importInto = async (_into: QueryEngine, { plan, neverSent: hides = () => [] }: FileToImport) => {
    await meanwhile()
    return Promise.all(
      plan.tables.map(async ({ name, columns: wanted }) => {
        const found = wanted.flatMap((column) =>
          column.type === null ? [] : [{ name: column.name, type: column.type }],
        )
        const never = await hides(name)
        const hidden = found.map((column) => column.name).filter((column) => never.includes(column))
        locked.set(name, hidden)
        return { facts: { name, rowCount: 1, columns: found, neverSent: hidden }, rejectedCount: 0, rejected: [] }
      }),
    )
  }
  let notify: (change: StorageChange) => void = () => undefined
  const watch: BrowserStorage['watch'] = (listener) => {
    notify = listener
    return () => undefined
  }
  // Only what these tests use.
  const browserStorage = { isLasting, tables, watch, storage: async () => null } as unknown as BrowserStorage
  const service = createTablesService({ browserStorage: Promise.resolve(browserStorage), engine, importInto })
  meanwhile = async () => {
    if (addedMeanwhile === null || (await tables.list()).some(({ name }) => name === addedMeanwhile)) return
    await tables.put({ table: importedTable(addedMeanwhile, columns), plan: planOf(addedMeanwhile) }, Uint8Array.of(2))
    notify({ what: 'tables' })
  }
  await service.fill(engine).whole
  return {
    service,
    tables,
    locked,
    engine,
    whileReading: (work: () => Promise<unknown>) => {
      meanwhile = work
    },
    fillDisk: () => {
      isFull = true
    },
    freeDisk: () => {
      isFull = false
    },
    /** As after a change in another tab. */
    async follow() {
      const before = service.state.getSnapshot()
      notify({ what: 'tables' })
      await vi.waitFor(() => expect(service.state.getSnapshot().tables).not.toBe(before.tables))
    },
    shown: () => service.state.getSnapshot().tables?.map((table) => [table.name, table.neverSent]),
  }
}

it('locks a column even if the lock cannot be stored, says so, and keeps it despite the stored state', async () => {
  const { service, tables, locked, engine, fillDisk, follow, shown } = await openService()
  fillDisk()
  const failure = await service.setNeverSent('people', ['email']).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(LockNotStored)
  expect(String(failure)).toContain(
    'Locked on this page only, until you close it. The browser has no space left for this site.',
  )
  expect((await tables.list())[0]?.neverSent).toEqual([])
  expect([locked.get('people'), shown()]).toEqual([['email'], [['people', ['email']]]])
  await follow()
  expect([locked.get('people'), shown()]).toEqual([['email'], [['people', ['email']]]])
  // The engine died: a new one is filled from storage.
  locked.clear()
  await service.fill(engine).whole
  expect([locked.get('people'), shown()]).toEqual([['email'], [['people', ['email']]]])
})

it('keeps such a lock under a new name that could not be stored either', async () => {
  const { service, locked, fillDisk, follow, shown } = await openService()
  fillDisk()
  await service.rename('people', 'persons')
  await expect(service.setNeverSent('persons', ['email'])).rejects.toBeInstanceOf(LockNotStored)
  await follow()
  expect([locked.get('people'), shown()]).toEqual([['email'], [['people', ['email']]]])
})

it('keeps a table that could not be stored, and its new name, when another tab changes something', async () => {
  const { service, fillDisk, follow, shown } = await openService()
  fillDisk()
  await service.add(sourceOfText('staff.csv', 'id\n1'), planOf('staff'), asFound)
  await follow()
  expect(shown()?.map(([name]) => name)).toEqual(['people', 'staff'])
  await service.rename('staff', 'crew')
  await follow()
  expect(shown()?.map(([name]) => name)).toEqual(['people', 'crew'])
  expect(await service.sourceOf('crew')).not.toBeNull()
})

it('stores such a lock with the next change, and then lets another tab unlock it', async () => {
  const { service, tables, locked, fillDisk, freeDisk, follow } = await openService()
  fillDisk()
  await expect(service.setNeverSent('people', ['email'])).rejects.toThrow('no space left')
  freeDisk()
  await service.setNeverSent('people', ['email', 'id'])
  const [browserStorage] = await tables.list()
  expect(browserStorage?.neverSent).toEqual(['email', 'id'])
  if (browserStorage !== undefined) await tables.change('people', { ...browserStorage, neverSent: ['id'] })
  await follow()
  expect(locked.get('people')).toEqual(['id'])
})

it('leaves a column locked if unlocking cannot be stored', async () => {
  const { service, locked, fillDisk, freeDisk, shown } = await openService({ neverSent: ['email'] })
  fillDisk()
  await expect(service.setNeverSent('people', [])).rejects.toThrow(/^The browser has no space left/)
  expect([locked.get('people'), shown()]).toEqual([['email'], [['people', ['email']]]])
  freeDisk()
  await service.setNeverSent('people', [])
  expect([locked.get('people'), shown()]).toEqual([[], [['people', []]]])
})

it.each([true, false])('marks a table as stored only if the browser stored it: %s', async (isLasting) => {
  const { service } = await openService({ isLasting })
  const [added] = await service.add(sourceOfText('staff.csv', 'id\n1'), planOf('staff'), asFound)
  expect([service.state.getSnapshot().isLasting, added?.isKept]).toEqual([isLasting, isLasting])
  expect(await service.sourceOf('staff')).not.toBeNull()
})

it('keeps a column locked when its file is read again under other names, even if it was left out in between', async () => {
  const { service, tables, locked } = await openService()
  const file = sourceOfText('staff.csv', 'id,email\n1,a@example.org')
  const read = (name: string, email: Partial<PlannedColumn> = {}) => {
    const plan = planOf(name)
    const changed = planned.map((column) => (column.name === 'email' ? { ...column, ...email } : column))
    const staff = { ...plan, tables: plan.tables.map((table) => ({ ...table, columns: changed })) }
    return service.add(file, staff, asFound)
  }
  await read('staff')
  await service.setNeverSent('staff', ['email'])
  await read('staff', { name: 'contact' })
  expect(locked.get('staff')).toEqual(['contact'])
  await read('crew', { name: 'mail' })
  expect(locked.get('crew')).toEqual(['mail'])
  const [without] = await read('crew', { type: null })
  expect(without?.neverSent).toEqual([])
  const [back] = await read('crew', { name: 'address' })
  expect([locked.get('crew'), back?.lockedAway]).toEqual([['address'], undefined])
  const browserStorage = await tables.list()
  expect(browserStorage.find(({ name }) => name === 'crew')?.neverSent).toEqual(['address'])
  await service.setNeverSent('crew', [])
  await service.setNeverSent('staff', [])
  await read('crew')
  expect(locked.get('crew')).toEqual([])
})

it('gives a new table the next free name if another tab added one; the same file stays one table', async () => {
  const { service, tables, locked } = await openService()
  const add = (text: string, replaces: readonly string[] = []) =>
    service.add(sourceOfText('sold.csv', text), planOf('sold'), { isKept: true, replaces })
  /** This tab is notified later, or never. */
  const other = async (name: string, text: string) => {
    const { source } = importedTable(name, columns)
    const fingerprint = await fingerprintOf(new TextEncoder().encode(text))
    const table = importedTable(name, columns, {
      rowCount: 111,
      neverSent: ['email'],
      source: { ...source, fingerprint },
    })
    await tables.put({ table, plan: planOf(name) }, new TextEncoder().encode(text))
  }
  await other('sold', 'id\n1')
  const [beside] = await add('id\n2')
  expect([beside?.name, locked.has('sold_2'), locked.has('sold')]).toEqual(['sold_2', true, false])
  expect((await tables.source('sold_2'))?.plan.tables.map(({ name }) => name)).toEqual(['sold_2'])
  expect((await tables.list()).map(({ name, rowCount }) => [name, rowCount])).toContainEqual(['sold', 111])
  const [again] = await add('id\n1')
  // A lock of the other tab applies here, even before this tab is notified.
  expect([again?.name, again?.neverSent]).toEqual(['sold', ['email']])
  expect((await add('id\n3', ['Sold']))[0]?.name).toBe('sold')
  expect((await tables.list()).map(({ name }) => name)).toEqual(['people', 'sold', 'sold_2'])
})

it('does the same if another tab is faster while the file is read', async () => {
  const { service, tables, locked, whileReading } = await openService()
  whileReading(async () => {
    await tables.put(
      { table: importedTable('sold', columns, { rowCount: 111 }), plan: planOf('sold') },
      Uint8Array.of(1),
    )
  })
  const [added] = await service.add(sourceOfText('sold.csv', 'id\n2'), planOf('sold'), asFound)
  expect([added?.name, locked.has('sold_2'), locked.has('sold')]).toEqual(['sold_2', true, false])
  expect(service.state.getSnapshot().tables?.map(({ name }) => name)).toContain('sold_2')
  expect((await tables.list()).map(({ name }) => name)).toEqual(['people', 'sold', 'sold_2'])
})

it('includes tables that another tab added while its own were loading', async () => {
  const { shown } = await openService({ addedMeanwhile: 'sold' })
  await vi.waitFor(() => expect(shown()?.map(([name]) => name)).toEqual(['people', 'sold']))
})

it('applies the locks of the review before the table exists, and removes the locks that the review removed', async () => {
  const { service, locked, shown } = await openService({ neverSent: ['email'] })
  const plan = (name: string, isLocked?: boolean): ImportPlan => ({
    ...planOf(name),
    tables: planOf(name).tables.map((table) => ({
      ...table,
      columns: table.columns.map((column) =>
        column.name === 'email' && isLocked !== undefined ? { ...column, isLocked } : column,
      ),
    })),
  })
  await service.add(sourceOfText('new.csv', 'id,email\n1,a@b.c'), plan('new', true), asFound)
  expect(locked.get('new')).toEqual(['email'])
  const again = sourceOfText('people.csv', 'id,email\n2,a@b.c')
  const replacing = { ...asFound, replaces: ['people'] }
  await service.add(again, plan('people'), replacing)
  expect(shown()).toContainEqual(['people', ['email']])
  await service.add(again, plan('people', false), replacing)
  expect(shown()).toContainEqual(['people', []])
})
