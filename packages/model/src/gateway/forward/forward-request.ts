// Forwards one request: allowed path, authorization, upstream, response bytes, booking.
import type { IncomingMessage } from 'node:http'
import { sendApiError } from '../../wire/anthropic/send-api-error.ts'
import { describeRequest } from '../metering/describe-request.ts'
import { authorizeRequest, bookUsage, releaseRequest, sendRefusal, useOf } from '../metering/request-accounting.ts'
import type { Billed, Exchange, ForwardDeps } from './exchange.ts'
import { relay } from './relay.ts'

export const billablePath = '/v1/messages'
const largestRequest = 64 * 1024 * 1024

export async function forwardRequest(exchange: Exchange, deps: ForwardDeps): Promise<void> {
  const { response, requestId } = exchange
  const body = await readBounded(exchange.request)
  if (body === null) {
    return sendApiError(response, {
      status: 413,
      message: 'The request is larger than the gateway accepts.',
      requestId,
    })
  }
  if (exchange.pathname !== billablePath) return relay({ exchange, deps, body, billed: null, onMetered: nothing })

  const billed = billedRequest(exchange, body, deps)
  if (billed === null) {
    return sendApiError(response, { status: 400, message: 'The body is not a JSON object with a model.', requestId })
  }
  const verdict = await authorizeRequest(billed.model, deps, exchange.signal)
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
        await bookUsage(useOf(billed.model, metered), deps)
      },
    })
  } finally {
    if (!isSettled) await releaseRequest(billed.model, deps)
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
    // Read to the end anyway: a client that is disconnected while it sends never sees the reason.
    if (size <= largestRequest) chunks.push(chunk)
    else chunks.length = 0
  }
  return size > largestRequest ? null : Buffer.concat(chunks)
}
