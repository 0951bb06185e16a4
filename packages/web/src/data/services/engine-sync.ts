// Keeps the engine filled with the stored tables: with all of them when it starts, then with the changes of other tabs.
import type { ImportedTable } from '../domain/imported-table.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import type { TablesParts } from './add-tables.ts'
import type { TableFill } from './create-engine-service.ts'
import { fillTables } from './fill-tables.ts'
import { sameRows } from './held-locks.ts'

export interface EngineSyncOptions extends TablesParts {
  /** Changes of other tabs come between those of this tab, never in the middle. */
  readonly runInOrder: (work: () => Promise<void>) => Promise<void>
}

export function createEngineSync(options: EngineSyncOptions) {
  const { browserStorage, engine, tables, sources, locks, runInOrder } = options
  let isFilled = false
  /** Whether another tab changed something after the current load started. */
  let isBehind = false
  /** The current load: an older one may belong to a dead engine. */
  let fillings = 0

  /** Loads the tables into an empty engine. */
  function fill(into: QueryEngine): TableFill {
    fillings += 1
    const mine = fillings
    const loaded: ImportedTable[] = []
    const missing: ImportedTable[] = []
    const filling = fillTables({
      tables: stored()
        .catch(() => [])
        .then(withUnsaved),
      isOver: () => mine !== fillings,
      async loadTable(table) {
        if (await sources.loadTable(into, table)) loaded.push(table)
        else missing.push({ ...table, isKept: false })
      },
    })
    const whole = filling.whole.then(() => {
      if (mine !== fillings) return
      isFilled = true
      tables.show(loaded, missing)
      if (isBehind) followSoon()
    })
    return { ...filling, whole }
  }

  const stored = async () => (await browserStorage).tables.list()

  /** Adds the tables without a record: their rows exist only in this tab. */
  function withUnsaved(records: readonly ImportedTable[]): readonly ImportedTable[] {
    const listed = locks.applyTo(records)
    const unsaved = tables
      .loaded()
      .filter((table) => sources.unsavedOf(table.name) !== undefined && !listed.some(({ name }) => name === table.name))
    return [...listed, ...unsaved]
  }

  async function list(): Promise<void> {
    const listed = await stored().catch(() => [])
    if (!isFilled) await tables.list(listed)
  }

  /** Another tab added, changed or removed something. */
  async function follow(): Promise<void> {
    isBehind = !isFilled
    if (isBehind) return list()
    const listed = withUnsaved(await stored())
    const before = tables.loaded()
    const loaded: ImportedTable[] = []
    const missing: ImportedTable[] = []
    for (const gone of before.filter(({ name }) => !listed.some((table) => table.name === name))) {
      await engine.drop(gone.name)
      sources.forget(gone.name)
    }
    for (const table of listed) {
      const known = before.find(({ name }) => name === table.name)
      const isSame = known !== undefined && sameRows(known, table)
      if (isSame && !sameList(known.neverSent, table.neverSent)) await engine.setNeverSent(table.name, table.neverSent)
      if (!isSame && known !== undefined) {
        sources.forget(table.name)
        await engine.drop(table.name)
      }
      if (isSame || (await sources.loadTable(engine, table))) loaded.push(table)
      else missing.push({ ...table, isKept: false })
    }
    tables.show(loaded, missing)
  }

  const followSoon = (): void => void runInOrder(follow).catch(() => undefined) // the next change retries

  void list()
  return {
    fill,
    followSoon,
    /** A change needs the table in the engine first. */
    async whenFilled(): Promise<void> {
      if (!isFilled) await engine.tables()
    },
  }
}

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name) => other.includes(name))
