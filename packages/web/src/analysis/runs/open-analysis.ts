// An analysis on this page. The tab that leads it runs its questions and its steps; every other tab shows what that one
// keeps, and tells it what people want.

import { createCell } from '../../state/cell.ts'
import { failureOf } from '../../state/failure.ts'
import type { Analysis } from '../analysis.ts'
import { analysisLock } from '../analysis-lock.ts'
import type { OpenAnalysis } from '../workspace.ts'
import { type Act, errorOf } from './act.ts'
import { openActChannel } from './act-channel.ts'
import type { AnalysisRooms } from './analysis-rooms.ts'
import type { AnalysisShelf } from './analysis-shelf.ts'
import { claimLeadership, untilAborted } from './claim-leadership.ts'
import { createStepRoom } from './create-step-room.ts'
import { estimateQuestion } from './estimate-question.ts'
import { stepsOf } from './fold-step.ts'
import { inScope } from './in-scope.ts'
import { leadAnalysis } from './lead-analysis.ts'

export interface OpenedAnalysis {
  readonly open: OpenAnalysis
  /** Resolves when nothing of it runs here any more: then another tab may lead. */
  leave(): Promise<void>
}

export async function openAnalysis(rooms: AnalysisRooms, id: string): Promise<OpenedAnalysis | null> {
  const found = await rooms.shelf.load(id)
  if (found === null) return null
  const state = createCell<Analysis>(found)
  const steps = () => stepsOf(state.getSnapshot())
  const room = createStepRoom({ analysisId: id, runner: rooms.runner, shelf: rooms.shelf, steps })
  const stopListening = rooms.onRestart(room.forget)
  const name = analysisLock(id)
  const channel = openActChannel(new BroadcastChannel(name), { newId: () => crypto.randomUUID() })

  let isRemoved = false
  const shelf: AnalysisShelf = {
    ...rooms.shelf,
    // What a person removed in another tab does not come back.
    save: async (analysis) => (isRemoved ? undefined : rooms.shelf.save(analysis)),
  }

  async function refresh(): Promise<void> {
    const kept = await rooms.shelf.load(id)
    isRemoved = kept === null
    if (kept !== null && !leadership.isLeader.getSnapshot()) state.set(kept)
  }

  const stopWatching = rooms.shelf.watch(id, () => void refresh().catch(() => undefined)) // what is shown stays
  const leadership = claimLeadership({
    ...{ name, locks: rooms.locks },
    async lead(until) {
      // What the tab before has left, to its last word.
      const kept = await rooms.shelf.load(id).catch(() => null)
      if (kept !== null) state.set(kept)
      const lead = leadAnalysis({ rooms: { ...rooms, shelf }, state, room })
      channel.serve(lead.perform)
      await untilAborted(until)
      // What comes now is for the tab that leads next: it is sent until somebody does it.
      channel.serve(null)
      await lead.leave()
    },
  })

  /** Resolves when it is done, in whichever tab. */
  async function perform(act: Act): Promise<void> {
    const error = errorOf(await channel.send(act))
    if (error !== null) throw error
  }

  const open: OpenAnalysis = {
    ...{ state, isLeader: leadership.isLeader },
    estimate(question) {
      const analysis = state.getSnapshot()
      const columns = inScope(rooms.tables(), analysis).reduce((sum, table) => sum + table.columns.length, 0)
      return estimateQuestion(question, { analysis, columns, models: rooms.models() })
    },
    async ask(question) {
      const error = errorOf(await channel.send({ type: 'ask', question }))
      return error === null ? null : failureOf(error)
    },
    cancel: () => perform({ type: 'cancel' }),
    answerAsk: (to, answer) => perform({ type: 'answer', to, answer }),
    editStep: (n, code) => perform({ type: 'edit', n, code }),
    restoreStep: (n) => perform({ type: 'restore', n }),
    runFrom: (n) => perform({ type: 'run-from', n }),
    rows: (n, maxRows, signal = never()) => room.rows(n, maxRows, signal),
    async useAsTable(n, table) {
      const { ipc } = await room.rows(n, tableRows, never())
      if (ipc === null) throw new Error(`step ${n} has more than ${tableRows.toLocaleString()} rows: narrow it first`)
      await rooms.addTable(table, ipc)
    },
    setLevel: (level) => perform({ type: 'change', change: { level } }),
    setScope: (scope) => perform({ type: 'change', change: { scope } }),
    setTitle: (title) => perform({ type: 'change', change: { title } }),
    chooseChart: (runId, index, choice) => perform({ type: 'chart', runId, index, choice }),
    // It goes on while the person is on another page of this tab: another analysis takes its place, or nobody does.
    close: () => undefined,
  }
  return {
    open,
    async leave() {
      stopListening()
      stopWatching()
      leadership.release()
      await leadership.over
      channel.close()
    },
  }
}

/** Rows of a step that can become a table. */
const tableRows = 1_000_000

const never = (): AbortSignal => new AbortController().signal
