// The files of tables: in storage, or only in this page.
import type { TableSource } from '../domain/data-services.ts'
import type { ImportPlan } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { EngineError, type QueryEngine } from '../domain/query-engine.ts'
import type { importFile } from '../import/import-file.ts'
import { sourceOfBytes } from '../import/source/source-file.ts'
import type { BrowserStorage } from '../storage/browser-storage.ts'
import { renamedPlan } from './resolve-table-name.ts'

export type TableSources = ReturnType<typeof createTableSources>

export function createTableSources(browserStorage: Promise<BrowserStorage>, importInto: typeof importFile) {
  /** Files that are lost when the page closes. */
  const unsaved = new Map<string, TableSource>()

  async function sourceOf(name: string): Promise<TableSource | null> {
    const held = unsaved.get(name)
    if (held !== undefined) return held
    const found = await (await browserStorage).tables.source(name).catch(() => null)
    return found === null ? null : { plan: found.plan, file: sourceOfBytes(found.plan.file, found.bytes) }
  }

  return {
    sourceOf,
    unsavedOf: (name: string): TableSource | undefined => unsaved.get(name),
    /** Keeps a file that is not stored, under the table's current name; `planned` is its name in the plan. */
    hold: (name: string, { file, plan }: TableSource, planned: string) =>
      void unsaved.set(name, { file, plan: renamedPlan(plan, planned, name) }),
    forget: (name: string) => void unsaved.delete(name),
    rename(from: string, to: string): void {
      const source = unsaved.get(from)
      unsaved.delete(from)
      if (source !== undefined) unsaved.set(to, { ...source, plan: renamedPlan(source.plan, from, to) })
    },
    /** Imports the table again. False if its file is missing or cannot be imported any more. */
    async loadTable(into: QueryEngine, table: ImportedTable): Promise<boolean> {
      const source = await sourceOf(table.name)
      if (source === null) return false
      try {
        const plan = onlyTable(source.plan, table.name)
        await importInto(into, { bytes: await source.file.bytes(), plan, neverSent: () => table.neverSent })
        return true
      } catch (error) {
        const isDead = error instanceof EngineError && error.problem === 'dead'
        if (!isDead) await into.drop(table.name).catch(() => undefined) // it may not exist
        return false
      }
    },
  }
}

const onlyTable = (plan: ImportPlan, name: string): ImportPlan => ({
  ...plan,
  tables: plan.tables.filter((table) => table.isChosen && table.name === name),
})
