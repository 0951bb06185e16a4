// Keeps the traffic to one upstream inside its limits: requests wait here for their turn instead of meeting a 429.

import { modelFamily, type ProviderLimits } from '../../provider-limits.ts'
import type { RequestName, Waiting } from '../model-gateway.ts'
import { createFamilyQueue, type FamilyQueue } from './family-queue.ts'
import type { RateUse } from './rate-windows.ts'

export type RateRequest = RequestName & {
  readonly owner: string
  readonly model: string
  /** Of the whole prompt, estimated. */
  readonly inputTokens: number
  /** Of these, what will be read from the cache. */
  readonly cachedInputTokens: number
  readonly maxOutputTokens: number
  /** It had its turn and failed: it goes before the owner's others. */
  readonly isRetry: boolean
}

/** One request's share of the rate, from the moment it may go until its use is known. */
export interface RateTicket {
  /** The provider answers and has counted the input. */
  begun(inputTokens: number): void
  /** Its use, or null when the request failed. The first call counts; later ones say nothing. */
  end(use: RateOutcome | null): void
  /** The provider said 429: everyone who waits for these models waits as long. Ends the ticket. Returns how long that is. */
  refused(retryAfterMs: number): number
}

/** `promptTokens` counts what was read from the cache too. */
export type RateOutcome = RateUse & { readonly promptTokens: number }

export interface ShaperClock {
  /** Milliseconds that only ever grow. */
  now(): number
  /** Returns how to call it off. */
  after(delayMs: number, run: () => void): () => void
}

export interface RateShaperOptions {
  /** Null: nothing is limited, and only a refusal of the provider makes requests wait. */
  readonly limits: ProviderLimits | null
  readonly onWaiting?: (waiting: Waiting) => void
  readonly clock?: ShaperClock
}

export interface RateShaper {
  /** Resolves when the request may go. Rejects with the signal's reason when it aborts first. */
  acquire(request: RateRequest, signal: AbortSignal): Promise<RateTicket>
}

export function createRateShaper(options: RateShaperOptions): RateShaper {
  const clock = options.clock ?? machineClock
  const limits = options.limits ?? unlimited
  const onWaiting = options.onWaiting ?? (() => undefined)
  const families = new Map<string, FamilyQueue>()

  function queueOf(model: string): FamilyQueue {
    const family = modelFamily(model)
    const known = families.get(family)
    if (known) return known
    const line = createFamilyQueue({ limits, clock, onWaiting })
    families.set(family, line)
    return line
  }

  return {
    acquire: (request, signal) => queueOf(request.model).acquire(request, signal),
  }
}

const unlimited: ProviderLimits = {
  requests: Number.POSITIVE_INFINITY,
  inputTokens: Number.POSITIVE_INFINITY,
  outputTokens: Number.POSITIVE_INFINITY,
  windowMs: 0,
}

const machineClock: ShaperClock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}
