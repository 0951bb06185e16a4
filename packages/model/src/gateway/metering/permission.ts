// The three words the gateway exchanges with whoever keeps the money: may it go, what it used, it came to nothing.
import type { ServerResponse } from 'node:http'
import { sendApiError } from '../../wire/anthropic/send-api-error.ts'
import type { Authorization, ModelGatewayOptions, ModelRequest } from '../model-gateway.ts'
import type { Metered } from './response-meter.ts'

type Keeper = Pick<ModelGatewayOptions, 'authorize' | 'settle' | 'release' | 'logger'>

export async function askFirst(request: ModelRequest, keeper: Keeper, signal: AbortSignal): Promise<Authorization> {
  if (!keeper.authorize) return { type: 'go' }
  try {
    return await keeper.authorize(request, signal)
  } catch (error) {
    if (!signal.aborted) {
      const facts = { requestId: request.requestId, error: String(error) }
      keeper.logger?.warn(facts, 'authorize failed; the request is refused')
    }
    return { type: 'refuse', status: 503, errorType: 'api_error', message: 'The request could not be authorized.' }
  }
}

export async function book(request: ModelRequest, metered: Metered, keeper: Keeper): Promise<void> {
  const { sessionId, requestId, model: requestedModel } = request
  const settlement = { sessionId, requestId, requestedModel, ...metered }
  try {
    await keeper.settle(settlement)
  } catch (error) {
    // The answer is the client's already: what is left to do is to say loudly that a booking is missing.
    keeper.logger?.warn({ ...settlement, error: String(error) }, 'booking a model request failed')
  }
}

/** A request that ended without a message cost nothing. */
export async function letGo({ sessionId, requestId }: ModelRequest, keeper: Keeper): Promise<void> {
  try {
    await keeper.release?.({ sessionId, requestId })
  } catch (error) {
    keeper.logger?.warn({ sessionId, requestId, error: String(error) }, 'releasing a model request failed')
  }
}

export function sendRefusal(
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
