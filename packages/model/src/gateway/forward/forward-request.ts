// The way of one request through the gateway: allowed path, permission, upstream, bytes back, books.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendApiError } from '../../wire/anthropic/send-api-error.ts'
import { describeRequest } from '../metering/describe-request.ts'
import { askFirst, book, letGo, sendRefusal } from '../metering/permission.ts'
import type { ModelGatewayOptions, ModelRequest, RetryPolicy } from '../model-gateway.ts'
import type { PromptCacheMemory } from '../rate/prompt-cache-memory.ts'
import type { RateShaper } from '../rate/rate-shaper.ts'
import type { OpenSession } from '../session-tokens.ts'
import { relay } from './relay.ts'
import type { UpstreamClient } from './send-to-upstream.ts'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly session: OpenSession
  readonly requestId: string
  readonly pathname: string
  /** Aborts when the client leaves, the session closes or the gateway does. */
  readonly signal: AbortSignal
}

export type ForwardDeps = Omit<ModelGatewayOptions, 'retry'> & {
  readonly client: UpstreamClient
  readonly shaper: RateShaper
  readonly promptCache: PromptCacheMemory
  readonly retry: RetryPolicy
}

/** A request that costs money. */
export interface Billed {
  readonly model: ModelRequest
  readonly conversation: string
}

export const billablePath = '/v1/messages'
const largestRequest = 64 * 1024 * 1024

export async function forwardRequest(exchange: Exchange, deps: ForwardDeps): Promise<void> {
  const { response, requestId } = exchange
  const body = await readBounded(exchange.request)
  if (body === null) {
    return sendApiError(response, { status: 413, message: 'The request is larger than the gateway takes.', requestId })
  }
  if (exchange.pathname !== billablePath) return relay({ exchange, deps, body, billed: null, onMetered: nothing })

  const billed = billedRequest(exchange, body, deps)
  if (billed === null) {
    return sendApiError(response, { status: 400, message: 'The body is not a JSON object with a model.', requestId })
  }
  const verdict = await askFirst(billed.model, deps, exchange.signal)
  if (verdict.type === 'refuse') return sendRefusal(response, verdict, requestId)
  let isSettled = false
  try {
    await relay({
      exchange,
      deps,
      body,
      billed,
      async onMetered(metered) {
        isSettled = true
        deps.promptCache.learn(billed.conversation, billed.model.inputTokens, metered.usage)
        await book(billed.model, metered, deps)
      },
    })
  } finally {
    if (!isSettled) await letGo(billed.model, deps)
  }
}

async function nothing(): Promise<void> {}

function billedRequest({ session, requestId }: Exchange, body: Buffer, deps: ForwardDeps): Billed | null {
  const facts = describeRequest(body)
  if (facts === null) return null
  const { model, inputTokens, maxOutputTokens } = facts
  const conversation = `${session.sessionId} ${facts.conversation}`
  const cachedInputTokens = deps.promptCache.expect(conversation, inputTokens)
  const { sessionId } = session
  return { conversation, model: { sessionId, requestId, model, inputTokens, cachedInputTokens, maxOutputTokens } }
}

async function readBounded(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    // Read to the end all the same: a client that is cut off while it writes never sees why.
    if (size <= largestRequest) chunks.push(chunk)
    else chunks.length = 0
  }
  return size > largestRequest ? null : Buffer.concat(chunks)
}
