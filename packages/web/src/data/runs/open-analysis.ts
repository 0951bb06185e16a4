// An open analysis. The leading tab runs its questions and steps; other tabs show the stored state and send it actions.
import { formatCount, neverAborted, untilAborted } from '@quarterdeck/protocol'
import { failureOf } from '../../stores/primitives/failure.ts'
import { createStore } from '../../stores/primitives/store.ts'
import type { Analysis } from '../domain/analysis.ts'
import { analysisLock } from '../domain/analysis-lock.ts'
import type { OpenAnalysis } from '../domain/data-services.ts'
import { leadAnalysis } from './lead-analysis.ts'
import { openActionChannel } from './leadership/action-channel.ts'
import { type AnalysisAction, errorOf } from './leadership/analysis-action.ts'
import { claimLeadership } from './leadership/claim-leadership.ts'
import type { AnalysisServices, AnalysisStorage } from './ports/analysis-services.ts'
import { estimateQuestion } from './questions/estimate-question.ts'
import { stepsOf } from './state/fold-step.ts'
import { inScope } from './state/in-scope.ts'
import { createStepCache } from './steps/step-cache.ts'

export interface OpenedAnalysis {
  readonly open: OpenAnalysis
  /** Resolves when nothing of it runs here, so that another tab can lead. */
  leave(): Promise<void>
}

export async function openAnalysis(services: AnalysisServices, id: string): Promise<OpenedAnalysis | null> {
  const found = await services.storage.load(id)
  if (found === null) return null
  const state = createStore<Analysis>(found)
  const steps = () => stepsOf(state.getSnapshot())
  const stepCache = createStepCache({ analysisId: id, runner: services.runner, storage: services.storage, steps })
  const stopListening = services.onRestart(stepCache.forget)
  const name = analysisLock(id)
  const channel = openActionChannel(new BroadcastChannel(name), { newId: () => crypto.randomUUID() })

  let isRemoved = false
  const storage: AnalysisStorage = {
    ...services.storage,
    // An analysis that was removed in another tab must not be saved again.
    save: async (analysis) => (isRemoved ? undefined : services.storage.save(analysis)),
  }

  async function refresh(): Promise<void> {
    const stored = await services.storage.load(id)
    isRemoved = stored === null
    if (stored !== null && !leadership.isLeader.getSnapshot()) state.set(stored)
  }

  const stopWatching = services.storage.watch(id, () => void refresh().catch(() => undefined)) // keep what is shown
  const leadership = claimLeadership({
    name,
    locks: services.locks,
    async lead(until) {
      // Loads the final state of the previous lead.
      const stored = await services.storage.load(id).catch(() => null)
      if (stored !== null) state.set(stored)
      const lead = leadAnalysis({ services: { ...services, storage }, state, stepCache })
      channel.serve(lead.perform)
      await untilAborted(until)
      // New actions go to the next lead: they are repeated until performed.
      channel.serve(null)
      await lead.leave()
    },
  })

  /** Resolves when it is performed, in any tab. */
  async function perform(action: AnalysisAction): Promise<void> {
    const error = errorOf(await channel.send(action))
    if (error !== null) throw error
  }

  const open: OpenAnalysis = {
    state,
    isLeader: leadership.isLeader,
    estimate(question) {
      const analysis = state.getSnapshot()
      const columns = inScope(services.tables(), analysis).reduce((sum, table) => sum + table.columns.length, 0)
      return estimateQuestion(question, { analysis, columns, models: services.models() })
    },
    async ask(question) {
      const error = errorOf(await channel.send({ type: 'ask', question }))
      return error === null ? null : failureOf(error)
    },
    cancel: () => perform({ type: 'cancel' }),
    answerPrompt: (to, answer) => perform({ type: 'answer', to, answer }),
    editStep: (n, code) => perform({ type: 'edit', n, code }),
    restoreStep: (n) => perform({ type: 'restore', n }),
    runFrom: (n) => perform({ type: 'run-from', n }),
    rows: (n, maxRows, signal = neverAborted()) => stepCache.rows(n, maxRows, signal),
    async useAsTable(n, table) {
      const { ipc } = await stepCache.rows(n, tableRows, neverAborted())
      if (ipc === null) throw new Error(`step ${n} has more than ${formatCount(tableRows)} rows: narrow it first`)
      await services.addTable(table, ipc)
    },
    setLevel: (level) => perform({ type: 'change', change: { level } }),
    setScope: (scope) => perform({ type: 'change', change: { scope } }),
    setTitle: (title) => perform({ type: 'change', change: { title } }),
    chooseChart: (runId, index, choice) => perform({ type: 'chart', runId, index, choice }),
    // It keeps running while the user visits other pages, until another analysis is opened.
    close: () => undefined,
  }
  return {
    open,
    async leave() {
      stopListening()
      stopWatching()
      leadership.release()
      await leadership.ended
      channel.close()
    },
  }
}

/** The maximum number of step rows that can become a table. */
const tableRows = 1_000_000
