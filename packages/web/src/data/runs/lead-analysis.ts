// The tab that leads an analysis. All changes happen here and are saved before another tab or the server sees them.
import { type AgentSummary, QuarterdeckError } from '@quarterdeck/protocol'
import type { WritableStore } from '../../stores/primitives/store.ts'
import { isDataAgent } from '../../stores/server/data-agent.ts'
import type { Analysis } from '../domain/analysis.ts'
import { describeTables } from '../privacy/describe-tables.ts'
import { createAnalysisTools } from '../tools/create-analysis-tools.ts'
import { guardDisclosure } from './guard-disclosure.ts'
import { type ActionOutcome, type AnalysisAction, outcomeOf } from './leadership/analysis-action.ts'
import type { AnalysisServices } from './ports/analysis-services.ts'
import { promptUser } from './questions/prompt-queue.ts'
import { createRunController } from './questions/run-controller.ts'
import type { AnalysisFact } from './state/analysis-fact.ts'
import type { AnalysisRecorder } from './state/analysis-recorder.ts'
import { foldAnalysis, leftSteps } from './state/fold-analysis.ts'
import { stepsOf } from './state/fold-step.ts'
import { inScope, otherTables } from './state/in-scope.ts'
import { createRerunner } from './steps/create-rerunner.ts'
import { hideNames, openStepRecorder, withheldSteps } from './steps/open-step-recorder.ts'
import type { StepCache } from './steps/step-cache.ts'

export interface LeadOptions {
  readonly services: AnalysisServices
  readonly state: WritableStore<Analysis>
  readonly stepCache: StepCache
}

export function leadAnalysis({ services, state, stepCache }: LeadOptions) {
  const analysis = state.getSnapshot
  let isOver = false
  // A late result must not overwrite what the next tab saved.
  const saver = createSaver(async () => (isOver ? undefined : services.storage.save(analysis())))
  const tables = () => inScope(services.tables(), analysis())
  const record = (fact: AnalysisFact): void => {
    state.set(foldAnalysis(analysis(), fact, new Date().toISOString()))
    saver.soon()
  }
  const recorder: AnalysisRecorder = { analysis, record, save: saver.now }
  const guard = guardDisclosure({ services, ...recorder })
  const engine = hideNames(services.runner.engine, () => withheldSteps(analysis(), services.tables()))
  const controller = createRunController({
    ...recorder,
    client: guard.client,
    tables,
    ready: services.ready,
    chooseAgent: async () => chooseAgent((await services.client.listAgents()).agents),
    describe: (described, signal) =>
      describeTables(services.runner.engine, described, { level: analysis().level, signal }),
    toolsOf(runId, prompts) {
      const steps = openStepRecorder({
        ...recorder,
        runId,
        stepCache,
        storage: services.storage,
        tables: services.tables,
      })
      const ask = promptUser(prompts)
      const { level, scope } = { level: () => analysis().level, scope: () => tables().map(({ name }) => name) }
      return guard.guardTools(createAnalysisTools({ ...services.runner, engine, level, scope, steps, ask }))
    },
  })
  const rerunner = createRerunner({ ...recorder, services, stepCache })

  async function performAction(action: AnalysisAction, id: string): Promise<void> {
    switch (action.type) {
      case 'ask':
        return controller.ask(action.question, id)
      case 'cancel':
        rerunner.stop()
        return controller.cancel()
      case 'answer':
        return controller.answer(action.to, action.answer)
      case 'edit':
        return rerunner.edit(action.n, action.code)
      case 'restore':
        return rerunner.restore(action.n)
      case 'run-from':
        return rerunner.runFrom(action.n)
      case 'change':
        return record({ type: 'changed', change: action.change })
      case 'chart':
        return record({ type: 'chart.chosen', runId: action.runId, index: action.index, choice: action.choice })
    }
  }

  /** Rows of replaced tables prove nothing. */
  function noticeOtherTables(): void {
    if (otherTables(services.tables(), analysis()).length === 0) return
    record({ type: 'steps.stale', steps: stepsOf(analysis()).map(({ n }) => n) })
  }

  const left = leftSteps(analysis())
  if (left.length > 0) record({ type: 'steps.stopped', steps: left })
  void services.ready().then(noticeOtherTables, () => undefined) // an engine that fails to load is reported elsewhere
  controller.takeUp()
  return {
    async perform(action: AnalysisAction, id: string): Promise<ActionOutcome> {
      try {
        await performAction(action, id)
        return { kind: 'done' }
      } catch (error) {
        return outcomeOf(error)
      } finally {
        await saver.now()
      }
    },
    /** Resolves when everything is saved and nothing runs here. */
    async leave() {
      rerunner.stop()
      await controller.leave()
      await saver.now()
      isOver = true
    },
  }
}

/** The agent made for Data, otherwise the only usable one. Throws with advice if there is none. */
export function chooseAgent(agents: readonly AgentSummary[]): string {
  const sound = agents.filter(({ problems }) => problems.length === 0)
  const made = sound.find(isDataAgent) ?? sound.find(({ name }) => /analy[sz]/i.test(name))
  const chosen = made ?? sound[0]
  if (chosen !== undefined) return chosen.name
  const detail =
    agents.length === 0
      ? 'this server has no agent for Data: copy examples/analysis into its agents folder'
      : `no agent of this server can answer: ${agents.map(({ name, problems: [first] }) => `${name}: ${first}`).join('; ')}`
  throw new QuarterdeckError('agent.not-found', detail)
}

/** Saves a frequently changing value: soon after a change, or at once before another side learns of it. */
export function createSaver(write: () => Promise<void>, delayMs = 250) {
  let isDue = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing = Promise.resolve()

  async function writeOnce(): Promise<void> {
    if (!isDue) return
    isDue = false
    try {
      await write()
    } catch {
      // Without storage the page works until it closes. The next change retries.
    }
  }

  /** Resolves when all earlier changes are saved or failed to save: a full disk does not block callers. */
  function now(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeOnce)
    return writing
  }

  return {
    /** Call after a change. */
    soon() {
      isDue = true
      timer ??= setTimeout(() => void now(), delayMs)
    },
    now,
  }
}
