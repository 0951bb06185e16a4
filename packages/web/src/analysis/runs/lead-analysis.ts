// The tab that leads an analysis: what happens to it happens here, and is written down before anybody else hears of it.
import { type AnalysisTool, createClient } from '@quarterdeck/protocol'
import type { Cell } from '../../state/cell.ts'
import type { Analysis } from '../analysis.ts'
import { describeTables } from '../privacy/describe-tables.ts'
import { createLedgerFetch } from '../privacy/ledger-fetch.ts'
import { createAnalysisTools } from '../tools/create-analysis-tools.ts'
import { type Act, type ActOutcome, outcomeOf } from './act.ts'
import type { AnalysisFact } from './analysis-fact.ts'
import type { AnalysisRooms } from './analysis-rooms.ts'
import { askPeople } from './ask-people.ts'
import { chooseAgent } from './choose-agent.ts'
import { createConductor } from './conduct-runs.ts'
import { createRerunner } from './create-rerunner.ts'
import { createSaver } from './create-saver.ts'
import type { StepRoom } from './create-step-room.ts'
import { foldAnalysis, leftSteps } from './fold-analysis.ts'
import { stepOfCall, stepsOf } from './fold-step.ts'
import { inScope, otherTables } from './in-scope.ts'
import { openStepBook, withheldSteps } from './open-step-book.ts'
import { termsOf } from './terms-of.ts'
import { withoutNames } from './without-names.ts'

export interface Lead {
  perform(act: Act, id: string): Promise<ActOutcome>
  /** Resolves when everything is written down and nothing runs here any more. */
  leave(): Promise<void>
}

export interface LeadOptions {
  readonly rooms: AnalysisRooms
  readonly state: Cell<Analysis>
  readonly room: StepRoom
}

export function leadAnalysis({ rooms, state, room }: LeadOptions): Lead {
  const analysis = state.getSnapshot
  let isOver = false
  // What ends later than the lead is older than what the next tab writes.
  const saver = createSaver(async () => (isOver ? undefined : rooms.shelf.save(analysis())))
  const tables = () => inScope(rooms.tables(), analysis())
  const terms = () => termsOf(analysis(), rooms.tables())
  const record = (fact: AnalysisFact): void => {
    state.set(foldAnalysis(analysis(), fact, new Date().toISOString()))
    saver.soon()
  }
  const engine = withoutNames(rooms.runner.engine, () => withheldSteps(analysis(), rooms.tables()))
  const conductor = createConductor({
    ...{ analysis, record, save: saver.now, client: ledgerClient(), tables, ready: rooms.ready },
    chooseAgent: async () => chooseAgent((await rooms.client.listAgents()).agents),
    describe: (described, signal) =>
      describeTables(rooms.runner.engine, described, { level: analysis().level, signal }),
    toolsOf(runId, desk) {
      const steps = openStepBook({
        runId,
        analysis,
        record,
        save: saver.now,
        room,
        shelf: rooms.shelf,
        tables: rooms.tables,
      })
      const ask = askPeople(desk)
      const { level, scope } = { level: () => analysis().level, scope: () => tables().map(({ name }) => name) }
      return underTheirTerms(createAnalysisTools({ ...rooms.runner, engine, level, scope, steps, ask }))
    },
  })
  const rerunner = createRerunner({ rooms, room, analysis, record })

  /**
   * Everything that leaves is in the ledger, and written down, before it leaves. What may not leave any more when that is
   * done stays here, as if the server were away: whoever sends it makes it anew.
   */
  function ledgerClient() {
    const fetch = createLedgerFetch(rooms.fetch, {
      level: () => analysis().level,
      stepOf: (callId) => stepOfCall(analysis(), callId)?.n ?? null,
      kindOf: (callId) => stepOfCall(analysis(), callId)?.sent?.rowsKind,
      async onEntry(entry) {
        const before = terms()
        record({ type: 'sent', entry })
        await saver.now()
        if (terms() === before) return
        record({ type: 'unsent', entry })
        throw new Error('what may leave changed while this was written down')
      },
    })
    return createClient({ baseUrl: '', fetch })
  }

  /**
   * A call of before a refresh waits until its tables are back. What it gives goes out under the terms it was made under,
   * however long the server is away; under others it is made anew.
   */
  function underTheirTerms(tools: Readonly<Record<string, AnalysisTool>>): typeof tools {
    const named = () => analysis().tables.map(({ name }) => name)
    return Object.fromEntries(
      Object.entries(tools).map(([name, run]) => [
        name,
        async (...[input, call]: Parameters<typeof run>) => {
          await rooms.whenHere(named(), call.signal)
          const before = terms()
          call.onlyWhile(() => terms() === before)
          const earlier = stepOfCall(analysis(), call.id)
          if (earlier !== undefined) record({ type: 'step.sent', n: earlier.n, sent: null })
          return run(input, call)
        },
      ]),
    )
  }

  async function doIt(act: Act, id: string): Promise<void> {
    switch (act.type) {
      case 'ask':
        return conductor.ask(act.question, id)
      case 'cancel':
        rerunner.stop()
        return conductor.cancel()
      case 'answer':
        return conductor.answer(act.to, act.answer)
      case 'edit':
        return rerunner.edit(act.n, act.code)
      case 'restore':
        return rerunner.restore(act.n)
      case 'run-from':
        return rerunner.runFrom(act.n)
      case 'change':
        return record({ type: 'changed', change: act.change })
      case 'chart':
        return record({ type: 'chart.chosen', runId: act.runId, index: act.index, choice: act.choice })
    }
  }

  /** Rows of tables that are others now prove nothing any more. */
  function noticeOtherTables(): void {
    if (otherTables(rooms.tables(), analysis()).length === 0) return
    record({ type: 'steps.stale', steps: stepsOf(analysis()).map(({ n }) => n) })
  }

  const left = leftSteps(analysis())
  if (left.length > 0) record({ type: 'steps.stopped', steps: left })
  void rooms.ready().then(noticeOtherTables, () => undefined) // an engine that does not load is told elsewhere
  conductor.takeUp()
  return {
    async perform(act, id) {
      try {
        await doIt(act, id)
        return { kind: 'done' }
      } catch (error) {
        return outcomeOf(error)
      } finally {
        await saver.now()
      }
    },
    async leave() {
      rerunner.stop()
      await conductor.leave()
      await saver.now()
      isOver = true
    },
  }
}
