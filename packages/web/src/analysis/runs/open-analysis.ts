// An analysis on this page. The tab that leads it runs its questions and its steps; every other tab shows what that one
// keeps, and tells it what people want.
import { createCell } from '../../state/cell.ts'
import { failureOf } from '../../state/failure.ts'
import type { Analysis } from '../analysis.ts'
import { sandboxLimits } from '../sandbox/sandbox.ts'
import type { OpenAnalysis } from '../workspace.ts'
import { type Act, errorOf } from './act.ts'
import { openActChannel } from './act-channel.ts'
import type { AnalysisRooms } from './analysis-rooms.ts'
import { claimLeadership, untilAborted } from './claim-leadership.ts'
import { createStepRoom } from './create-step-room.ts'
import { estimateQuestion } from './estimate-question.ts'
import { stepsOf } from './fold-step.ts'
import { inScope } from './in-scope.ts'
import { leadAnalysis } from './lead-analysis.ts'
import { provingRows } from './proving-rows.ts'
import { createTransformRows } from './transform-rows.ts'

export async function openAnalysis(rooms: AnalysisRooms, id: string): Promise<OpenAnalysis | null> {
  const found = await rooms.shelf.load(id)
  if (found === null) return null
  const state = createCell<Analysis>(found)
  const transform = createTransformRows({
    ...{ sandbox: rooms.sandbox, toIpc: rooms.toIpc },
    rowsOf: (n, signal) => room.rows(n, sandboxLimits.rowsIn, signal),
  })
  const steps = () => stepsOf(state.getSnapshot())
  const room = createStepRoom({ analysisId: id, engine: rooms.engine, shelf: rooms.shelf, steps, transform })
  const stopListening = rooms.onRestart(room.forget)
  const name = `quarterdeck-analysis-${id}`
  const channel = openActChannel(new BroadcastChannel(name), { newId: () => crypto.randomUUID() })

  async function refresh(): Promise<void> {
    const kept = await rooms.shelf.load(id).catch(() => null) // what is shown stays
    if (kept !== null && !leadership.isLeader.getSnapshot()) state.set(kept)
  }

  const stopWatching = rooms.shelf.watch(id, () => void refresh())
  const leadership = claimLeadership({
    ...{ name, locks: rooms.locks },
    async lead(until) {
      // What the tab before has left, to its last word.
      const kept = await rooms.shelf.load(id).catch(() => null)
      if (kept !== null) state.set(kept)
      const lead = leadAnalysis({ rooms, state, room, transform })
      channel.serve(lead.perform)
      await untilAborted(until)
      await lead.leave()
    },
  })

  /** Resolves when it is done, in whichever tab. */
  async function perform(act: Act): Promise<void> {
    const error = errorOf(await channel.send(act))
    if (error !== null) throw error
  }

  return {
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
    answerAsk: (answer) => perform({ type: 'answer', answer }),
    editStep: (n, code) => perform({ type: 'edit', n, code }),
    restoreStep: (n) => perform({ type: 'restore', n }),
    runFrom: (n) => perform({ type: 'run-from', n }),
    rows: (n, maxRows, signal = never()) => room.rows(n, maxRows, signal),
    async useAsTable(n, table) {
      const { ipc } = await room.rows(n, tableRows, never())
      if (ipc === null) throw new Error(`step ${n} has more than ${tableRows.toLocaleString()} rows: narrow it first`)
      await rooms.useAsTable(table, ipc)
    },
    setLevel: (level) => perform({ type: 'change', change: { level } }),
    setScope: (scope) => perform({ type: 'change', change: { scope } }),
    setTitle: (title) => perform({ type: 'change', change: { title } }),
    chooseChart: (runId, index, choice) => perform({ type: 'chart', runId, index, choice }),
    provingRows: (runId) => provingRows(room, state.getSnapshot(), runId),
    close() {
      stopListening()
      stopWatching()
      leadership.release()
      channel.close()
    },
  }
}

/** Rows of a step that can become a table. */
const tableRows = 1_000_000

const never = (): AbortSignal => new AbortController().signal
