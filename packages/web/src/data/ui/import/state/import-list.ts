// The files being imported, in order, and how to cancel each.
import { createStore } from '../../../../stores/primitives/store.ts'
import type { ImportPlan, ImportSource, ImportStage } from '../../../domain/import-plan.ts'
import type { ImportedTable } from '../../../domain/imported-table.ts'

export type ImportState =
  | {
      readonly kind: 'working'
      readonly stage: ImportStage | 'waiting' | 'profiling'
      readonly makes: readonly string[]
    }
  | { readonly kind: 'review'; readonly plan: ImportPlan }
  /** Only files with a remark stay in this list; others are just tables. */
  | { readonly kind: 'added'; readonly tables: readonly ImportedTable[] }
  | {
      readonly kind: 'failed'
      readonly message: string
      readonly plan: ImportPlan | null
      /** Whether a retry may help: not if the file is not a table at all. */
      readonly mayRetry: boolean
    }

export interface Import {
  readonly id: number
  readonly file: ImportSource
  readonly state: ImportState
  /** Names of tables that it is expected to replace: a file that is read again or re-attached. */
  readonly replaces: readonly string[]
}

export type ImportList = ReturnType<typeof createImportList>

export function createImportList() {
  const store = createStore<readonly Import[]>([])
  const stops = new Map<number, AbortController>()
  let last = 0
  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    begin(file: ImportSource, state: ImportState, replaces: readonly string[] = []): number {
      last += 1
      store.set([...store.getSnapshot(), { id: last, file, state, replaces }])
      return last
    },
    find: (id: number) => store.getSnapshot().find((one) => one.id === id),
    fileOf(id: number): ImportSource {
      const file = store.getSnapshot().find((one) => one.id === id)?.file
      if (file === undefined) throw new Error('The file was dismissed.')
      return file
    },
    /** Nothing is reported for a dismissed file. */
    put: (id: number, state: ImportState) =>
      store.set(store.getSnapshot().map((one) => (one.id === id ? { ...one, state } : one))),
    /** Cancels the previous work on the file. */
    async stoppable<Result>(id: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
      stops.get(id)?.abort()
      const stop = new AbortController()
      stops.set(id, stop)
      try {
        return await work(stop.signal)
      } finally {
        if (stops.get(id) === stop) stops.delete(id)
      }
    },
    /** Cancels the running work; nothing of it stays. */
    remove(id: number) {
      stops.get(id)?.abort()
      store.set(store.getSnapshot().filter((one) => one.id !== id))
    },
    /** Removes remarks on tables that were removed or read again. */
    keepOnly(tables: readonly ImportedTable[]) {
      const before = store.getSnapshot()
      const after = before.flatMap((one) => withTablesOf(one, tables))
      if (after.length !== before.length || after.some((one, at) => one !== before[at])) store.set(after)
    },
  }
}

function withTablesOf(line: Import, tables: readonly ImportedTable[]): readonly Import[] {
  if (line.state.kind !== 'added') return [line]
  const { state } = line
  const left = state.tables.filter(({ name, addedAt }) =>
    tables.some((table) => table.name === name && table.addedAt === addedAt),
  )
  if (left.length === state.tables.length) return [line]
  return left.length === 0 ? [] : [{ ...line, state: { ...state, tables: left } }]
}
