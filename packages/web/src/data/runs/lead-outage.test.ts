// Results that are ready while the server is unavailable, and terms that change meanwhile.
import { type AnalysisEvent, analysisOperations, type ClientCallId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createStore } from '../../stores/primitives/store.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { EngineError, type QueryEngine, type QueryOptions } from '../domain/query-engine.ts'
import { after, asked, result, sales, sessionId } from './analysis.fixture.ts'
import { leadAnalysis } from './lead-analysis.ts'
import type { AnalysisServices } from './ports/analysis-services.ts'
import { stepsOf } from './state/fold-step.ts'
import { createStepCache } from './steps/step-cache.ts'

const secret = 'ada@example.org'
const callId = 'ctc_000001' as ClientCallId
const call: AnalysisEvent = { type: 'tool_call', id: callId, name: 'run_query', input: { sql: 'FROM sales' } }

interface Outage {
  /** Records each attempted result and each save of the analysis. */
  readonly onTry: (tries: number) => 'away' | 'taken'
  readonly onSave?: () => void
}

/** A level 2 question with one open call, taken up by the lead, with a server that is not always available. */
function lead({ onTry, onSave = () => undefined }: Outage) {
  const state = createStore(
    after(
      ...[asked(), { type: 'question.taken', runId: 'r1', sessionId } as const],
      ...[{ type: 'changed', change: { level: 2 } } as const],
    ),
  )
  const columns = ['city', 'email'].map((name) => ({ name, type: 'VARCHAR' }))
  let table: ImportedTable = { ...sales, columns }
  const bodies: string[] = []
  let take: () => void = () => undefined
  const taken = new Promise<void>((resolve) => {
    take = resolve
  })

  const engine = {
    tables: async () => [table],
    async read(_: string, { hidden = [] }: QueryOptions) {
      if (hidden.includes('sales')) throw new EngineError('sql', 'Catalog Error: Table with name sales does not exist!')
      const open = columns.filter(({ name }) => !table.neverSent.includes(name))
      const rows = [open.map(({ name }) => (name === 'email' ? secret : 'Oslo'))]
      return { columns: open, rows, rowCount: 1, elapsedMs: 1, ipc: new Uint8Array([1]) }
    },
    storeStep: async () => undefined,
  }

  async function fetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    if (init.method !== 'POST') return stream()
    if (!String(input).endsWith(analysisOperations.returnToolResult.path))
      return Response.json({ sessionId, streamUrl: '/stream', toolToken: 'token' })
    bodies.push(String(init.body))
    if (onTry(bodies.length) === 'away') throw new TypeError('Failed to fetch')
    take()
    return Response.json({ sessionId, toolCallId: callId }, { status: 202 })
  }

  function stream(): Response {
    const frames = (...events: AnalysisEvent[]) =>
      new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(frames(call))
        await taken
        controller.enqueue(frames({ type: 'answer', result }, { type: 'done' }))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  const storage = { save: async () => onSave(), saveStep: async () => undefined, loadStep: async () => null }
  const services = {
    runner: { engine: engine as unknown as QueryEngine }, // only this part is used
    storage,
    fetch,
    tables: () => [table],
    ready: async () => undefined,
    whenTablesReady: async () => undefined,
  } as unknown as AnalysisServices
  const steps = () => stepsOf(state.getSnapshot())
  const led = leadAnalysis({
    services,
    state,
    stepCache: createStepCache({ analysisId: 'a1', runner: services.runner, storage, steps }),
  })
  return {
    bodies,
    steps,
    change: {
      lock: () => {
        table = { ...table, neverSent: ['email'] }
      },
      leave: () => state.update({ scope: [] }),
      lower: () => state.update({ level: 0 }),
    },
    sent: () => state.getSnapshot().sent.filter(({ what }) => what !== 'other'),
    async done() {
      await expect.poll(() => state.getSnapshot().runs[0]?.state, { timeout: 60_000 }).toBe('done')
      await led.leave()
    },
  }
}

type Change = keyof ReturnType<typeof lead>['change']

const sent = (body: string | undefined) => JSON.parse(body ?? '{}')

it.each<[Change, object]>([
  ['lock', { result: { stepId: 1, rows: [{ city: 'Oslo' }] } }],
  ['leave', { error: expect.stringContaining('There is no table "sales"') }],
  ['lower', { result: { stepId: 1, rows: [] } }],
])('recreates a result after a change (%s) when the server is back, as the same step', async (how, given) => {
  const led = lead({
    onTry(tries) {
      if (tries > 1) return 'taken'
      led.change[how]()
      return 'away'
    },
  })
  await led.done()
  expect(led.bodies).toHaveLength(2)
  expect(led.bodies[0]).toContain(secret)
  expect(led.bodies[1]).not.toContain(secret)
  expect(sent(led.bodies[1])).toMatchObject({ toolCallId: callId, ...given })
  expect(led.sent().map(({ body }) => body)).toEqual(led.bodies)
  expect(led.steps()).toMatchObject([{ n: 1, sent: 'result' in given ? { rows: how === 'lock' ? 1 : 0 } : null }])
})

it('does not send or list data that became withheld while it was saved', async () => {
  let isLocked = false
  const led = lead({
    onTry: () => 'taken',
    onSave() {
      if (isLocked || led.sent().length === 0) return
      isLocked = true
      led.change.lock()
    },
  })
  await led.done()
  expect(isLocked).toBe(true)
  expect(led.bodies.map(sent)).toMatchObject([{ toolCallId: callId, result: { rows: [{ city: 'Oslo' }] } }])
  expect(led.bodies.join()).not.toContain(secret)
  expect(led.sent().map(({ body }) => body)).toEqual(led.bodies)
})

it('retries an unaffected result unchanged', async () => {
  const led = lead({ onTry: (tries) => (tries > 1 ? 'taken' : 'away') })
  await led.done()
  expect(led.bodies[1]).toBe(led.bodies[0])
})
