// The three limits of one model family, and one request's share of them.
import type { ProviderLimits } from '../../provider-limits.ts'
import { createAmountWindow } from './amount-window.ts'

export interface RateUse {
  readonly inputTokens: number
  readonly outputTokens: number
}

export function createRateWindows(limits: ProviderLimits, now: () => number) {
  const window = (limit: number) => createAmountWindow({ limit, windowMs: limits.windowMs, now })
  const requests = window(limits.requests)
  const input = window(limits.inputTokens)
  const output = window(limits.outputTokens)

  return {
    /** How long until this much fits: 0 if it fits now, null if only the end of a running request makes room. */
    waitFor({ inputTokens, outputTokens }: RateUse) {
      const waits = [requests.waitFor(1), input.waitFor(inputTokens), output.waitFor(outputTokens)]
      return waits.reduce((longest, wait) => (longest === null || wait === null ? null : Math.max(longest, wait)), 0)
    },
    /** Reserves it from now on. Both returned functions count only on the first call; they return false after that. */
    hold(reserved: RateUse) {
      requests.hold(1)
      input.hold(reserved.inputTokens)
      output.hold(reserved.outputTokens)
      let hasBegun = false
      let hasEnded = false

      /** The provider has counted the input. */
      function begin(inputTokens: number): boolean {
        if (hasBegun) return false
        hasBegun = true
        requests.end(1, 1)
        input.end(reserved.inputTokens, inputTokens)
        return true
      }

      return {
        begin,
        /** The actual use, or null if the request failed. */
        end(use: RateUse | null): boolean {
          if (hasEnded) return false
          hasEnded = true
          // A failed request was sent anyway, and some providers count it.
          begin(use?.inputTokens ?? 0)
          output.end(reserved.outputTokens, use?.outputTokens ?? 0)
          return true
        },
      }
    },
  }
}
