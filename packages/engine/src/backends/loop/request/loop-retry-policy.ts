import { backoffDelay, sleep } from '@quarterdeck/protocol'
import type { ModelAccess } from '../../../ports/model-access.ts'
import { stopOfSignal } from '../turn-stop.ts'
import type { WireFailure } from '../wire/wire-failure.ts'

/** How the loop retries a failing provider. */
export interface LoopRetryPolicy {
  readonly maxRetries: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** If the provider requests a longer delay, the request fails. */
  readonly longestAskedMs: number
  /** The time limit for the first data of a response. */
  readonly firstByteMs: number
  /** An answer that has begun and is silent for this long counts as broken. */
  readonly silenceMs: number
}

export const defaultRetryPolicy: LoopRetryPolicy = {
  // The same as the gateway.
  maxRetries: 8,
  firstDelayMs: 500,
  longestDelayMs: 30_000,
  longestAskedMs: 600_000,
  // The limit of Node's `fetch`: a longer one would have no effect.
  firstByteMs: 300_000,
  silenceMs: 300_000,
}

/** The configured values over the defaults. */
export const retryPolicyFor = (access: ModelAccess, own: LoopRetryPolicy = defaultRetryPolicy): LoopRetryPolicy =>
  access.type === 'in-process' ? { ...own, ...access.retryPolicy } : own

/** The delay before the next attempt, counted from 1; `null` if there is none. */
export function retryDelayMs(
  { facts }: WireFailure,
  attempt: number,
  { retryPolicy, random }: { readonly retryPolicy: LoopRetryPolicy; readonly random: () => number },
): number | null {
  const { isRetryable, retryAfterMs } = facts
  if (!isRetryable || attempt > retryPolicy.maxRetries) return null
  if (retryAfterMs !== null && retryAfterMs > retryPolicy.longestAskedMs) return null
  const doubled = backoffDelay(attempt, { firstMs: retryPolicy.firstDelayMs, longestMs: retryPolicy.longestDelayMs })
  // Jittered, so that requests that failed together are not retried together.
  const jittered = Math.round(doubled * (0.75 + random() * 0.5))
  // A minimum, even if the provider requests no delay.
  return Math.max(jittered, retryAfterMs ?? 0)
}

/** Rejects when the turn ends. */
export async function waitForRetry(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, signal)
  if (signal.aborted) throw stopOfSignal(signal)
}
