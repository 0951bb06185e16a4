// Tables on their way into an engine, one after the other: those that somebody waits for come first.
import type { ImportedTable } from '../domain/imported-table.ts'
import type { TableFill } from './create-engine-service.ts'

export interface FillTablesOptions {
  readonly tables: Promise<readonly ImportedTable[]>
  /** Never rejects. */
  readonly bring: (table: ImportedTable) => Promise<void>
  /** The engine that it is for is gone: the rest need not come. */
  readonly isOver: () => boolean
}

export function fillTables({ tables, bring, isOver }: FillTablesOptions): TableFill {
  const wanted = new Set<string>()
  const waiting: { readonly table: ImportedTable; readonly arrive: () => void }[] = []
  const arrivals = new Map<string, Promise<void>>()

  const listed = tables.then((all) => {
    for (const table of all) {
      const arrived = new Promise<void>((arrive) => void waiting.push({ table, arrive }))
      arrivals.set(key(table.name), arrived)
    }
  })

  async function fill(): Promise<void> {
    await listed
    while (waiting.length > 0) {
      const at = waiting.findIndex(({ table }) => wanted.has(key(table.name)))
      const [next] = waiting.splice(Math.max(0, at), 1)
      if (next !== undefined && !isOver()) await bring(next.table)
      next?.arrive()
    }
  }

  const whole = fill()
  return {
    whole,
    async need(names) {
      await listed
      const known = names.map(key).filter((name) => arrivals.has(name))
      // A name that is made by a function, or of nothing that is known here: then everything has to be there.
      if (known.length === 0) return whole
      for (const name of known) wanted.add(name)
      await Promise.all(known.map((name) => arrivals.get(name)))
    },
  }
}

/** DuckDB's names are the same in upper and lower case. */
const key = (name: string): string => name.toLowerCase()
