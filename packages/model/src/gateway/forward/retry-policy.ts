// Which upstream failures are temporary, and how long to wait before a retry.
import type { IncomingHttpHeaders } from 'node:http'
import { backoffDelay } from '@quarterdeck/protocol'
import type { RetryPolicy } from '../model-gateway.ts'

/** About two minutes in total, unless the provider names a time. */
export const retryPolicy: RetryPolicy = {
  maxRetries: 8,
  firstDelayMs: 500,
  longestDelayMs: 30_000,
  longestRetryAfterMs: 120_000,
}

const transientStatuses = new Set([429, 500, 502, 503, 504, 529])
// An unknown host name and an invalid certificate are permanent.
const permanentErrors = new Set(['ENOTFOUND', 'EPROTO'])

export const isTransientStatus = (status: number, headers: IncomingHttpHeaders): boolean =>
  transientStatuses.has(status) && headers['x-should-retry'] !== 'false'

/** True for a connection that was refused, closed or never opened. */
export function isTransientBreak(error: unknown): boolean {
  const code = errorCode(error)
  return /^E[A-Z]+/.test(code) && !code.startsWith('ERR_') && !permanentErrors.has(code)
}

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed'

export interface RetryQuestion {
  readonly policy: RetryPolicy
  /** The number of the next retry, from 1. */
  readonly attempt: number
  /** The delay that the provider asked for, if any. */
  readonly retryAfterMs: number | null
  /** From 0 to 1: spreads requests that failed together. */
  readonly jitter: number
}

/** Null when no retry is left. */
export const retryDelay = (question: RetryQuestion): number | null =>
  question.attempt > question.policy.maxRetries ? null : pauseAfterRefusal(question)

/**
 * How long other requests wait after a 429, whether the refused one is retried or not. Then one of them tests the
 * limit.
 */
export function pauseAfterRefusal({ policy, attempt, retryAfterMs, jitter }: RetryQuestion): number {
  // An absurd delay must not block every request for the longest accepted time.
  if (retryAfterMs !== null && retryAfterMs > policy.longestRetryAfterMs) return policy.longestDelayMs
  if (retryAfterMs !== null) return retryAfterMs
  const delay = backoffDelay(attempt, { firstMs: policy.firstDelayMs, longestMs: policy.longestDelayMs })
  return Math.round(delay * (0.75 + 0.25 * jitter))
}

/** Seconds, a date, or the finer header that official clients read first. Null unless it names a time in the future. */
export function readRetryAfter(headers: IncomingHttpHeaders, now: number): number | null {
  const fine = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (fine > 0) return fine
  const value = headers['retry-after']
  if (value === undefined) return null
  const seconds = Number(value)
  const delay = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return delay > 0 ? delay : null
}
