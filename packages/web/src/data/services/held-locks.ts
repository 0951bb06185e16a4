// Locks that could not be stored: storage says the columns are unlocked, but this page keeps them locked.
import type { ImportedTable } from '../domain/imported-table.ts'
import { nameKey } from '../domain/same-name.ts'

interface Held {
  readonly table: ImportedTable
  readonly columns: ReadonlySet<string>
}

export function createHeldLocks() {
  const held = new Map<string, Held>()

  function hold(table: ImportedTable, columns: Iterable<string>): void {
    const before = held.get(nameKey(table.name))?.columns ?? []
    held.set(nameKey(table.name), { table, columns: new Set([...before, ...[...columns].map(nameKey)]) })
  }

  /** The table was renamed by another tab, or by this one without storing it. */
  function followNames(stored: readonly ImportedTable[]): void {
    const names = new Set(stored.map(({ name }) => nameKey(name)))
    for (const [name, { table, columns }] of [...held].filter(([known]) => !names.has(known))) {
      const renamed = stored.filter((one) => sameRows(one, table))
      for (const one of renamed) hold(one, columns)
      if (renamed.length > 0) held.delete(name)
    }
  }

  return {
    hold,
    /** Drops a lock that is stored now or whose table is gone. */
    release: (name: string) => void held.delete(nameKey(name)),
    /** Stored tables with the locks of this page. */
    applyTo(stored: readonly ImportedTable[]) {
      followNames(stored)
      return stored.map((table) => {
        const columns = held.get(nameKey(table.name))?.columns
        if (columns === undefined) return table
        const isLocked = (name: string) => table.neverSent.includes(name) || columns.has(nameKey(name))
        return { ...table, neverSent: table.columns.map(({ name }) => name).filter(isLocked) }
      })
    },
  }
}

export type HeldLocks = ReturnType<typeof createHeldLocks>

export const sameRows = (one: ImportedTable, other: ImportedTable): boolean =>
  one.source.fingerprint === other.source.fingerprint && one.addedAt === other.addedAt
