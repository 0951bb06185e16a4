// Tables on their way in: under names that nobody uses, until all of a file's are there.

import type { Column } from '../domain/cells.ts'
import type { ImportedRows, QueryEngine } from '../domain/query-engine.ts'
import { newStagingName } from '../sql/staging-name.ts'

export interface StagedTable {
  /** What it shall be called. */
  readonly name: string
  /** With the name it has until then. */
  readonly rows: ImportedRows
}

export interface StagedTables {
  add(name: string, work: (engine: QueryEngine, arrivingName: string) => Promise<ImportedRows>): Promise<StagedTable>
  /** They get their names; a table that had one of them is gone. */
  settle(arrived: readonly StagedTable[]): Promise<readonly ImportedRows[]>
  /** Drops what never got its name. Never rejects. */
  clear(): Promise<void>
}

/** Of a table, by the name it gets and the names its columns have now. */
export type NeverSent = (table: string) => readonly string[] | Promise<readonly string[]>

/** What is never sent is hidden before the table has a name anybody knows. */
export function createStagedTables(engine: QueryEngine, neverSent: NeverSent = () => []): StagedTables {
  const unsettled = new Set<string>()
  return {
    async add(name, work) {
      const arriving = newStagingName()
      unsettled.add(arriving)
      return { name, rows: await work(engine, arriving) }
    },
    async settle(arrived) {
      const settled: ImportedRows[] = []
      for (const { name, rows } of arrived) {
        const hidden = namedIn(rows.facts.columns, await neverSent(name))
        if (hidden.length > 0) await engine.setNeverSent(rows.facts.name, hidden)
        await engine.drop(name)
        await engine.rename(rows.facts.name, name)
        unsettled.delete(rows.facts.name)
        settled.push({ ...rows, facts: { ...rows.facts, name, neverSent: hidden } })
      }
      return settled
    },
    async clear() {
      // Whoever imports hears why that failed, not that there was nothing to drop.
      for (const name of unsettled) await engine.drop(name).catch(() => undefined)
    },
  }
}

/** A file may write a name in other letters than the one before it. */
function namedIn(columns: readonly Column[], names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return columns.map(({ name }) => name).filter((name) => wanted.has(name.toLowerCase()))
}
