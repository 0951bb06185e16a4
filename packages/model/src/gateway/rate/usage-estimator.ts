// The usual use of requests of one model family, learned from finished ones.

export interface UsageEstimator {
  /** Input that will count, from an estimate by characters. */
  input(estimate: number): number
  /** Slightly above the average, by the spread of the answers. */
  output(): number
  learn(ended: { readonly estimate: number; readonly input: number; readonly output: number }): void
}

// A request reserves the usual output, never its own bound: a bound of 32,000 would fill a small tier alone. Until the
// first request ends no output is usual, so few are sent at once.
const firstGuess = 2_000
const firstShare = 0.25
const weightOfNewest = 0.2
// The provider's limit is exact and an estimate is not; an excess is released when the answer begins.
const headroom = 1.1
// One unusual answer must not distort every later estimate.
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
