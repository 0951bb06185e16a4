// The local stand-in for a model: an HTTP server on loopback that speaks the Messages API and says it is a simulator.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CountTokensRequest, describeRequestProblem, MessagesRequest } from '../wire/anthropic/messages-request.ts'
import { SIMULATOR_MODEL } from './build-message.ts'
import { respondAsDemo } from './demo/respond-as-demo.ts'
import { countPromptTokens } from './estimate-usage.ts'
import { createFaultSchedule, type FaultRule } from './fault.ts'
import { readBody } from './read-body.ts'
import { createScenarioResponder } from './script/create-scenario-responder.ts'
import type { Scenario } from './script/scenario.ts'
import { sendError, serveMessages } from './serve-messages.ts'
import { createServedLog, type Served } from './served-log.ts'

export type SimulatorOptions = {
  readonly mode: 'demo' | { readonly script: Scenario }
  readonly faults?: readonly FaultRule[]
  /** Milliseconds between two streamed words. The default reads pleasantly; tests say 0. */
  readonly paceMs?: number
  /** A new id part, unique for ever: message ids are what a ledger books by. */
  readonly newId?: () => string
}

export type Simulator = {
  /** Starts on a free loopback port. */
  listen(): Promise<{ url: string }>
  /** Ends open answers at once. */
  close(): Promise<void>
  served(): Served
}

const DEFAULT_PACE_MS = 15

export function createSimulator(options: SimulatorOptions): Simulator {
  const newId = options.newId ?? (() => randomBytes(12).toString('hex'))
  const answering = new Set<AbortController>()
  const log = createServedLog()
  const deps = {
    respond: options.mode === 'demo' ? respondAsDemo : createScenarioResponder(options.mode.script),
    faultFor: createFaultSchedule(options.faults ?? []),
    paceMs: options.paceMs ?? DEFAULT_PACE_MS,
    log,
    newId,
  }
  let requestNumber = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = `req_sim_${newId()}`
    const path = new URL(request.url ?? '/', 'http://simulator').pathname
    const route = `${request.method} ${path}`
    if (route === 'POST /v1/messages') {
      const parsed = MessagesRequest.safeParse(await readBody(request))
      if (!parsed.success) {
        return sendError(response, { status: 400, message: describeRequestProblem(parsed.error), requestId })
      }
      requestNumber += 1
      const signal = untilGone(response, answering)
      const agentId = header(request, 'x-claude-code-agent-id')
      const exchange = { number: requestNumber, request: parsed.data, agentId, requestId, response, signal }
      return serveMessages(exchange, deps)
    }
    if (route === 'POST /v1/messages/count_tokens') {
      const parsed = CountTokensRequest.safeParse(await readBody(request))
      return parsed.success
        ? sendJson(response, { input_tokens: countPromptTokens(parsed.data) })
        : sendError(response, { status: 400, message: describeRequestProblem(parsed.error), requestId })
    }
    if (route === 'GET /v1/models') return sendJson(response, MODEL_LIST)
    if (request.method === 'GET' && path.startsWith('/v1/models/')) return sendJson(response, MODEL)
    // The CLI knocks before it talks.
    if (path === '/' && (request.method === 'HEAD' || request.method === 'GET'))
      return sendJson(response, { status: 'ok' })
    sendError(response, { status: 404, message: `the simulator has no ${route}`, requestId })
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy()
      sendError(response, { status: 500, message: `simulator: ${String(error)}`, requestId: `req_sim_${newId()}` })
    })
  })

  return {
    async listen() {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('the simulator has no TCP address')
      return { url: `http://127.0.0.1:${address.port}` }
    },
    async close() {
      for (const answer of answering) answer.abort()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    served: log.read,
  }
}

const MODEL = {
  type: 'model',
  id: SIMULATOR_MODEL,
  display_name: 'Local simulator',
  created_at: '2025-01-01T00:00:00Z',
}
const MODEL_LIST = { data: [MODEL], has_more: false, first_id: SIMULATOR_MODEL, last_id: SIMULATOR_MODEL }

function untilGone(response: ServerResponse, answering: Set<AbortController>): AbortSignal {
  const ending = new AbortController()
  answering.add(ending)
  response.once('close', () => {
    answering.delete(ending)
    ending.abort()
  })
  return ending.signal
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
