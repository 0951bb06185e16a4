// Files on their way to become tables: each goes alone, may be cancelled, and waits for a person where it is reviewed.

import { createStore, type Store } from '../../../../stores/primitives/store.ts'
import { createTaskQueue } from '../../../../stores/primitives/task-queue.ts'
import type { AddOptions, DataServices } from '../../../domain/data-services.ts'
import type { ImportCheck, ImportPlan, ImportSource, ImportStage } from '../../../domain/import-plan.ts'
import type { ImportedTable } from '../../../domain/imported-table.ts'
import { ImportError, type ImportProblem } from '../../../import/source/import-error.ts'
import { rejectedRowsOf } from '../rejected/rejected-rows.ts'
import { createImportList, type Import, type ImportList, type ImportState } from './import-list.ts'
import { hasPreview, withPreviews } from './plan-edits.ts'

export interface Imports extends Store<readonly Import[]> {
  /** The tables of the file that came in last: said to whoever does not see the list grow. */
  readonly arrived: Store<readonly ImportedTable[]>
  add(files: readonly ImportSource[]): void
  /** A file whose plan is known: straight to the review, but for its first rows where they were not kept. */
  review(file: ImportSource, plan: ImportPlan, replaces: readonly string[]): Promise<void>
  /** A file that could not even be looked at: a line says why, and it can be tried again. */
  refuse(file: ImportSource, error: unknown, replaces: readonly string[]): void
  /** The same file read with other options; the review waits for it. */
  replan(id: number, plan: ImportPlan): Promise<ImportPlan | null>
  /** Counts the values of the file that do not fit the types of the plan. */
  check(id: number, plan: ImportPlan, signal: AbortSignal): Promise<ImportCheck>
  confirm(id: number, plan: ImportPlan, options: Confirmed): Promise<void>
  /** Adds a file as it is found, without a review. Rejects where it cannot be read, or was put away. */
  addAsFound(file: ImportSource, options?: AsFoundOptions): Promise<readonly ImportedTable[]>
  /** Back to the review, where a plan is known. */
  retry(id: number): void
  /** What is under way is stopped; nothing of it stays. */
  dismiss(id: number): void
}

/** What a person said with the plan. */
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
  /** After the tables are there: how they look is worked out before it is said that the file is done. */
  readonly profile: (table: ImportedTable) => Promise<unknown>
}

export function createImports(options: ImportsOptions): Imports {
  const { services } = options
  const list = createImportList()
  const arrived = createStore<readonly ImportedTable[]>([])
  const load = createLoader(options, list, arrived.set)
  // As long as the page: there is one of these for each workspace.
  services.tables.subscribe(() => {
    const { listed } = services.tables.getSnapshot()
    if (listed !== null) list.keepOnly(listed)
  })

  /** What the file seems to hold; one that was put away meanwhile is not looked at. */
  async function makePlan(id: number): Promise<ImportPlan> {
    const file = list.find(id)?.file
    if (file === undefined) throw new Error(putAway)
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
    arrived,
    add(files) {
      // The engine takes a moment: it may come while the files are looked at. Its failure is the pane's to say.
      services.start().catch(() => undefined)
      const begun = files.map((file) => list.begin(file, looking))
      void begun.reduce((before, id) => before.then(() => planAndReview(id)), Promise.resolve())
    },
    async review(file, plan, replaces) {
      if (plan.tables.every(hasPreview)) return void list.begin(file, { kind: 'review', plan }, replaces)
      const id = list.begin(file, looking, replaces)
      const found = await list.stoppable(id, (signal) => services.replanImport(file, plan, signal)).catch(() => null) // what is in the way is said when it is added
      list.put(id, { kind: 'review', plan: found === null ? plan : withPreviews(plan, found) })
    },
    refuse: (file, error, replaces) => void list.begin(file, failed(error, null), replaces),
    replan: (id, plan) => replan({ services, list }, id, plan),
    async check(id, plan, signal) {
      const file = list.find(id)?.file
      if (file === undefined) throw new Error(putAway)
      return services.checkImport(file, plan, signal)
    },
    async confirm(id, plan, confirmed) {
      await load(id, plan, confirmed).catch(() => undefined) // its line says what failed
    },
    async addAsFound(file, { change, replaces = [] } = {}) {
      const id = list.begin(file, looking, replaces)
      const plan = await makePlan(id)
      return load(id, change?.(plan) ?? plan, { isKept: true, replaces })
    },
    retry(id) {
      const state = list.find(id)?.state
      if (state?.kind !== 'failed') return
      if (state.plan !== null) return list.put(id, { kind: 'review', plan: state.plan })
      list.put(id, looking)
      void planAndReview(id)
    },
    dismiss: list.remove,
  }
}

type Load = (id: number, plan: ImportPlan, confirmed: Confirmed) => Promise<readonly ImportedTable[]>

function createLoader(
  { services, profile }: ImportsOptions,
  list: ImportList,
  onArrived: (tables: readonly ImportedTable[]) => void,
): Load {
  // Files go into the engine one after the other: two at once would only take each other's memory.
  const inOrder = createTaskQueue()

  return (id, plan, { isUnchecked = false, ...confirmed }) => {
    const makes = plan.tables.filter(({ isChosen }) => isChosen).map(({ name }) => name)
    const onStage = (stage: ImportStage | 'waiting' | 'profiling') => list.put(id, { kind: 'working', stage, makes })
    onStage('waiting')
    return inOrder(async () => {
      const file = list.find(id)?.file
      if (file === undefined) throw new Error(putAway)
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
        // A table without a profile is a table all the same: the pane says it there.
        await Promise.allSettled(tables.map(profile))
        // Another tab may have been faster with a name: it is said which one it got.
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

interface Replanning {
  readonly services: DataServices
  readonly list: ImportList
}

function replan({ services, list }: Replanning, id: number, plan: ImportPlan): Promise<ImportPlan | null> {
  const file = list.find(id)?.file
  if (file === undefined) return Promise.resolve(null)
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
}

const hasRemark = ({ rejectedCount, isKept }: ImportedTable): boolean => rejectedCount > 0 || !isKept

const looking = { kind: 'working', stage: 'detecting', makes: [] } as const
const putAway = 'The file was put away.'

const failed = (error: unknown, plan: ImportPlan | null): ImportState => ({
  kind: 'failed',
  plan,
  message: error instanceof Error ? error.message : String(error),
  mayRetry: plan !== null || !(error instanceof ImportError && hopeless.includes(error.problem)),
})

/** Of the file itself: it would be refused again. */
const hopeless: readonly ImportProblem[] = ['empty', 'unsupported', 'too-large']
