// Imports files as tables: each separately, cancellable, and waiting for the user during its review.
import { createSerialQueue, messageOf } from '@quarterdeck/protocol'
import { createStore } from '../../../../stores/primitives/store.ts'
import type { AddOptions, DataServices } from '../../../domain/data-services.ts'
import {
  type ImportCheck,
  type ImportPlan,
  type ImportSource,
  type ImportStage,
  rejectedRowsOf,
} from '../../../domain/import-plan.ts'
import type { ImportedTable } from '../../../domain/imported-table.ts'
import { ImportError, type ImportProblem } from '../../../import/source/import-error.ts'
import { createImportList, type ImportList, type ImportState } from './import-list.ts'
import { hasPreview, withPreviews } from './plan-edits.ts'

export type Imports = ReturnType<typeof createImports>

/** Choices of the user besides the plan. */
export interface Confirmed extends Pick<AddOptions, 'isKept' | 'replaces'> {
  /** Checks the values first. If rows would be rejected, the file goes back to its review. */
  readonly isUnchecked?: boolean
}

export interface AsFoundOptions {
  readonly change?: (plan: ImportPlan) => ImportPlan
  readonly replaces?: readonly string[]
}

export interface ImportsOptions {
  readonly services: DataServices
  /** Called after the tables exist: profiles are calculated before the file counts as done. */
  readonly profile: (table: ImportedTable) => Promise<unknown>
}

export function createImports(options: ImportsOptions) {
  const { services } = options
  const list = createImportList()
  const arrived = createStore<readonly ImportedTable[]>([])
  const load = createLoader(options, list, arrived.set)
  // Lives as long as the page: one per services object.
  services.tables.subscribe(() => {
    const { listed } = services.tables.getSnapshot()
    if (listed !== null) list.keepOnly(listed)
  })

  /** Detects the content of the file, unless it was dismissed meanwhile. */
  async function makePlan(id: number): Promise<ImportPlan> {
    const file = list.fileOf(id)
    return list
      .stoppable(id, (signal) => services.planImport(file, signal))
      .catch((error: unknown) => {
        list.put(id, failed(error, null))
        throw error
      })
  }

  const planAndReview = (id: number): Promise<void> =>
    makePlan(id).then(
      (plan) => list.put(id, { kind: 'review', plan }),
      () => undefined, // its line says what failed
    )

  return {
    getSnapshot: list.getSnapshot,
    subscribe: list.subscribe,
    /** The tables of the last imported file, announced to screen readers. */
    arrived,
    add(files: readonly ImportSource[]): void {
      // Starts the engine while files are detected. The pane shows its failure.
      services.start().catch(() => undefined)
      const begun = files.map((file) => list.begin(file, looking))
      void begun.reduce((before, id) => before.then(() => planAndReview(id)), Promise.resolve())
    },
    /** Opens the review of a file with a known plan, after reading its first rows if they were not stored. */
    async review(file: ImportSource, plan: ImportPlan, replaces: readonly string[]): Promise<void> {
      if (plan.tables.every(hasPreview)) return void list.begin(file, { kind: 'review', plan }, replaces)
      const id = list.begin(file, looking, replaces)
      const found = await list.stoppable(id, (signal) => services.replanImport(file, plan, signal)).catch(() => null) // problems are reported when it is added
      list.put(id, { kind: 'review', plan: found === null ? plan : withPreviews(plan, found) })
    },
    /** Adds a failed line for a file that could not be opened; it can be retried. */
    refuse: (file: ImportSource, error: unknown, replaces: readonly string[]) =>
      void list.begin(file, failed(error, null), replaces),
    /** Plans the same file with other options; the review waits for it. */
    async replan(id: number, plan: ImportPlan): Promise<ImportPlan | null> {
      const file = list.find(id)?.file
      if (file === undefined) return null
      return list.stoppable(id, async (signal) => {
        try {
          const found = await services.replanImport(file, plan, signal)
          if (signal.aborted) return null
          list.put(id, { kind: 'review', plan: found })
          return found
        } catch (error) {
          if (!signal.aborted) list.put(id, failed(error, plan))
          return null
        }
      })
    },
    /** Counts the values of the file that do not fit the types of the plan. */
    async check(id: number, plan: ImportPlan, signal: AbortSignal): Promise<ImportCheck> {
      return services.checkImport(list.fileOf(id), plan, signal)
    },
    async confirm(id: number, plan: ImportPlan, confirmed: Confirmed): Promise<void> {
      await load(id, plan, confirmed).catch(() => undefined) // its line shows the failure
    },
    /** Adds a file as detected, without a review. Rejects if it cannot be read or was dismissed. */
    async addAsFound(file: ImportSource, { change, replaces = [] }: AsFoundOptions = {}) {
      const id = list.begin(file, looking, replaces)
      const plan = await makePlan(id)
      return load(id, change?.(plan) ?? plan, { isKept: true, replaces })
    },
    /** Returns to the review if there is a plan. */
    retry(id: number): void {
      const state = list.find(id)?.state
      if (state?.kind !== 'failed') return
      if (state.plan !== null) return list.put(id, { kind: 'review', plan: state.plan })
      list.put(id, looking)
      void planAndReview(id)
    },
    /** Cancels the running work; nothing of it stays. */
    dismiss: list.remove,
  }
}

type Load = (id: number, plan: ImportPlan, confirmed: Confirmed) => Promise<readonly ImportedTable[]>

function createLoader(
  { services, profile }: ImportsOptions,
  list: ImportList,
  onArrived: (tables: readonly ImportedTable[]) => void,
): Load {
  // Files load one after the other, because parallel imports would compete for memory.
  const runInOrder = createSerialQueue()

  return (id, plan, { isUnchecked = false, ...confirmed }) => {
    const makes = plan.tables.filter(({ isChosen }) => isChosen).map(({ name }) => name)
    const onStage = (stage: ImportStage | 'waiting' | 'profiling') => list.put(id, { kind: 'working', stage, makes })
    onStage('waiting')
    return runInOrder(async () => {
      const file = list.fileOf(id)
      onStage('reading')
      try {
        if (isUnchecked) {
          const check = await list.stoppable(id, (signal) => services.checkImport(file, plan, signal))
          if (rejectedRowsOf(check) > 0) {
            list.put(id, { kind: 'review', plan })
            return []
          }
        }
        const tables = await list.stoppable(id, (signal) =>
          services.addTables(file, plan, { ...confirmed, onStage, signal }),
        )
        onStage('profiling')
        // A table works without a profile: the pane shows the failure.
        await Promise.allSettled(tables.map(profile))
        // Another tab may have taken a name: the remark says which one was used.
        const isRenamed = tables.some(({ name }) => !makes.includes(name))
        if (isRenamed || tables.some(hasRemark)) list.put(id, { kind: 'added', tables })
        else list.remove(id)
        onArrived(tables)
        return tables
      } catch (error) {
        list.put(id, failed(error, plan))
        throw error
      }
    })
  }
}

const hasRemark = ({ rejectedCount, isKept }: ImportedTable): boolean => rejectedCount > 0 || !isKept

const looking = { kind: 'working', stage: 'detecting', makes: [] } as const

const failed = (error: unknown, plan: ImportPlan | null): ImportState => ({
  kind: 'failed',
  plan,
  message: messageOf(error),
  mayRetry: plan !== null || !(error instanceof ImportError && hopeless.includes(error.problem)),
})

/** Caused by the file itself: a retry would fail again. */
const hopeless: readonly ImportProblem[] = ['empty', 'unsupported', 'too-large']
