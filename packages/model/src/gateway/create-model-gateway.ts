// The loopback proxy between an agent's process and the model. It holds the key, so that the agent never has it.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { closeServer, listenOnLoopback } from '../loopback-server.ts'
import { sendApiError } from '../wire/anthropic/send-api-error.ts'
import type { ForwardDeps } from './forward/exchange.ts'
import { billablePath, forwardRequest } from './forward/forward-request.ts'
import { redact } from './forward/relay-response.ts'
import { retryPolicy } from './forward/retry-policy.ts'
import { createUpstreamClient } from './forward/send-to-upstream.ts'
import { guardedListeners } from './guarded-listeners.ts'
import type { ModelGateway, ModelGatewayOptions } from './model-gateway.ts'
import { createModelTraffic } from './model-traffic.ts'
import { createSessionTokens } from './session-tokens.ts'

// Longer than the usual pause between two turns: a connection that closes under a new request costs a retry.
const keepAliveMs = 75_000

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly ending: AbortController
}

export function createModelGateway(options: ModelGatewayOptions): ModelGateway {
  const newId = options.newId ?? randomUUID
  const listeners = guardedListeners(options)
  const deps: ForwardDeps = {
    ...options,
    ...listeners,
    retry: { ...retryPolicy, ...options.retry },
    client: createUpstreamClient(options.upstream.baseUrl, options.headSilenceMs),
    ...(options.traffic ?? createModelTraffic(options)),
  }
  const tokens = createSessionTokens()
  const running = new Set<Promise<void>>()
  let url: string | null = null

  async function handle({ request, response, requestId, ending }: Arrival): Promise<void> {
    const pathname = pathOf(request)
    if (isProbe(request, pathname)) return void response.writeHead(200).end()
    const session = tokens.find(request.headers)
    if (!session) {
      const message = 'The gateway does not know this session token.'
      return sendApiError(response, { status: 401, message, requestId })
    }
    if (pathname === null || !isOffered(request.method, pathname)) {
      const message = `The gateway does not offer ${request.method} ${pathname ?? 'this address'}.`
      return sendApiError(response, { status: 404, message, requestId })
    }
    session.running.add(ending)
    response.once('close', () => session.running.delete(ending))
    await forwardRequest({ request, response, session, requestId, pathname, signal: ending.signal }, deps)
  }

  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const requestId = `req_qd_${newId()}`
    // One controller per request: signals combined from a long-lived one are known to leak on Node 20.
    const ending = new AbortController()
    response.once('close', () => ending.abort())
    const work = handle({ request, response, requestId, ending }).catch((error: unknown) => {
      // Errors after the client has left belong to its leaving; with the client still there it is a bug.
      if (ending.signal.aborted) return void response.destroy()
      const facts = { requestId, error: redact(String(error), options.upstream.credential?.value ?? null) }
      options.logger?.warn(facts, 'the gateway failed on a request')
      if (response.headersSent) return void response.destroy()
      sendApiError(response, { status: 500, message: 'The gateway failed on this request.', requestId })
    })
    running.add(work)
    void work.finally(() => running.delete(work))
  })

  return {
    async listen() {
      const address = await listenOnLoopback(server)
      url = address.url
      return address
    },
    openSession(sessionId, wishes) {
      if (url === null) throw new Error('the model gateway is not listening yet')
      return { baseUrl: url, token: tokens.open(sessionId, wishes).token }
    },
    closeSession: tokens.close,
    async close() {
      for (const sessionId of tokens.sessionIds()) tokens.close(sessionId)
      await closeServer(server)
      // Waits for the bookings of interrupted requests, so that the caller can close its ledger.
      await Promise.allSettled(running)
      deps.client.close()
    },
  }
}

// A closed list, not everything under /v1: batches and files cost money that would not be booked.
function isOffered(method: string | undefined, pathname: string): boolean {
  if (method === 'POST') return pathname === billablePath || pathname === `${billablePath}/count_tokens`
  return method === 'GET' && /^\/v1\/models(?:\/[\w.@:-]+)?$/.test(pathname)
}

const isProbe = (request: IncomingMessage, pathname: string | null): boolean =>
  pathname === '/' && (request.method === 'HEAD' || request.method === 'GET')

// The raw path is sent upstream, so it is checked as it stands: no dot segments, no escapes, no absolute form.
function pathOf(request: IncomingMessage): string | null {
  const path = (request.url ?? '').split('?')[0] ?? ''
  return /^\/[\w./@:-]*$/.test(path) && !path.includes('..') && !path.includes('//') ? path : null
}
