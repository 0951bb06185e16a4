// Enforces the rate limits of a provider with 429. It counts with a sliding minute or with a token bucket, so that
// shaped traffic can be tested against both.
import { modelFamily, type ProviderLimits } from '@quarterdeck/model'

export type SimulatedRate = ProviderLimits & {
  /** `window` by default. */
  readonly countedBy?: 'window' | 'bucket'
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

export type RateAllowance = Readonly<Record<'requests' | 'inputTokens' | 'outputTokens', LimitAllowance>>

export interface LimitAllowance {
  readonly limit: number
  readonly remaining: number
  /** Until the full amount is available again. */
  readonly resetMs: number
}

export type RateDecision =
  | { readonly type: 'refused'; readonly waitMs: number }
  | {
      readonly type: 'entered'
      /** Replaces the estimate by the actual use. */
      countInput(tokens: number): void
      countOutput(tokens: number): void
    }

interface Meter {
  /** How long until it fits; 0 if it does. An amount above the limit fits when nothing is counted. */
  waitFor(amount: number): number
  add(amount: number): void
  allowance(): LimitAllowance
}

interface MeterOptions {
  readonly limit: number
  readonly windowMs: number
  readonly now: () => number
}

export function createRateLimiter(rate: SimulatedRate, now: () => number = () => performance.now()) {
  const createMeter = rate.countedBy === 'bucket' ? createBucket : createWindow
  const meter = (limit: number) => createMeter({ limit, windowMs: rate.windowMs, now })
  const families = new Map<string, { requests: Meter; input: Meter; output: Meter }>()

  function metersOf(model: string) {
    const family = modelFamily(model)
    const known = families.get(family)
    if (known) return known
    const made = { requests: meter(rate.requests), input: meter(rate.inputTokens), output: meter(rate.outputTokens) }
    families.set(family, made)
    return made
  }

  return {
    /** The remaining amounts for these models. */
    allowanceFor(model: string): RateAllowance {
      const { requests, input, output } = metersOf(model)
      return { requests: requests.allowance(), inputTokens: input.allowance(), outputTokens: output.allowance() }
    },
    /** Counts the request, or returns the milliseconds after which it may be sent again. */
    enter(model: string, estimate: number): RateDecision {
      const { requests, input, output } = metersOf(model)
      // The length of the answer is not known yet: some capacity must be left.
      const waitMs = Math.max(requests.waitFor(1), input.waitFor(estimate), output.waitFor(1))
      if (waitMs > 0) return { type: 'refused', waitMs }
      requests.add(1)
      input.add(estimate)
      return { type: 'entered', countInput: (tokens) => input.add(tokens - estimate), countOutput: output.add }
    },
  }
}

function createWindow({ limit, windowMs, now }: MeterOptions): Meter {
  let entries: { readonly amount: number; readonly leavesAt: number }[] = []

  return {
    waitFor(amount) {
      entries = entries.filter((entry) => entry.leavesAt > now())
      let used = entries.reduce((sum, entry) => sum + entry.amount, 0)
      if (used <= 0 || used + amount <= limit) return 0
      for (const [at, entry] of entries.entries()) {
        used -= entry.amount
        if (used + amount <= limit || at === entries.length - 1) return entry.leavesAt - now()
      }
      return 0
    },
    add: (amount) => void entries.push({ amount, leavesAt: now() + windowMs }),
    allowance() {
      const current = entries.filter((entry) => entry.leavesAt > now())
      const used = current.reduce((sum, entry) => sum + entry.amount, 0)
      return { limit, remaining: Math.max(0, limit - used), resetMs: (current.at(-1)?.leavesAt ?? now()) - now() }
    },
  }
}

function createBucket({ limit, windowMs, now }: MeterOptions): Meter {
  const perMs = limit / windowMs
  let level = limit
  let filledAt = now()

  function fill(): void {
    level = Math.min(limit, level + (now() - filledAt) * perMs)
    filledAt = now()
  }

  return {
    waitFor(amount) {
      fill()
      return Math.max(0, (Math.min(amount, limit) - level) / perMs)
    },
    add(amount) {
      fill()
      level = Math.min(limit, level - amount)
    },
    allowance() {
      fill()
      return { limit, remaining: Math.max(0, Math.floor(level)), resetMs: (limit - level) / perMs }
    },
  }
}
