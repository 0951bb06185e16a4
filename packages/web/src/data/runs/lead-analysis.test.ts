import { describe, expect, it } from 'vitest'
import { createStore } from '../../stores/primitives/store.ts'
import type { Analysis } from '../domain/analysis.ts'
import { EngineError, type QueryEngine, type QueryOptions, type ReadResult } from '../domain/query-engine.ts'
import { after, asked, begun, good, sales } from './analysis.fixture.ts'
import { leadAnalysis } from './lead-analysis.ts'
import type { AnalysisServices } from './ports/analysis-services.ts'
import type { AnalysisFact } from './state/analysis-fact.ts'
import { stepsOf } from './state/fold-step.ts'
import { createStepCache } from './steps/step-cache.ts'

const step = (callId: string, reads: readonly number[] = []): AnalysisFact => ({
  type: 'step.begun',
  runId: 'r1',
  step: begun(callId, 'SELECT 1', { reads: [...reads] }),
})
const settled = (n: number): AnalysisFact => ({ type: 'step.settled', n, outcome: good() })
/** Two finished steps; the second reads the first. */
const rested = [
  asked(),
  step('c1'),
  settled(1),
  step('c2', [1]),
  settled(2),
  { type: 'run.cancelled', runId: 'r1' },
] as const
const slow = 'SELECT slow'

/** The lead of an analysis whose engine never finishes slow queries. */
function lead(before: Analysis) {
  const state = createStore(before)
  const ran: string[] = []
  const read = (sql: string, { signal }: QueryOptions) =>
    new Promise<ReadResult>((resolve, reject) => {
      ran.push(sql)
      signal?.addEventListener('abort', () => reject(new EngineError('cancelled', 'The query was cancelled.')))
      if (sql !== slow) resolve({ columns: [], rows: [], rowCount: 0, elapsedMs: 1, ipc: new Uint8Array([1]) })
    })
  const services = {
    runner: { engine: { read, storeStep: async () => undefined } as unknown as QueryEngine }, // only this part is used
    storage: {
      save: async () => undefined,
      saveStep: async () => undefined,
      loadStep: async () => new Uint8Array([1]),
    },
    tables: () => [sales],
    ready: async () => undefined,
    fetch,
  } as unknown as AnalysisServices
  const steps = () => stepsOf(state.getSnapshot())
  const stepCache = createStepCache({ analysisId: 'a1', runner: services.runner, storage: services.storage, steps })
  return { ...leadAnalysis({ services, state, stepCache }), steps, ran, states: () => steps().map((one) => one.state) }
}

describe('a step that runs again', () => {
  const edit = { type: 'edit', n: 1, code: slow } as const

  it('can be stopped without a failure, and run again', async () => {
    const led = lead(after(...rested))
    const editing = led.perform(edit, 'one')
    await expect.poll(() => led.ran, { timeout: 60_000 }).toEqual([slow])
    expect(led.states()).toEqual(['running', 'stale'])
    await led.perform({ type: 'cancel' }, 'two')
    expect(await editing).toEqual({ kind: 'done' })
    expect(led.steps()).toMatchObject([
      { state: 'cancelled', error: expect.stringContaining('Run it again') },
      { state: 'stale' },
    ])
    expect(await led.perform({ ...edit, code: 'SELECT 2' }, 'three')).toEqual({ kind: 'done' })
    expect(led.steps()).toMatchObject([{ state: 'ok', error: null, code: 'SELECT 2' }, { state: 'stale' }])
  })

  it('is stopped together with the steps that would follow', async () => {
    const edited: AnalysisFact = { type: 'step.edited', n: 1, code: slow, reads: [] }
    const led = lead(after(...rested, edited, settled(1)))
    const running = led.perform({ type: 'run-from', n: 1 }, 'one')
    await expect.poll(() => led.ran, { timeout: 60_000 }).toEqual([slow])
    await led.perform({ type: 'cancel' }, 'two')
    expect(await running).toEqual({ kind: 'done' })
    expect(led.states()).toEqual(['cancelled', 'stale'])
    expect(led.ran).toEqual([slow])
  })

  it('does not stay running after its tab closed: the next lead can run it', async () => {
    const led = lead(after(...rested, { type: 'step.edited', n: 1, code: slow, reads: [] }))
    expect(led.steps()).toMatchObject([
      { state: 'cancelled', error: expect.stringContaining('Run it again') },
      { state: 'ok' },
    ])
    expect(led.ran).toEqual([])
    await led.leave()
  })
})
