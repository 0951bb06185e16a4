// Loads tables into an engine one after the other, requested ones first.
import type { ImportedTable } from '../domain/imported-table.ts'
import { nameKey } from '../domain/same-name.ts'
import type { TableFill } from './create-engine-service.ts'

export interface FillTablesOptions {
  readonly tables: Promise<readonly ImportedTable[]>
  /** Never rejects. */
  readonly loadTable: (table: ImportedTable) => Promise<void>
  /** The engine is gone: stops loading. */
  readonly isOver: () => boolean
}

export function fillTables({ tables, loadTable, isOver }: FillTablesOptions): TableFill {
  const wanted = new Set<string>()
  const waiting: { readonly table: ImportedTable; readonly arrive: () => void }[] = []
  const arrivals = new Map<string, Promise<void>>()

  const listed = tables.then((all) => {
    for (const table of all) {
      const arrived = new Promise<void>((arrive) => void waiting.push({ table, arrive }))
      arrivals.set(nameKey(table.name), arrived)
    }
  })

  async function fill(): Promise<void> {
    await listed
    while (waiting.length > 0) {
      const at = waiting.findIndex(({ table }) => wanted.has(nameKey(table.name)))
      const [next] = waiting.splice(Math.max(0, at), 1)
      if (next !== undefined && !isOver()) await loadTable(next.table)
      next?.arrive()
    }
  }

  const whole = fill()
  return {
    whole,
    async need(names) {
      await listed
      const known = names.map(nameKey).filter((name) => arrivals.has(name))
      // A name that is computed or unknown needs all tables.
      if (known.length === 0) return whole
      for (const name of known) wanted.add(name)
      await Promise.all(known.map((name) => arrivals.get(name)))
    },
  }
}
