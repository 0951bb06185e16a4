// What requests of one model family usually turn out to use, learned from those that ended.

export type UsualUse = {
  /** Input that will count, from an estimate made of characters. */
  input(estimate: number): number
  output(): number
  learn(ended: { readonly estimate: number; readonly input: number; readonly output: number }): void
}

// A request is reserved at the usual output, never at its own bound: 32,000 of a bound would fill a small tier alone.
const FIRST_GUESS = 500
const WEIGHT_OF_NEWEST = 0.2
// One strange answer must not make every later estimate absurd.
const LEAST_RATIO = 0.25
const GREATEST_RATIO = 8

export function createUsualUse(mostOutput: number): UsualUse {
  let ratio = 1
  let usualOutput = Math.min(FIRST_GUESS, mostOutput)

  return {
    input: (estimate) => Math.ceil(estimate * ratio),
    output: () => Math.ceil(usualOutput),
    learn({ estimate, input, output }) {
      usualOutput = blend(usualOutput, output)
      if (estimate <= 0) return
      ratio = blend(ratio, Math.min(GREATEST_RATIO, Math.max(LEAST_RATIO, input / estimate)))
    },
  }
}

function blend(before: number, newest: number): number {
  return before * (1 - WEIGHT_OF_NEWEST) + newest * WEIGHT_OF_NEWEST
}
