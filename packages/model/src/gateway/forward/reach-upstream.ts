// One request to the provider, as often as it takes: it waits for its rate, and failures that pass by themselves are
// waited out here, where the client does not see them. Not a byte has gone to the client when this is over.
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { errorTypeOfStatus } from '../../wire/anthropic/error-body.ts'
import type { Retrying, RetryPolicy } from '../model-gateway.ts'
import type { RateTicket } from '../rate/rate-shaper.ts'
import { readErrorBody } from './read-error-body.ts'
import {
  errorCode,
  isPassingBreak,
  isPassingStatus,
  pauseAfterRefusal,
  type RetryQuestion,
  readRetryAfter,
  retryDelay,
} from './retry-policy.ts'
import type { UpstreamClient, UpstreamRequest } from './send-to-upstream.ts'

export interface Passage {
  readonly request: UpstreamRequest
  /** Waits for the request's rate; null for what counts against none. */
  readonly takeTicket: ((isRetry: boolean) => Promise<RateTicket>) | null
  /** The client has an answer of its own to a 529. */
  readonly hasFallbackModel: boolean
  readonly policy: RetryPolicy
  /** How long the provider may say nothing in the middle of an error; 0 for ever. */
  readonly silenceMs: number
  readonly onRetrying: (retrying: Omit<Retrying, 'sessionId' | 'requestId'>) => void
}

export interface Reached {
  readonly upstream: IncomingMessage
  readonly ticket: RateTicket | null
  /** It was tried often enough: a client that tried again by itself would only multiply the wait. */
  readonly isFinal: boolean
}

type UpstreamAnswer = { readonly upstream: IncomingMessage } | { readonly broken: unknown }

/** Rejects when no answer came at all, or when the request's signal aborts. */
export async function reachUpstream(passage: Passage, client: UpstreamClient): Promise<Reached> {
  const { request, policy } = passage
  for (let attempt = 1; ; attempt += 1) {
    const ticket = (await passage.takeTicket?.(attempt > 1)) ?? null
    const answer = await client.send(request).then(
      (upstream): UpstreamAnswer => ({ upstream }),
      (broken: unknown): UpstreamAnswer => ({ broken }),
    )
    const status = statusOf(answer)
    if ('upstream' in answer && status !== null && status < 400) return { ...answer, ticket, isFinal: false }

    const question = questionOf(attempt, answer, policy)
    const ownDelayMs = isPassing(answer, passage) ? retryDelay(question) : null
    // Everyone who waits for these models may have to wait longer than this request alone.
    const pauseMs = status === 429 ? ticket?.refused(ownDelayMs ?? pauseAfterRefusal(question)) : ticket?.end(null)
    if (ownDelayMs === null) {
      if ('broken' in answer) throw answer.broken
      return { ...answer, ticket: null, isFinal: attempt > 1 || status === 401 || status === 403 }
    }
    const delayMs = Math.max(ownDelayMs, Math.ceil(pauseMs ?? 0))
    const error = await nameOf(answer, passage.silenceMs)
    passage.onRetrying({ attempt, maxRetries: policy.maxRetries, delayMs, status, error })
    await sleep(delayMs, undefined, { signal: request.signal })
  }
}

function questionOf(attempt: number, answer: UpstreamAnswer, policy: RetryPolicy): RetryQuestion {
  const retryAfterMs = 'upstream' in answer ? readRetryAfter(answer.upstream.headers, Date.now()) : null
  return { policy, attempt, retryAfterMs, jitter: Math.random() }
}

/** False when the failure is the client's to know. */
function isPassing(answer: UpstreamAnswer, { request, hasFallbackModel }: Passage): boolean {
  if ('broken' in answer) return !request.signal.aborted && isPassingBreak(answer.broken)
  const status = statusOf(answer) ?? 0
  if (status === 529 && hasFallbackModel) return false
  return isPassingStatus(status, answer.upstream.headers)
}

function statusOf(answer: UpstreamAnswer): number | null {
  return 'upstream' in answer ? (answer.upstream.statusCode ?? 502) : null
}

const ErrorBody = z.looseObject({ error: z.looseObject({ type: z.string() }) })

/** Reads the body to its end, so that the connection serves the retry. */
async function nameOf(answer: UpstreamAnswer, silenceMs: number): Promise<string> {
  if ('broken' in answer) return errorCode(answer.broken)
  const status = statusOf(answer) ?? 502
  try {
    const body = await readErrorBody(answer.upstream, silenceMs)
    return ErrorBody.parse(JSON.parse(body.toString('utf8'))).error.type
  } catch {
    // Proxies on the way answer in shapes of their own; the status says enough.
    return errorTypeOfStatus(status)
  }
}
