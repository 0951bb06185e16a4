import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelAccess } from '../../backend.ts'
import { stopOfSignal } from '../turn-stop.ts'
import type { WireFailure } from '../wire/wire-failure.ts'

/** How stubborn the loop is with a provider that fails. */
export interface LoopRetryPolicy {
  readonly maxRetries: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** A provider that asks for more is not waited for. */
  readonly longestAskedMs: number
  /** How long a request may wait at the provider before anything comes. */
  readonly firstByteMs: number
  /** An answer that has begun and says nothing for this long has broken off. */
  readonly silenceMs: number
}

export const defaultRetryPolicy: LoopRetryPolicy = {
  // As often as the gateway.
  maxRetries: 8,
  firstDelayMs: 500,
  longestDelayMs: 30_000,
  longestAskedMs: 600_000,
  // As long as Node's `fetch` waits: a longer one would never come to pass.
  firstByteMs: 300_000,
  silenceMs: 300_000,
}

/** As the house says it, where it says anything. */
export const retryPolicyFor = (access: ModelAccess, own: LoopRetryPolicy = defaultRetryPolicy): LoopRetryPolicy =>
  access.type === 'in-process' ? { ...own, ...access.retryPolicy } : own

/** How long to wait before the next attempt, counted from 1; `null` when there is none. */
export function retryDelayMs(
  { facts }: WireFailure,
  attempt: number,
  { retryPolicy, random }: { readonly retryPolicy: LoopRetryPolicy; readonly random: () => number },
): number | null {
  const { isRetryable, retryAfterMs } = facts
  if (!isRetryable || attempt > retryPolicy.maxRetries) return null
  if (retryAfterMs !== null && retryAfterMs > retryPolicy.longestAskedMs) return null
  const doubled = Math.min(retryPolicy.longestDelayMs, retryPolicy.firstDelayMs * 2 ** (attempt - 1))
  // Spread, so that those who failed together do not come back together.
  const jittered = Math.round(doubled * (0.75 + random() * 0.5))
  // A provider that asks for no pause at all has still failed.
  return Math.max(jittered, retryAfterMs ?? 0)
}

/** Ends with the turn. */
export async function waitForRetry(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal })
  } catch {
    throw stopOfSignal(signal)
  }
}
