// One request's share of the rate, from the moment it may go until its use is known.
import type { RateLimits } from '../../rate-limits.ts'
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts'

export type RateUse = { readonly inputTokens: number; readonly outputTokens: number }

/** `promptTokens` counts what was read from the cache too. */
export type RateOutcome = RateUse & { readonly promptTokens: number }

export type RateTicket = {
  /** The provider answers and has counted the input. */
  begun(inputTokens: number): void
  /** Its use, or null when the request failed. The first call counts; later ones say nothing. */
  end(use: RateOutcome | null): void
  /** The provider said 429: everyone who waits for these models waits as long. Ends the ticket. */
  refused(retryAfterMs: number): void
}

export type RateWindows = {
  readonly requests: SlidingWindow
  readonly input: SlidingWindow
  readonly output: SlidingWindow
}

export function createRateWindows(limits: RateLimits, now: () => number): RateWindows {
  const window = (limit: number) => createSlidingWindow({ limit, windowMs: limits.windowMs, now })
  return {
    requests: window(limits.requests),
    input: window(limits.inputTokens),
    output: window(limits.outputTokens),
  }
}

/** Holds the reserved use at once and returns how the truth is told. Each of the two happens once. */
export function holdShare(windows: RateWindows, reserved: RateUse) {
  const { requests, input, output } = windows
  requests.hold(1)
  input.hold(reserved.inputTokens)
  output.hold(reserved.outputTokens)
  let hasBegun = false
  let hasEnded = false

  function begin(inputTokens: number): boolean {
    if (hasBegun) return false
    hasBegun = true
    requests.end(1, 1)
    input.end(reserved.inputTokens, inputTokens)
    return true
  }

  function end(use: RateUse | null): boolean {
    if (hasEnded) return false
    hasEnded = true
    // A failed request was sent all the same, and is counted by some.
    begin(use?.inputTokens ?? 0)
    output.end(reserved.outputTokens, use?.outputTokens ?? 0)
    return true
  }

  return { begin, end }
}
