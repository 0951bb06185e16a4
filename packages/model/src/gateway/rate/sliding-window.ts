// What counts against one limit now: what requests under way hold, and what ended less than a window ago.
//
// A provider counts a request at some moment between its start and its end. Here it counts from its start until a whole
// window after its end, so whatever the provider sees in any window of its own is a part of what is seen here. That
// holds against a server with a sliding window and against one with a token bucket of the same size, since a bucket
// lets through all that no window exceeds.

export interface SlidingWindow {
  hold(amount: number): void
  /** The held amount turns out to be another, and counts until a window from now. */
  end(held: number, actual: number): void
  /**
   * How long until this much fits, 0 when it does now; null when only the end of what is held makes room. An amount above
   * the whole limit fits when nothing else counts: it would wait for ever otherwise.
   */
  waitFor(amount: number): number | null
}

export interface WindowOptions {
  readonly limit: number
  readonly windowMs: number
  readonly now: () => number
}

export function createSlidingWindow({ limit, windowMs, now }: WindowOptions): SlidingWindow {
  let held = 0
  let holders = 0
  /** In the order in which they leave. */
  let passing: { readonly amount: number; readonly leavesAt: number }[] = []
  /** The sum of those passing: asked for with every request, of which there may be thousands in a window. */
  let passed = 0

  function prune(): void {
    const time = now()
    const left = passing.findIndex((entry) => entry.leavesAt > time)
    const gone = left === -1 ? passing : passing.slice(0, left)
    if (gone.length === 0) return
    passing = passing.slice(gone.length)
    for (const { amount } of gone) passed -= amount
    if (passing.length === 0) passed = 0
  }

  return {
    hold(amount) {
      held += amount
      holders += 1
    },
    end(amount, actual) {
      held -= amount
      holders -= 1
      // Also what is no number: counted once it would keep everybody waiting for ever.
      if (!(actual > 0 && Number.isFinite(actual))) return
      passing.push({ amount: actual, leavesAt: now() + windowMs })
      passed += actual
    },
    waitFor(amount) {
      prune()
      let used = held + passed
      if (used + amount <= limit || (holders === 0 && passing.length === 0)) return 0
      for (const [at, entry] of passing.entries()) {
        used -= entry.amount
        const isEmpty = holders === 0 && at === passing.length - 1
        if (isEmpty || used + amount <= limit) return Math.max(0, entry.leavesAt - now())
      }
      return null
    },
  }
}
