// Files on their way to become tables: each goes alone, may be cancelled, and waits for a person where it is reviewed.
import type { ImportPlan, ImportStage, SourceFile } from '../../analysis/import-plan.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { createCell, type Store } from '../../state/cell.ts'
import { createTaskLine } from '../../state/task-line.ts'

export type ImportState =
  | {
      readonly kind: 'working'
      readonly stage: ImportStage | 'waiting' | 'profiling'
      readonly makes: readonly string[]
    }
  | { readonly kind: 'review'; readonly plan: ImportPlan }
  | { readonly kind: 'added'; readonly tables: readonly KeptTable[] }
  | { readonly kind: 'failed'; readonly message: string; readonly plan: ImportPlan | null }

export interface Import {
  readonly id: number
  readonly file: SourceFile
  readonly state: ImportState
  /** Table names that it is expected to replace: a file read again, or one that came back. */
  readonly replaces: readonly string[]
}

export interface Imports extends Store<readonly Import[]> {
  add(files: readonly SourceFile[]): void
  /** A file whose plan is known: straight to the review. */
  review(file: SourceFile, plan: ImportPlan, replaces: readonly string[]): void
  /** The same file read with other options; the review waits for it. */
  replan(id: number, plan: ImportPlan): Promise<ImportPlan | null>
  confirm(id: number, plan: ImportPlan, options: { readonly isKept: boolean }): Promise<void>
  /** Adds a file as it is found, without a review. Rejects where it cannot be read or has nothing in it. */
  addAsFound(file: SourceFile, change?: (plan: ImportPlan) => ImportPlan): Promise<readonly KeptTable[]>
  /** Back to the review, where a plan is known. */
  retry(id: number): void
  /** What is under way is stopped; nothing of it stays. */
  dismiss(id: number): void
}

export interface ImportsOptions {
  readonly workspace: Workspace
  /** After the tables are there: how they look is worked out before it is said that the file is done. */
  readonly profile: (table: KeptTable) => Promise<unknown>
}

export function createImports({ workspace, profile }: ImportsOptions): Imports {
  const cell = createCell<readonly Import[]>([])
  const stops = new Map<number, AbortController>()
  let last = 0

  // Files go into the engine one after the other: two at once would only take each other's memory.
  const inLine = createTaskLine()

  /** Of a file that was put away nothing is said any more. */
  const put = (id: number, state: ImportState) =>
    cell.set(cell.getSnapshot().map((one) => (one.id === id ? { ...one, state } : one)))
  const find = (id: number) => cell.getSnapshot().find((one) => one.id === id)

  function begin(file: SourceFile, state: ImportState, replaces: readonly string[] = []): number {
    last += 1
    cell.set([...cell.getSnapshot(), { id: last, file, state, replaces }])
    return last
  }

  function stopper(id: number): AbortSignal {
    const stop = new AbortController()
    stops.set(id, stop)
    return stop.signal
  }

  async function plan(id: number, file: SourceFile): Promise<void> {
    try {
      const found = await workspace.planImport(file, stopper(id))
      put(id, { kind: 'review', plan: found })
    } catch (error) {
      put(id, { kind: 'failed', message: wordsOf(error), plan: null })
    }
  }

  function load(id: number, plan: ImportPlan, isKept: boolean): Promise<readonly KeptTable[]> {
    const makes = plan.tables.filter(({ isChosen }) => isChosen).map(({ name }) => name)
    put(id, { kind: 'working', stage: 'waiting', makes })
    return inLine(async () => {
      const file = find(id)?.file
      if (file === undefined) return []
      const onStage = (stage: ImportStage | 'profiling') => put(id, { kind: 'working', stage, makes })
      onStage('reading')
      try {
        const tables = await workspace.addTables(file, plan, { isKept, onStage, signal: stopper(id) })
        onStage('profiling')
        // A table without a profile is a table all the same: the pane says it there.
        await Promise.allSettled(tables.map(profile))
        put(id, { kind: 'added', tables })
        return tables
      } catch (error) {
        put(id, { kind: 'failed', message: wordsOf(error), plan })
        throw error
      }
    })
  }

  return {
    getSnapshot: cell.getSnapshot,
    subscribe: cell.subscribe,
    add(files) {
      // The engine takes a moment: it may come while the files are looked at. Its failure is the pane's to say.
      workspace.start().catch(() => undefined)
      const begun = files.map((file) => [begin(file, looking), file] as const)
      void begun.reduce((before, [id, file]) => before.then(() => plan(id, file)), Promise.resolve())
    },
    review: (file, plan, replaces) => void begin(file, { kind: 'review', plan }, replaces),
    async replan(id, plan) {
      const file = find(id)?.file
      if (file === undefined) return null
      stops.get(id)?.abort()
      const signal = stopper(id)
      try {
        const found = await workspace.replanImport(file, plan, signal)
        if (signal.aborted) return null
        put(id, { kind: 'review', plan: found })
        return found
      } catch (error) {
        if (!signal.aborted) put(id, { kind: 'failed', message: wordsOf(error), plan })
        return null
      }
    },
    async confirm(id, plan, { isKept }) {
      await load(id, plan, isKept).catch(() => undefined) // its line says what failed
    },
    async addAsFound(file, change = (plan) => plan) {
      const id = begin(file, looking)
      await plan(id, file)
      const state = find(id)?.state
      if (state?.kind !== 'review') throw new Error(state?.kind === 'failed' ? state.message : 'The file was put away.')
      return load(id, change(state.plan), true)
    },
    retry(id) {
      const found = find(id)
      if (found?.state.kind !== 'failed') return
      if (found.state.plan !== null) return put(id, { kind: 'review', plan: found.state.plan })
      put(id, looking)
      void plan(id, found.file)
    },
    dismiss(id) {
      stops.get(id)?.abort()
      stops.delete(id)
      cell.set(cell.getSnapshot().filter((one) => one.id !== id))
    },
  }
}

const looking = { kind: 'working', stage: 'detecting', makes: [] } as const

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
