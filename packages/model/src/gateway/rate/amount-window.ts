// The amount that counts against one limit: reservations of running requests, and requests that ended less than a
// window ago.
// A provider counts a request at some moment between its start and its end. Here it counts from its start until a whole
// window after its end, so everything that the provider counts in any window of its own is also counted here. That
// holds for a server with a sliding window and for one with a token bucket of the same size, since a bucket admits
// everything that exceeds no window.

export interface WindowOptions {
  readonly limit: number
  readonly windowMs: number
  readonly now: () => number
}

export function createAmountWindow({ limit, windowMs, now }: WindowOptions) {
  let held = 0
  let holders = 0
  /** In the order in which they expire. */
  let passing: { readonly amount: number; readonly leavesAt: number }[] = []
  /** The sum of the expiring entries. It is needed for every request, and a window may contain thousands. */
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
    hold(amount: number) {
      held += amount
      holders += 1
    },
    /** Replaces the reservation by the actual amount, which counts until a window from now. */
    end(amount: number, actual: number) {
      held -= amount
      holders -= 1
      // Also for a value that is not a number: once counted it would delay every request forever.
      if (!(actual > 0 && Number.isFinite(actual))) return
      passing.push({ amount: actual, leavesAt: now() + windowMs })
      passed += actual
    },
    /**
     * How long until this much fits: 0 if it fits now, null if only the end of a reservation makes room. An amount above
     * the whole limit fits when nothing else counts; otherwise it would wait forever.
     */
    waitFor(amount: number) {
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
