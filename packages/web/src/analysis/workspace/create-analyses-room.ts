// The analyses of this browser, and the one that is open on this page.
import { forgetDrafts } from '../../state/analysis-drafts.ts'
import { createCell, type Store } from '../../state/cell.ts'
import { analysisLock } from '../analysis-lock.ts'
import type { Kept } from '../kept/kept.ts'
import { openActChannel } from '../runs/act-channel.ts'
import type { AnalysisChange } from '../runs/analysis-fact.ts'
import type { AnalysisRooms } from '../runs/analysis-rooms.ts'
import type { AnalysisShelf } from '../runs/analysis-shelf.ts'
import { untilAborted } from '../runs/claim-leadership.ts'
import { newAnalysis, summaryOf } from '../runs/new-analysis.ts'
import { type OpenedAnalysis, openAnalysis } from '../runs/open-analysis.ts'
import type { AnalysesState, OpenAnalysis } from '../workspace.ts'
import { type HeldAnalyses, holdUnkept } from './hold-unkept.ts'
import { type Renaming, renameInAnalyses } from './rename-in-analyses.ts'

export interface AnalysesRoom {
  readonly state: Store<AnalysesState>
  create(scope: readonly string[]): Promise<string>
  remove(id: string): Promise<void>
  open(id: string): Promise<OpenAnalysis | null>
  /** In all of them; `to: null` takes it out of what they are about. */
  renameTable(renaming: Renaming): Promise<void>
  /** The one that is open, if one is. */
  current(): OpenAnalysis | null
  close(): Promise<void>
}

export interface AnalysesRoomOptions {
  readonly kept: Promise<Kept>
  readonly rooms: Omit<AnalysisRooms, 'shelf'>
  readonly hasEngine: () => boolean
}

export function createAnalysesRoom({ kept, rooms, hasEngine }: AnalysesRoomOptions): AnalysesRoom {
  const state = createCell<AnalysesState>(
    { analyses: null, unkept: [] },
    {
      onWatched() {
        void list()
        return () => undefined
      },
    },
  )
  const held = kept.then((shelves) => holdUnkept(shelves.analyses))
  const shelf = createShelf({ kept, held }, () => void list())
  let opened: { readonly id: string; readonly analysis: Promise<OpenedAnalysis | null> } | null = null
  let current: OpenAnalysis | null = null

  async function list(): Promise<void> {
    const analyses = await (await held).list()
    state.set({ analyses, unkept: (await held).unkept() })
  }

  void Promise.all([kept, held]).then(([shelves, { forget }]) =>
    shelves.watch((change) => {
      if (change.what !== 'analysis') return
      forget(change.id)
      void list()
    }),
  )

  /** Done by the tab that runs it, this one too. */
  async function tell(id: string, change: AnalysisChange): Promise<void> {
    const channel = openActChannel(new BroadcastChannel(analysisLock(id)), { newId: () => crypto.randomUUID() })
    try {
      // A tab that goes in this moment never answers.
      await Promise.race([channel.send({ type: 'change', change }), untilAborted(AbortSignal.timeout(3000))])
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
      // The steps of the one before leave the engine; where there is no engine yet there are none.
      if (hasEngine()) await rooms.runner.engine.dropSteps().catch(() => undefined) // they are replaced anyway
      return openAnalysis({ ...rooms, shelf }, id)
    })()
    opened = { id, analysis }
    return analysis
  }

  return {
    state,
    current: () => current,
    close,
    async create(scope) {
      const id = crypto.randomUUID()
      await shelf.save(newAnalysis(id, scope, new Date().toISOString()))
      return id
    },
    async remove(id) {
      if (opened?.id === id) await close()
      const found = await shelf.load(id)
      const isRunning = found?.runs.some((run) => run.state === 'running' || run.state === 'waiting') ?? false
      // Nobody would answer its calls: the server need not wait for them.
      if (isRunning && found?.sessionId) await rooms.client.cancelAnalysis(found.sessionId).catch(() => undefined)
      await (await held).remove(id)
      forgetDrafts(id)
      await list()
    },
    async renameTable(renaming) {
      const ids = (await (await held).list()).map(({ id }) => id)
      const isOpen = (id: string) => opened?.id === id
      await renameInAnalyses({ ...shelf, tell, locks: rooms.locks, isOpen }, ids, renaming)
    },
    async open(id) {
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

interface ShelfDeps {
  readonly kept: Promise<Kept>
  readonly held: Promise<HeldAnalyses>
}

function createShelf({ kept, held }: ShelfDeps, onSaved: () => void): AnalysisShelf {
  return {
    load: async (id) => (await held).load(id),
    async save(analysis) {
      await (await held).save(analysis, summaryOf(analysis))
      onSaved()
    },
    loadStep: async (id, n) => (await kept).steps.load(id, n),
    async saveStep(id, n, ipc) {
      await (await kept).steps.save(id, n, ipc)
    },
    watch(id, listener) {
      const watching = kept.then((shelves) =>
        shelves.watch((change) => {
          if (change.what === 'analysis' && change.id === id) listener()
        }),
      )
      return () => void watching.then((stop) => stop())
    },
  }
}
