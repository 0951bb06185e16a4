// The local replacement for a model: an HTTP server on loopback with the Messages API and Chat Completions. Its answers
// name it as the simulator.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { closeServer, listenOnLoopback, sendApiError } from '@quarterdeck/model'
import { respondAsDemo } from './demo/respond-as-demo.ts'
import { createFaultSchedule, type FaultRule } from './faults/fault.ts'
import { createRateLimiter, type SimulatedRate } from './faults/rate-limiter.ts'
import { createRequestHandler } from './http/create-request-handler.ts'
import { createServedLog } from './http/served-log.ts'
import { createScenarioResponder } from './scenarios/create-scenario-responder.ts'
import type { Scenario } from './scenarios/scenario.ts'

export interface SimulatorOptions {
  readonly mode: 'demo' | { readonly script: Scenario }
  readonly faults?: readonly FaultRule[]
  /** Enforced per model family: requests beyond it get 429 with `retry-after`, before any fault. */
  readonly rate?: SimulatedRate
  /** Milliseconds between two streamed words. The default suits readers; tests use 0. */
  readonly paceMs?: number
  /** A new id part that is never repeated: a ledger books by message ids. */
  readonly newId?: () => string
}

export type Simulator = ReturnType<typeof createSimulator>

const defaultPaceMs = 15
const keepAliveMs = 75_000

export function createSimulator(options: SimulatorOptions) {
  const newId = options.newId ?? (() => randomBytes(12).toString('hex'))
  const answering = new Set<AbortController>()
  const log = createServedLog()
  const faultsOf = (kind: FaultRule['of']) => (options.faults ?? []).filter(({ of = 'messages' }) => of === kind)
  const messages = {
    respond: options.mode === 'demo' ? respondAsDemo : createScenarioResponder(options.mode.script),
    faultFor: createFaultSchedule(faultsOf('messages')),
    embeddingFaultFor: createFaultSchedule(faultsOf('embeddings')),
    limiter: options.rate ? createRateLimiter(options.rate) : null,
    paceMs: options.paceMs ?? defaultPaceMs,
    log,
    newId,
  }
  const handle = createRequestHandler({ ...messages, answering })

  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy()
      sendApiError(response, { status: 500, message: `simulator: ${String(error)}`, requestId: `req_sim_${newId()}` })
    })
  })

  return {
    /** Listens on loopback, on a free port unless `port` is given. */
    listen: (port?: number): Promise<{ url: string }> => listenOnLoopback(server, port),
    /** Ends open answers at once. */
    async close() {
      for (const answer of answering) answer.abort()
      await closeServer(server)
    },
    served: log.read,
  }
}
