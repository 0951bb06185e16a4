// The analyses of this browser, and the open one.
import { withTimeout } from '@quarterdeck/protocol'
import { createStore } from '../../stores/primitives/store.ts'
import type { Analysis } from '../domain/analysis.ts'
import { analysisLock } from '../domain/analysis-lock.ts'
import type { AnalysesState, OpenAnalysis } from '../domain/data-services.ts'
import { openActionChannel } from '../runs/leadership/action-channel.ts'
import { type OpenedAnalysis, openAnalysis } from '../runs/open-analysis.ts'
import type { AnalysisServices, AnalysisStorage } from '../runs/ports/analysis-services.ts'
import type { AnalysisChange } from '../runs/state/analysis-fact.ts'
import { newAnalysis, summaryOf } from '../runs/state/new-analysis.ts'
import { forgetDrafts } from '../storage/analysis-drafts.ts'
import type { BrowserStorage, StoredAnalyses } from '../storage/browser-storage.ts'

export interface AnalysesServiceOptions {
  readonly browserStorage: Promise<BrowserStorage>
  readonly services: Omit<AnalysisServices, 'storage'>
  readonly hasEngine: () => boolean
}

export function createAnalysesService({ browserStorage, services, hasEngine }: AnalysesServiceOptions) {
  const state = createStore<AnalysesState>(
    { analyses: null, unsaved: [] },
    {
      onWatched() {
        void list()
        return () => undefined
      },
    },
  )
  const held = browserStorage.then((openedStorage) => holdUnsaved(openedStorage.analyses))
  const storage = createAnalysisStorage({ browserStorage, held }, () => void list())
  let opened: { readonly id: string; readonly analysis: Promise<OpenedAnalysis | null> } | null = null
  let current: OpenAnalysis | null = null

  async function list(): Promise<void> {
    const analyses = await (await held).list()
    state.set({ analyses, unsaved: (await held).unsaved() })
  }

  void Promise.all([browserStorage, held]).then(([openedStorage, { forget }]) =>
    openedStorage.watch((change) => {
      if (change.what !== 'analysis') return
      forget(change.id)
      void list()
    }),
  )

  /** Performed by the tab that leads it, which may be this one. */
  async function notifyTab(id: string, change: AnalysisChange): Promise<void> {
    const channel = openActionChannel(new BroadcastChannel(analysisLock(id)), { newId: () => crypto.randomUUID() })
    try {
      // A tab that closes at this moment never answers.
      await withTimeout(channel.send({ type: 'change', change }), 3000)
    } finally {
      channel.close()
    }
  }

  async function close(): Promise<void> {
    const before = opened
    opened = null
    current = null
    await (await before?.analysis)?.leave()
  }

  function change(id: string): Promise<OpenedAnalysis | null> {
    const before = opened
    const analysis = (async () => {
      await (await before?.analysis)?.leave()
      // Drops the steps of the previous analysis; without an engine there are none.
      if (hasEngine()) await services.runner.engine.dropSteps().catch(() => undefined) // they are replaced anyway
      return openAnalysis({ ...services, storage }, id)
    })()
    opened = { id, analysis }
    return analysis
  }

  return {
    state,
    /** The open analysis, if any. */
    current: () => current,
    close,
    async create(scope: readonly string[]) {
      const id = crypto.randomUUID()
      await storage.save(newAnalysis(id, scope, new Date().toISOString()))
      return id
    },
    async remove(id: string) {
      if (opened?.id === id) await close()
      const found = await storage.load(id)
      const isRunning = found?.runs.some((run) => run.state === 'running' || run.state === 'waiting') ?? false
      // Stops its run, because no tab would answer its calls.
      if (isRunning && found?.sessionId) await services.client.cancelAnalysis(found.sessionId).catch(() => undefined)
      await (await held).remove(id)
      forgetDrafts(id)
      await list()
    },
    /** Renames a table in all analyses; `to: null` removes it from their scope. */
    async renameTable(renaming: Renaming) {
      const ids = (await (await held).list()).map(({ id }) => id)
      const isOpen = (id: string) => opened?.id === id
      await renameInAnalyses({ ...storage, notifyTab, locks: services.locks, isOpen }, ids, renaming)
    },
    async open(id: string) {
      const found = await (opened?.id === id ? opened.analysis : change(id))
      if (found === null) {
        if (opened?.id === id) opened = null
        return null
      }
      current = found.open
      return found.open
    },
  }
}

interface AnalysisStorageDeps {
  readonly browserStorage: Promise<BrowserStorage>
  readonly held: Promise<HeldAnalyses>
}

function createAnalysisStorage({ browserStorage, held }: AnalysisStorageDeps, onSaved: () => void): AnalysisStorage {
  return {
    load: async (id) => (await held).load(id),
    async save(analysis) {
      await (await held).save(analysis, summaryOf(analysis))
      onSaved()
    },
    loadStep: async (id, n) => (await browserStorage).steps.load(id, n),
    async saveStep(id, n, ipc) {
      await (await browserStorage).steps.save(id, n, ipc)
    },
    watch(id, listener) {
      const watching = browserStorage.then((openedStorage) =>
        openedStorage.watch((change) => {
          if (change.what === 'analysis' && change.id === id) listener()
        }),
      )
      return () => void watching.then((stop) => stop())
    },
  }
}

// Analyses that did not fit into storage: this page keeps them in memory until it closes.
interface HeldAnalyses extends StoredAnalyses {
  /** Analyses whose last state is only on this page. */
  unsaved(): readonly string[]
  /** Another tab saved or removed it. */
  forget(id: string): void
}

type Held = Parameters<StoredAnalyses['save']>

export function holdUnsaved(stored: StoredAnalyses): HeldAnalyses {
  const held = new Map<string, { readonly analysis: Analysis; readonly summary: Held[1] }>()
  return {
    unsaved: () => [...held.keys()],
    forget: (id) => void held.delete(id),
    async list() {
      const listed = await stored.list().catch(() => [])
      const only = [...held.values()].map(({ summary }) => summary)
      return [...only, ...listed.filter(({ id }) => !held.has(id))].toSorted((one, other) =>
        other.changedAt.localeCompare(one.changedAt),
      )
    },
    load: async (id) => held.get(id)?.analysis ?? stored.load(id),
    async save(analysis, summary) {
      try {
        await stored.save(analysis, summary)
        held.delete(analysis.id)
      } catch {
        // Without space the analysis is usable but reported as not saved.
        held.set(analysis.id, { analysis, summary })
      }
    },
    async remove(id) {
      held.delete(id)
      await stored.remove(id)
    },
  }
}

// Renames a table in the analyses that use it, even in those that are not open.
interface RenameDeps {
  readonly load: (id: string) => Promise<Analysis | null>
  readonly save: (analysis: Analysis) => Promise<void>
  /** Performed by the tab that leads it. */
  readonly notifyTab: (id: string, change: AnalysisChange) => Promise<void>
  readonly locks: Pick<LockManager, 'request'> | undefined
  /** Without Web Locks: whether this tab leads it. */
  readonly isOpen: (id: string) => boolean
}

interface Renaming {
  readonly from: string
  /** `null`: removes the table from the scope. */
  readonly to: string | null
}

/** One after the other; a failed one does not stop the next. */
export async function renameInAnalyses(deps: RenameDeps, ids: readonly string[], renaming: Renaming): Promise<void> {
  for (const id of ids) await renameInOne(deps, id, renaming).catch(() => undefined) // the analysis then lacks this table
}

async function renameInOne(deps: RenameDeps, id: string, renaming: Renaming): Promise<void> {
  const { load, save, notifyTab, locks, isOpen } = deps
  const change = async (isLed: boolean): Promise<void> => {
    const found = await load(id)
    const changed = found === null ? null : renamed(found, renaming)
    if (found === null || changed === null) return
    await (isLed ? notifyTab(id, changed) : save({ ...found, ...changed }))
  }
  // The tab that leads it would overwrite a change in storage.
  if (locks === undefined) return change(isOpen(id))
  await locks.request(analysisLock(id), { ifAvailable: true }, (lock) => change(lock === null))
}

function renamed({ scope, tables }: Analysis, { from, to }: Renaming): AnalysisChange | null {
  if (!scope.includes(from) && !tables.some(({ name }) => name === from)) return null
  return {
    scope: [...new Set(scope.flatMap((name) => (name !== from ? [name] : to === null ? [] : [to])))],
    tables: to === null ? tables : tables.map((table) => (table.name === from ? { ...table, name: to } : table)),
  }
}
