// Tables under temporary names until all tables of a file are complete.
import type { Column } from '../domain/cells.ts'
import type { ImportedRows, QueryEngine } from '../domain/query-engine.ts'
import { newStagingName } from '../sql/reserved-names.ts'

export interface StagedTable {
  /** The final name. */
  readonly name: string
  /** Imported under its temporary name. */
  readonly rows: ImportedRows
}

export type StagedTables = ReturnType<typeof createStagedTables>

/** The locked columns of a table, by its final name and its current columns. */
export type NeverSent = (table: string) => readonly string[] | Promise<readonly string[]>

/** Locked columns are hidden before the table has a known name. */
export function createStagedTables(engine: QueryEngine, neverSent: NeverSent = () => []) {
  const unsettled = new Set<string>()
  return {
    async add(name: string, work: (engine: QueryEngine, arrivingName: string) => Promise<ImportedRows>) {
      const arriving = newStagingName()
      unsettled.add(arriving)
      return { name, rows: await work(engine, arriving) }
    },
    /** Gives the tables their names and replaces existing ones. */
    async settle(arrived: readonly StagedTable[]) {
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
    /** Drops tables that did not get their name. Never rejects. */
    async clear() {
      // The import error matters, not a failed drop.
      for (const name of unsettled) await engine.drop(name).catch(() => undefined)
    },
  }
}

/** A file may write a name in another case than the one before it. */
function namedIn(columns: readonly Column[], names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return columns.map(({ name }) => name).filter((name) => wanted.has(name.toLowerCase()))
}
