// The three calls of the gateway to the owner of the money: authorize a request, book its usage, release it.
import type { ServerResponse } from 'node:http'
import { sendApiError } from '../../wire/anthropic/send-api-error.ts'
import type { Authorization, ModelGatewayOptions, ModelRequest } from '../model-gateway.ts'
import type { Metered } from './response-meter.ts'

type MoneyOwner = Pick<ModelGatewayOptions, 'authorize' | 'settle' | 'release' | 'logger'>

export async function authorizeRequest(
  request: ModelRequest,
  owner: MoneyOwner,
  signal: AbortSignal,
): Promise<Authorization> {
  if (!owner.authorize) return { type: 'go' }
  try {
    return await owner.authorize(request, signal)
  } catch (error) {
    if (!signal.aborted) {
      const facts = { requestId: request.requestId, error: String(error) }
      owner.logger?.warn(facts, 'authorize failed; the request is refused')
    }
    return { type: 'refuse', status: 503, errorType: 'api_error', message: 'The request could not be authorized.' }
  }
}

export async function bookUsage(request: ModelRequest, metered: Metered, owner: MoneyOwner): Promise<void> {
  const { sessionId, requestId, model: requestedModel } = request
  const settlement = { sessionId, requestId, requestedModel, ...metered }
  try {
    await owner.settle(settlement)
  } catch (error) {
    // The client already has the answer, so a failed booking can only be logged.
    owner.logger?.warn({ ...settlement, error: String(error) }, 'booking a model request failed')
  }
}

/** A request that ended without a message costs nothing. */
export async function releaseRequest({ sessionId, requestId }: ModelRequest, owner: MoneyOwner): Promise<void> {
  try {
    await owner.release?.({ sessionId, requestId })
  } catch (error) {
    owner.logger?.warn({ sessionId, requestId, error: String(error) }, 'releasing a model request failed')
  }
}

export function sendRefusal(
  response: ServerResponse,
  verdict: Extract<Authorization, { type: 'refuse' }>,
  requestId: string,
): void {
  const { status, errorType: type, message, retryAfterSeconds } = verdict
  // The official clients retry 429 and 5xx by themselves unless a header says not to.
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? { 'x-should-retry': 'false' } : { 'retry-after': String(retryAfterSeconds) }
  sendApiError(response, { status, type, message, requestId, headers })
}
