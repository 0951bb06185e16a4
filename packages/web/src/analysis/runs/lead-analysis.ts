// The tab that leads an analysis: what happens to it happens here, and is written down before anybody else hears of it.
import { type AnalysisTool, createClient, QuarterdeckError } from '@quarterdeck/protocol'
import type { Cell } from '../../state/cell.ts'
import type { Analysis, Step } from '../analysis.ts'
import { describeTables } from '../privacy/describe-tables.ts'
import { createLedgerFetch } from '../privacy/ledger-fetch.ts'
import { readersOf, rerunOrder } from '../steps/stale-steps.ts'
import { sourcesOf } from '../steps/step-sources.ts'
import { createAnalysisTools } from '../tools/create-analysis-tools.ts'
import { type Act, type ActOutcome, outcomeOf } from './act.ts'
import type { AnalysisFact } from './analysis-fact.ts'
import type { AnalysisRooms } from './analysis-rooms.ts'
import { askPeople } from './ask-people.ts'
import { chooseAgent } from './choose-agent.ts'
import { createConductor } from './conduct-runs.ts'
import { createSaver } from './create-saver.ts'
import type { StepRoom } from './create-step-room.ts'
import { foldAnalysis } from './fold-analysis.ts'
import { stepOfCall, stepsOf } from './fold-step.ts'
import { inScope, otherTables, outOfScope } from './in-scope.ts'
import { keepRows, openStepBook, withheldSteps } from './open-step-book.ts'
import { type RerunDeps, readsOf, rerunStep } from './rerun-step.ts'
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
  const saver = createSaver(() => rooms.shelf.save(analysis()))
  const tables = () => inScope(rooms.tables(), analysis())
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
      return onceTablesAreHere(createAnalysisTools({ ...rooms.runner, engine, level, scope, steps, ask }))
    },
  })
  const leaving = new AbortController()
  const rerun: RerunDeps = {
    ...{ runner: rooms.runner, room },
    hidden: () => outOfScope(rooms.tables(), analysis()),
    scope: () => tables().map(({ name }) => name),
    steps: () => stepsOf(analysis()),
    level: () => analysis().level,
  }

  /** Everything that leaves is in the ledger, and written down, before it leaves. */
  function ledgerClient() {
    const fetch = createLedgerFetch(rooms.fetch, {
      level: () => analysis().level,
      stepOf: (callId) => stepOfCall(analysis(), callId)?.n ?? null,
      async onEntry(entry) {
        record({ type: 'sent', entry })
        await saver.now()
      },
    })
    return createClient({ baseUrl: '', fetch })
  }

  /** A call of before a refresh waits until its tables are back. */
  function onceTablesAreHere(tools: Readonly<Record<string, AnalysisTool>>): typeof tools {
    const named = () => analysis().tables.map(({ name }) => name)
    return Object.fromEntries(
      Object.entries(tools).map(([name, run]) => [
        name,
        async (...[input, call]: Parameters<typeof run>) => {
          await rooms.whenHere(named(), call.signal)
          return run(input, call)
        },
      ]),
    )
  }

  const stepAt = (n: number): Step => {
    const step = stepsOf(analysis()).find((one) => one.n === n)
    if (step === undefined) throw new QuarterdeckError('request.invalid', `there is no step ${n}`)
    return step
  }

  async function runAgain(n: number): Promise<void> {
    const began = performance.now()
    try {
      const from = sourcesOf(stepAt(n), { steps: stepsOf(analysis()), tables: rooms.tables() })
      const outcome = await rerunStep(rerun, stepAt(n), leaving.signal)
      await keepRows({ id: analysis().id, n, outcome, shelf: rooms.shelf })
      record({ type: 'step.settled', n, outcome, from })
      room.has(stepAt(n))
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      const elapsedMs = performance.now() - began
      record({ type: 'step.settled', n, outcome: { state: 'error', error: words, elapsedMs } })
      throw error
    }
  }

  async function edit(n: number, code: string): Promise<void> {
    const steps = stepsOf(analysis())
    record({ type: 'step.edited', n, code, reads: readsOf(stepAt(n), code, steps) })
    record({ type: 'steps.stale', steps: readersOf(stepsOf(analysis()), n) })
    await runAgain(n)
  }

  async function runFrom(n: number): Promise<void> {
    for (const one of rerunOrder(stepsOf(analysis()), n)) {
      const { code, reads } = stepAt(one)
      record({ type: 'step.edited', n: one, code, reads })
      await runAgain(one)
    }
  }

  async function doIt(act: Act, id: string): Promise<void> {
    switch (act.type) {
      case 'ask':
        return conductor.ask(act.question, id)
      case 'cancel':
        return conductor.cancel()
      case 'answer':
        return conductor.answer(act.answer)
      case 'edit':
        return edit(act.n, act.code)
      case 'restore':
        return edit(act.n, stepAt(act.n).original)
      case 'run-from':
        return runFrom(act.n)
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
      leaving.abort()
      await conductor.leave()
      await saver.now()
    },
  }
}
