// The way of one request through the gateway: allowed path, permission, upstream, bytes back, books.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendApiError } from '../wire/anthropic/send-api-error.ts'
import { describeRequest } from './describe-request.ts'
import { upwardHeaders } from './forwarded-headers.ts'
import type { Authorization, ModelGatewayOptions, ModelRequest } from './model-gateway.ts'
import { redact, relayResponse } from './relay-response.ts'
import { createResponseMeter, type Metered } from './response-meter.ts'
import type { UpstreamClient } from './send-to-upstream.ts'

export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly sessionId: string
  readonly requestId: string
  readonly pathname: string
  /** Aborts when the client leaves, the session closes or the gateway does. */
  readonly signal: AbortSignal
}

export type ForwardDeps = ModelGatewayOptions & { readonly client: UpstreamClient }

export const BILLABLE_PATH = '/v1/messages'
const LARGEST_REQUEST = 64 * 1024 * 1024

export async function forwardRequest(exchange: Exchange, deps: ForwardDeps): Promise<void> {
  const { response, requestId } = exchange
  const body = await readBounded(exchange.request)
  if (body === null) {
    return sendApiError(response, { status: 413, message: 'The request is larger than the gateway takes.', requestId })
  }
  if (exchange.pathname !== BILLABLE_PATH) return relay({ exchange, deps, body, billed: null })

  const facts = describeRequest(body)
  if (facts === null) {
    return sendApiError(response, { status: 400, message: 'The body is not a JSON object with a model.', requestId })
  }
  const { model, inputTokens, maxOutputTokens } = facts
  const name = { sessionId: exchange.sessionId, requestId }
  const billed = { ...name, model, inputTokens, cachedInputTokens: 0, maxOutputTokens }
  const verdict = await askFirst(billed, deps, exchange.signal)
  if (verdict.type === 'refuse') return sendRefusal(response, verdict, requestId)
  return relay({ exchange, deps, body, billed })
}

type Passage = {
  readonly exchange: Exchange
  readonly deps: ForwardDeps
  readonly body: Buffer
  /** Null for what costs nothing. */
  readonly billed: ModelRequest | null
}

async function relay({ exchange, deps, body, billed }: Passage): Promise<void> {
  const { request, response, requestId, signal } = exchange
  const secret = deps.upstream.credential?.value ?? null
  let meter = createResponseMeter(undefined)
  let failure: unknown = null
  try {
    const upstream = await deps.client.send({
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      headers: upwardHeaders(request.headers, deps.upstream),
      body,
      signal,
    })
    meter = createResponseMeter(upstream.headers['content-type'])
    await relayResponse({ upstream, response, meter, signal, secret })
  } catch (error) {
    failure = error
  }
  const metered = meter.read()
  // A request that ended without a message cost nothing.
  if (billed && metered) await book(billed, metered, deps)
  if (failure === null) return void response.end()
  if (!signal.aborted) {
    deps.logger?.warn({ requestId, error: redact(String(failure), secret) }, 'the model upstream failed')
  }
  if (response.headersSent || signal.aborted) return void response.destroy()
  const message = `The model upstream could not be reached (${errorCode(failure)}).`
  sendApiError(response, { status: 502, message, requestId })
}

async function askFirst(request: ModelRequest, deps: ForwardDeps, signal: AbortSignal): Promise<Authorization> {
  if (!deps.authorize) return { type: 'go' }
  try {
    return await deps.authorize(request, signal)
  } catch (error) {
    deps.logger?.warn(
      { requestId: request.requestId, error: String(error) },
      'authorize failed; the request is refused',
    )
    return { type: 'refuse', status: 503, errorType: 'api_error', message: 'The request could not be authorized.' }
  }
}

async function book({ sessionId, requestId, model }: ModelRequest, metered: Metered, deps: ForwardDeps): Promise<void> {
  const settlement = { sessionId, requestId, requestedModel: model, ...metered }
  try {
    await deps.settle(settlement)
  } catch (error) {
    // The answer is the client's already: what is left to do is to say loudly that a booking is missing.
    deps.logger?.warn({ ...settlement, error: String(error) }, 'booking a model request failed')
  }
}

function sendRefusal(
  response: ServerResponse,
  verdict: Extract<Authorization, { type: 'refuse' }>,
  requestId: string,
): void {
  const { status, errorType: type, message, retryAfterSeconds } = verdict
  // The official clients retry 429 and 5xx by themselves unless told not to.
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? { 'x-should-retry': 'false' } : { 'retry-after': String(retryAfterSeconds) }
  sendApiError(response, { status, type, message, requestId, headers })
}

async function readBounded(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    // Read to the end all the same: a client that is cut off while it writes never sees why.
    if (size <= LARGEST_REQUEST) chunks.push(chunk)
    else chunks.length = 0
  }
  return size > LARGEST_REQUEST ? null : Buffer.concat(chunks)
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed'
}
