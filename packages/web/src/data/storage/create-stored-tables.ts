import type { ImportPlan } from '../domain/import-plan.ts'
import { StorageError, type StoredTables, type TableEntry } from './browser-storage.ts'
import type { Records } from './records.ts'
import type { StoredFiles } from './stored-files.ts'

interface TablesDeps {
  readonly records: Records
  readonly files: StoredFiles
  /** One tab at a time: no other tab may clean up between storing a file and its record. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly changed: () => void
}

export function createStoredTables({
  records,
  files,
  alone,
  changed,
}: TablesDeps): StoredTables & { sweep(): Promise<void> } {
  // No other code writes this store.
  const entries = async () => (await records.all('tables')) as readonly TableEntry[]
  const entryOf = async (name: string) => (await records.get('tables', name)) as TableEntry | undefined

  /** Files without a table: the table was removed, or a crash came before its record. */
  async function sweep(): Promise<void> {
    const used = new Set((await entries()).map(({ table }) => table.source.fingerprint))
    for (const name of await files.names()) if (!used.has(name)) await files.remove(name)
  }

  return {
    sweep: () => alone(sweep),
    list: async () => (await entries()).map(({ table }) => table),
    put: ({ table: given, plan }, bytes, resolveTableName = () => given.name) =>
      alone(async () => {
        const { fingerprint } = given.source
        if (bytes !== null && !(await files.has(fingerprint, bytes.byteLength))) await files.put(fingerprint, bytes)
        const table = { ...given, name: resolveTableName((await entries()).map((entry) => entry.table)) }
        const value: TableEntry = { table, plan: renamed(planOf(plan, given.name), table.name) }
        await records.write([{ store: 'tables', key: table.name, value }])
        await sweep()
        changed()
        return table
      }),
    change: (name, next) =>
      alone(async () => {
        const entry = await entryOf(name)
        if (entry === undefined) throw new StorageError('blocked', 'This browser has no record of the table.')
        const value: TableEntry = { table: next, plan: renamed(entry.plan, next.name) }
        const removed = name === next.name ? [] : [{ store: 'tables' as const, removed: name }]
        await records.write([...removed, { store: 'tables', key: next.name, value }])
        changed()
      }),
    remove: (name) =>
      alone(async () => {
        await records.write([{ store: 'tables', removed: name }])
        await sweep()
        changed()
      }),
    async source(name) {
      const entry = await entryOf(name)
      if (entry === undefined) return null
      const bytes = await files.get(entry.table.source.fingerprint)
      return bytes === null ? null : { plan: entry.plan, bytes }
    },
    entries,
  }
}

/** Only this table's part of the plan. The preview can be created again. */
function planOf(plan: ImportPlan, name: string): ImportPlan {
  const tables = plan.tables.filter((table) => table.isChosen && table.name === name)
  return { ...plan, tables: tables.map((table) => ({ ...table, preview: { columns: [], rows: [] } })) }
}

const renamed = (plan: ImportPlan, name: string): ImportPlan => ({
  ...plan,
  tables: plan.tables.map((table) => ({ ...table, name })),
})
