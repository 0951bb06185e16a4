// One request to the provider with its retries. It waits for its rate, and temporary failures are retried here without
// the client seeing them. No byte has been sent to the client when this ends.

import type { IncomingMessage } from 'node:http'
import { type ModelRetry, sleep } from '@quarterdeck/protocol'
import { z } from 'zod'
import { errorTypeOfStatus } from '../../wire/anthropic/error-body.ts'
import type { RetryPolicy } from '../model-gateway.ts'
import type { RateTicket } from '../rate/family-queue.ts'
import { readErrorBody } from './read-error-body.ts'
import {
  errorCode,
  isTransientBreak,
  isTransientStatus,
  pauseAfterRefusal,
  type RetryQuestion,
  readRetryAfter,
  retryDelay,
} from './retry-policy.ts'
import type { UpstreamClient, UpstreamRequest } from './send-to-upstream.ts'

export interface ForwardedRequest {
  readonly request: UpstreamRequest
  /** Waits for the request's rate; null for requests that are not limited. */
  readonly takeTicket: ((isRetry: boolean) => Promise<RateTicket>) | null
  /** The client handles a 529 itself. */
  readonly hasFallbackModel: boolean
  readonly policy: RetryPolicy
  /** How long the provider may be silent in the middle of an error; 0 for no limit. */
  readonly silenceMs: number
  readonly onRetrying: (retrying: Omit<ModelRetry, 'sessionId' | 'requestId'>) => void
}

export interface Reached {
  readonly upstream: IncomingMessage
  readonly ticket: RateTicket | null
  /** The retries are used up: further retries of the client would only multiply the wait. */
  readonly isFinal: boolean
}

type UpstreamAnswer = { readonly upstream: IncomingMessage } | { readonly broken: unknown }

/** Rejects without any answer, and when the request's signal aborts. */
export async function sendWithRetries(forwarded: ForwardedRequest, client: UpstreamClient): Promise<Reached> {
  const { request, policy } = forwarded
  for (let attempt = 1; ; attempt += 1) {
    const ticket = (await forwarded.takeTicket?.(attempt > 1)) ?? null
    const answer = await client.send(request).then(
      (upstream): UpstreamAnswer => ({ upstream }),
      (broken: unknown): UpstreamAnswer => ({ broken }),
    )
    const status = statusOf(answer)
    if ('upstream' in answer && status !== null && status < 400) return { ...answer, ticket, isFinal: false }

    const question = questionOf(attempt, answer, policy)
    const ownDelayMs = isTransient(answer, forwarded) ? retryDelay(question) : null
    // The pause for all requests to these models may be longer than the delay of this one.
    const pauseMs = status === 429 ? ticket?.refused(ownDelayMs ?? pauseAfterRefusal(question)) : ticket?.end(null)
    if (ownDelayMs === null) {
      if ('broken' in answer) throw answer.broken
      return { ...answer, ticket: null, isFinal: attempt > 1 || status === 401 || status === 403 }
    }
    const delayMs = Math.max(ownDelayMs, Math.ceil(pauseMs ?? 0))
    const error = await nameOf(answer, forwarded.silenceMs)
    forwarded.onRetrying({ attempt, maxRetries: policy.maxRetries, delayMs, status, error })
    await sleep(delayMs, request.signal)
    request.signal.throwIfAborted()
  }
}

function questionOf(attempt: number, answer: UpstreamAnswer, policy: RetryPolicy): RetryQuestion {
  const retryAfterMs = 'upstream' in answer ? readRetryAfter(answer.upstream.headers, Date.now()) : null
  return { policy, attempt, retryAfterMs, jitter: Math.random() }
}

/** False when the client must see the failure. */
function isTransient(answer: UpstreamAnswer, { request, hasFallbackModel }: ForwardedRequest): boolean {
  if ('broken' in answer) return !request.signal.aborted && isTransientBreak(answer.broken)
  const status = statusOf(answer) ?? 0
  if (status === 529 && hasFallbackModel) return false
  return isTransientStatus(status, answer.upstream.headers)
}

const statusOf = (answer: UpstreamAnswer): number | null =>
  'upstream' in answer ? (answer.upstream.statusCode ?? 502) : null

const ErrorBody = z.looseObject({ error: z.looseObject({ type: z.string() }) })

/** Reads the body to its end, so that the retry can reuse the connection. */
async function nameOf(answer: UpstreamAnswer, silenceMs: number): Promise<string> {
  if ('broken' in answer) return errorCode(answer.broken)
  const status = statusOf(answer) ?? 502
  try {
    const body = await readErrorBody(answer.upstream, silenceMs)
    return ErrorBody.parse(JSON.parse(body.toString('utf8'))).error.type
  } catch {
    // Proxies answer in other shapes; the status is enough.
    return errorTypeOfStatus(status)
  }
}
