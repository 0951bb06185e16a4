// The three calls of the gateway to the owner of the money: authorize a request, book its usage, release it.

import type { ServerResponse } from 'node:http'
import type { ModelRequest, ModelUse, ModelVerdict, RequestRefusal } from '@quarterdeck/protocol'
import { sendApiError } from '../../wire/anthropic/send-api-error.ts'
import type { ModelGatewayOptions } from '../model-gateway.ts'
import type { Metered } from './response-meter.ts'

type MoneyOwner = Pick<ModelGatewayOptions, 'authorize' | 'settle' | 'release' | 'logger'>

export async function authorizeRequest(
  request: ModelRequest,
  owner: MoneyOwner,
  signal: AbortSignal,
): Promise<ModelVerdict> {
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

export function useOf({ sessionId, requestId, model }: ModelRequest, metered: Metered): ModelUse {
  const { messageId: apiMessageId, servedModel, usage, isComplete } = metered
  const counted = { input: usage.inputTokens, output: usage.outputTokens }
  const cached = { cacheRead: usage.cacheReadInputTokens, cacheWrite: usage.cacheCreationInputTokens }
  const tokens = { ...counted, ...cached, ...(isComplete ? {} : { isOutputEstimated: true }) }
  return { sessionId, requestId, apiMessageId, requestedModel: model, servedModel, tokens }
}

export async function bookUsage(use: ModelUse, owner: MoneyOwner): Promise<void> {
  try {
    await owner.settle(use)
  } catch (error) {
    // The client already has the answer, so a failed booking can only be logged.
    owner.logger?.warn({ ...use, error: String(error) }, 'booking a model request failed')
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

export function sendRefusal(response: ServerResponse, verdict: RequestRefusal, requestId: string): void {
  const { status, errorType: type, message, retryAfterSeconds } = verdict
  // The official clients retry 429 and 5xx by themselves unless a header says not to.
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? { 'x-should-retry': 'false' } : { 'retry-after': String(retryAfterSeconds) }
  sendApiError(response, { status, type, message, requestId, headers })
}
