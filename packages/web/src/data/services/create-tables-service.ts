// The tables of this browser, in the engine of this tab and in storage.
import { createSerialQueue } from '@quarterdeck/protocol'
import { type AddOptions, LockNotStored } from '../domain/data-services.ts'
import type { ImportPlan, ImportSource } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import { importFile } from '../import/import-file.ts'
import { type BrowserStorage, toStorageError } from '../storage/browser-storage.ts'
import { addTables, type TablesParts } from './add-tables.ts'
import { createEngineSync } from './engine-sync.ts'
import { createHeldLocks } from './held-locks.ts'
import { createShownTables } from './shown-tables.ts'
import { createTableSources } from './table-sources.ts'

export interface TablesServiceOptions {
  readonly browserStorage: Promise<BrowserStorage>
  readonly engine: QueryEngine
  /** Imports a file as tables. */
  readonly importInto?: typeof importFile
}

export function createTablesService({ browserStorage, engine, importInto = importFile }: TablesServiceOptions) {
  const tables = createShownTables(browserStorage)
  const sources = createTableSources(browserStorage, importInto)
  const parts: TablesParts = { browserStorage, engine, importInto, tables, sources, locks: createHeldLocks() }
  const runInOrder = createSerialQueue()
  const { fill, followSoon, whenFilled } = createEngineSync({ ...parts, runInOrder })
  const watching = browserStorage.then((opened) =>
    opened.watch(({ what }) => {
      if (what === 'tables') followSoon()
    }),
  )

  /** A change of tables that must be in the engine. */
  const change = <Result>(work: () => Promise<Result>): Promise<Result> =>
    runInOrder(async () => {
      await whenFilled()
      return work()
    })

  return {
    state: tables.state,
    sourceOf: sources.sourceOf,
    fill,
    add: (file: ImportSource, plan: ImportPlan, options: AddOptions) =>
      runInOrder(() => addTables(parts, { file, plan, ...options, isDerived: false })),
    addDerived: (file: ImportSource, plan: ImportPlan) =>
      change(() => addTables(parts, { file, plan, isKept: true, replaces: [], isDerived: true })),
    remove: (name: string) => change(() => removeTable(parts, name)),
    rename: async (from: string, to: string) => {
      if (from !== to) await change(() => renameTable(parts, from, to))
    },
    setNeverSent: (name: string, columns: readonly string[]) => change(() => setNeverSent(parts, name, columns)),
    async persist() {
      const isPersistent = await (await browserStorage).persist()
      await tables.measure()
      return isPersistent
    },
    whenTablesReady: tables.whenReady,
    close: () => void watching.then((stop) => stop()),
  }
}

async function removeTable(parts: TablesParts, name: string): Promise<void> {
  const { browserStorage, engine, tables, sources, locks } = parts
  if (tables.isLoaded(name)) await engine.drop(name)
  sources.forget(name)
  await (await browserStorage).tables.remove(name)
  locks.release(name)
  tables.change((shown) => shown.filter((table) => table.name !== name))
}

async function renameTable(parts: TablesParts, from: string, to: string): Promise<void> {
  const { engine, tables, sources } = parts
  if (tables.isLoaded(from)) await engine.rename(from, to)
  sources.rename(from, to)
  const table = tables.known().find(({ name }) => name === from)
  if (table === undefined) return
  const next = { ...table, name: to }
  await write(parts, from, next).catch(() => undefined) // then the new name lasts at most until the page closes
  show(parts, from, next)
}

/** A lock applies before it is stored and even if that fails. Unlocking applies after it is stored. */
async function setNeverSent(parts: TablesParts, name: string, columns: readonly string[]): Promise<void> {
  const { engine, tables, locks } = parts
  const table = tables.known().find((one) => one.name === name)
  if (table === undefined) return
  const applyLocks = async (neverSent: readonly string[]) => {
    if (tables.isLoaded(name)) await engine.setNeverSent(name, neverSent)
    show(parts, name, { ...table, neverSent })
  }
  const added = columns.filter((column) => !table.neverSent.includes(column))
  const locked = [...table.neverSent, ...added]
  if (added.length > 0) {
    // First, because an engine that restarts meanwhile is filled from storage.
    locks.hold(table, added)
    await applyLocks(locked)
  }
  try {
    await write(parts, name, { ...table, neverSent: columns })
  } catch (error) {
    throw added.length === 0 ? error : new LockNotStored(toStorageError(error))
  }
  if (columns.length < locked.length) await applyLocks(columns)
}

async function write({ browserStorage, locks }: TablesParts, name: string, next: ImportedTable): Promise<void> {
  await (await browserStorage).tables.change(name, next)
  locks.release(name)
}

const show = ({ tables }: TablesParts, name: string, next: ImportedTable): void =>
  tables.change((shown) => shown.map((table) => (table.name === name ? next : table)))
