// The analyses of this browser, and the open one.
import { withTimeout } from '@quarterdeck/protocol'
import { createStore } from '../../stores/primitives/store.ts'
import { isOpenRun } from '../domain/analysis.ts'
import { analysisLock } from '../domain/analysis-lock.ts'
import type { AnalysesState, OpenAnalysis } from '../domain/data-services.ts'
import { openActionChannel } from '../runs/leadership/action-channel.ts'
import { type OpenedAnalysis, openAnalysis } from '../runs/open-analysis.ts'
import type { AnalysisServices, AnalysisStorage } from '../runs/ports/analysis-services.ts'
import type { AnalysisChange } from '../runs/state/analysis-fact.ts'
import { newAnalysis, summaryOf } from '../runs/state/new-analysis.ts'
import { forgetDrafts } from '../storage/analysis-drafts.ts'
import type { BrowserStorage } from '../storage/browser-storage.ts'
import { type HeldAnalyses, holdUnsaved } from './hold-unsaved.ts'
import { type Renaming, renameInAnalyses } from './rename-in-analyses.ts'

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
  const storage = createAnalysisStorage(browserStorage, held, () => void list())
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
      const isRunning = found?.runs.some(isOpenRun) ?? false
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

function createAnalysisStorage(
  browserStorage: Promise<BrowserStorage>,
  held: Promise<HeldAnalyses>,
  onSaved: () => void,
): AnalysisStorage {
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
