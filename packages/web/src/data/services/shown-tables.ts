// The tables as this tab shows them.
import { unlessAborted } from '@quarterdeck/protocol'
import { createStore, type Store } from '../../stores/primitives/store.ts'
import type { TablesState } from '../domain/data-services.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import type { BrowserStorage } from '../storage/browser-storage.ts'

export type ShownTables = ReturnType<typeof createShownTables>

export function createShownTables(browserStorage: Promise<BrowserStorage>) {
  const state = createStore<TablesState>({ isLasting: null, tables: null, listed: null, missing: [], storage: null })
  void browserStorage.then(({ isLasting }) => state.update({ isLasting }))

  const loaded = () => state.getSnapshot().tables ?? []
  const missing = () => state.getSnapshot().missing

  function show(tables: readonly ImportedTable[], notFound: readonly ImportedTable[]): void {
    state.update({ tables: sorted(tables), listed: sorted(tables), missing: sorted(notFound) })
    void measure()
  }

  async function measure(): Promise<void> {
    const storage = await (await browserStorage).storage().catch(() => null)
    state.update({ storage })
  }

  return {
    state,
    /** In the engine. */
    loaded,
    isLoaded: (name: string) => loaded().some((table) => table.name === name),
    /** Whose file is missing. */
    missing,
    known: () => [...loaded(), ...missing()],
    show,
    /** Changes both lists. */
    change: (to: (tables: readonly ImportedTable[]) => readonly ImportedTable[]) => show(to(loaded()), to(missing())),
    /** Names and sizes are known before the engine has the rows. */
    list(listed: readonly ImportedTable[]): Promise<void> {
      state.update({
        listed: sorted(listed.filter(({ isKept }) => isKept)),
        missing: sorted(listed.filter(({ isKept }) => !isKept)),
      })
      return measure()
    },
    measure,
    /** Resolves when none of these is missing. */
    whenReady: (names: readonly string[], signal: AbortSignal) => untilReady(state, names, signal),
  }
}

function untilReady(state: Store<TablesState>, names: readonly string[], signal: AbortSignal): Promise<void> {
  const isHere = () => {
    const { tables, missing } = state.getSnapshot()
    return tables !== null && !missing.some(({ name }) => names.includes(name))
  }
  let leave = () => {}
  const here = new Promise<void>((resolve) => {
    if (isHere()) return resolve()
    leave = state.subscribe(() => {
      if (isHere()) resolve()
    })
  })
  return unlessAborted(here, signal).finally(() => leave())
}

const sorted = (tables: readonly ImportedTable[]) =>
  tables.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt) || one.name.localeCompare(other.name))
