// What requests of one model family usually turn out to use, learned from those that ended.

export interface UsageEstimator {
  /** Input that will count, from an estimate made of characters. */
  input(estimate: number): number
  /** A little above the average, by as much as answers differ. */
  output(): number
  learn(ended: { readonly estimate: number; readonly input: number; readonly output: number }): void
}

// A request is reserved at the usual output, never at its own bound: 32,000 of a bound would fill a small tier alone.
// Until the first one ended nothing is usual: then few go at once.
const firstGuess = 2_000
const firstShare = 0.25
const weightOfNewest = 0.2
// The provider's fence is exact and an estimate is not; what was held too much comes back when the answer begins.
const headroom = 1.1
// One strange answer must not make every later estimate absurd.
const leastRatio = 0.25
const greatestRatio = 8

export function createUsageEstimator(outputLimit: number): UsageEstimator {
  let ratio = 1
  let mean = Math.min(firstGuess, outputLimit * firstShare)
  let deviation = 0
  let hasLearned = false

  return {
    input: (estimate) => Math.ceil(estimate * ratio * headroom),
    output: () => Math.max(1, Math.ceil(mean + deviation)),
    learn({ estimate, input, output }) {
      deviation = hasLearned ? blend(deviation, Math.abs(output - mean)) : 0
      mean = hasLearned ? blend(mean, output) : output
      hasLearned = true
      if (estimate <= 0) return
      ratio = blend(ratio, Math.min(greatestRatio, Math.max(leastRatio, input / estimate)))
    },
  }
}

function blend(before: number, newest: number): number {
  return before * (1 - weightOfNewest) + newest * weightOfNewest
}
