// Reruns steps for the user: edited, restored, or together with the steps that read them. Reruns can be stopped.
import { messageOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { AnalysisStep } from '../../domain/analysis.ts'
import { readersOf, rerunOrder } from '../../steps/stale-steps.ts'
import { sourcesOf } from '../../steps/step-sources.ts'
import type { AnalysisServices } from '../ports/analysis-services.ts'
import type { AnalysisRecorder } from '../state/analysis-recorder.ts'
import { stepsOf } from '../state/fold-step.ts'
import { inScope, outOfScope } from '../state/in-scope.ts'
import { storeRows } from './open-step-recorder.ts'
import { type RerunDeps, readsOf, rerunStep } from './rerun-step.ts'
import type { StepCache } from './step-cache.ts'

export interface RerunnerOptions extends Omit<AnalysisRecorder, 'save'> {
  readonly services: Pick<AnalysisServices, 'runner' | 'storage' | 'tables'>
  readonly stepCache: StepCache
}

export function createRerunner({ services, stepCache, analysis, record }: RerunnerOptions) {
  const running = new Set<AbortController>()
  const steps = () => stepsOf(analysis())
  const deps: RerunDeps = {
    runner: services.runner,
    stepCache,
    steps,
    hidden: () => outOfScope(services.tables(), analysis()),
    scope: () => inScope(services.tables(), analysis()).map(({ name }) => name),
    level: () => analysis().level,
  }

  const stepAt = (n: number): AnalysisStep => {
    const step = steps().find((one) => one.n === n)
    if (step === undefined) throw new QuarterdeckError('request.invalid', `step ${n} does not exist`)
    return step
  }

  async function runAgain(n: number, signal: AbortSignal): Promise<void> {
    const began = performance.now()
    try {
      const from = sourcesOf(stepAt(n), { steps: steps(), tables: services.tables() })
      const outcome = await rerunStep(deps, stepAt(n), signal)
      await storeRows(services.storage, { id: analysis().id, n, outcome })
      record({ type: 'step.settled', n, outcome, from })
      stepCache.has(stepAt(n))
    } catch (error) {
      if (signal.aborted) return record({ type: 'steps.stopped', steps: [n] })
      const elapsedMs = performance.now() - began
      record({ type: 'step.settled', n, outcome: { state: 'error', error: messageOf(error), elapsedMs } })
      throw error
    }
  }

  async function stoppable(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController()
    running.add(stop)
    try {
      await work(stop.signal)
    } finally {
      running.delete(stop)
    }
  }

  /** Both also resolve when stopped, and reject with errors of the engine or the code frame. */
  const edit = (n: number, code: string): Promise<void> =>
    stoppable(async (signal) => {
      record({ type: 'step.edited', n, code, reads: readsOf(stepAt(n), code, steps()) })
      record({ type: 'steps.stale', steps: readersOf(steps(), n) })
      await runAgain(n, signal)
    })

  return {
    edit,
    restore: async (n: number) => edit(n, stepAt(n).original),
    runFrom: (n: number) =>
      stoppable(async (signal) => {
        stepAt(n)
        // Stale until each has run: the first one may be stopped or fail.
        record({ type: 'steps.stale', steps: readersOf(steps(), n) })
        for (const one of rerunOrder(steps(), n)) {
          if (signal.aborted) return
          const { code, reads } = stepAt(one)
          record({ type: 'step.edited', n: one, code, reads })
          await runAgain(one, signal)
        }
      }),
    /** Stops all reruns at once. */
    stop() {
      for (const one of running) one.abort(new DOMException('the user stopped it', 'AbortError'))
    },
  }
}
