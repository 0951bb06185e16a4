// Tables on their way in: under names that nobody uses, until all of a file's are there.
import type { Engine, ImportedRows } from '../engine.ts'

export interface Arrived {
  /** What it shall be called. */
  readonly name: string
  /** With the name it has until then. */
  readonly rows: ImportedRows
}

export interface Arrivals {
  add(name: string, work: (engine: Engine, arrivingName: string) => Promise<ImportedRows>): Promise<Arrived>
  /** They get their names; a table that had one of them is gone. */
  settle(arrived: readonly Arrived[]): Promise<readonly ImportedRows[]>
  /** Drops what never got its name. Never rejects. */
  clear(): Promise<void>
}

export function createArrivals(engine: Engine): Arrivals {
  const unsettled = new Set<string>()
  return {
    async add(name, work) {
      const arriving = `arriving ${crypto.randomUUID()}`
      unsettled.add(arriving)
      return { name, rows: await work(engine, arriving) }
    },
    async settle(arrived) {
      const settled: ImportedRows[] = []
      for (const { name, rows } of arrived) {
        await engine.drop(name)
        await engine.rename(rows.facts.name, name)
        unsettled.delete(rows.facts.name)
        settled.push({ ...rows, facts: { ...rows.facts, name } })
      }
      return settled
    },
    async clear() {
      // Whoever imports hears why that failed, not that there was nothing to drop.
      for (const name of unsettled) await engine.drop(name).catch(() => undefined)
    },
  }
}
