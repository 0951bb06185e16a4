// Which failures of an upstream pass by themselves, and how long to wait for that.
import type { IncomingHttpHeaders } from 'node:http'
import type { RetryPolicy } from '../model-gateway.ts'

/** About two minutes in all, as long as the provider names no time of its own. */
export const retryPolicy: RetryPolicy = {
  maxRetries: 8,
  firstDelayMs: 500,
  longestDelayMs: 30_000,
  longestRetryAfterMs: 120_000,
}

const transientStatuses = new Set([429, 500, 502, 503, 504, 529])
// A name that does not exist and a certificate that does not hold stay so.
const permanentErrors = new Set(['ENOTFOUND', 'EPROTO'])

export function isPassingStatus(status: number, headers: IncomingHttpHeaders): boolean {
  return transientStatuses.has(status) && headers['x-should-retry'] !== 'false'
}

/** True for a connection that was refused, cut or never made. */
export function isPassingBreak(error: unknown): boolean {
  const code = errorCode(error)
  return /^E[A-Z]+/.test(code) && !code.startsWith('ERR_') && !permanentErrors.has(code)
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed'
}

export interface RetryQuestion {
  readonly policy: RetryPolicy
  /** Of the retry to come, from 1. */
  readonly attempt: number
  /** What the provider asked for, if it did. */
  readonly retryAfterMs: number | null
  /** From 0 to 1: spreads those who failed together. */
  readonly jitter: number
}

/** Null when there is nothing more to wait for. */
export function retryDelay({ policy, attempt, retryAfterMs, jitter }: RetryQuestion): number | null {
  if (attempt > policy.maxRetries) return null
  return pauseAfterRefusal({ policy, attempt, retryAfterMs, jitter })
}

/** How long the others wait after a 429, whether the refused one is tried again or not: then one of them finds out. */
export function pauseAfterRefusal({ policy, attempt, retryAfterMs, jitter }: RetryQuestion): number {
  // One absurd answer must not hold everyone for as long as the longest sensible one could.
  if (retryAfterMs !== null && retryAfterMs > policy.longestRetryAfterMs) return policy.longestDelayMs
  return retryAfterMs ?? backoff(policy, attempt, jitter)
}

function backoff(policy: RetryPolicy, attempt: number, jitter: number): number {
  const doubled = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (attempt - 1))
  return Math.round(doubled * (0.75 + 0.25 * jitter))
}

/** Seconds, a date, or the finer header that official clients read first. Null for what names no time to come. */
export function readRetryAfter(headers: IncomingHttpHeaders, now: number): number | null {
  const fine = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (fine > 0) return fine
  const value = headers['retry-after']
  if (value === undefined) return null
  const seconds = Number(value)
  const delay = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return delay > 0 ? delay : null
}
