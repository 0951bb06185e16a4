// Keeps the traffic to one upstream within its limits: requests wait here instead of getting a 429.

import type { GatewayDecisions } from '@quarterdeck/protocol'
import { modelFamily, type ProviderLimits } from '../../provider-limits.ts'
import { createFamilyQueue, type FamilyQueue, type RateRequest, type ShaperClock } from './family-queue.ts'

export interface RateShaperOptions {
  /** Null: no limits, so requests wait only after a refusal of the provider. */
  readonly limits: ProviderLimits | null
  readonly onWaiting?: GatewayDecisions['onWaiting']
  readonly clock?: ShaperClock
}

export type RateShaper = ReturnType<typeof createRateShaper>

export function createRateShaper(options: RateShaperOptions) {
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
    /** Resolves when the request may be sent. Rejects with the signal's reason if it aborts first. */
    acquire: (request: RateRequest, signal: AbortSignal) => queueOf(request.model).acquire(request, signal),
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
