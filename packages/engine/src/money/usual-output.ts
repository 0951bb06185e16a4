/** Before anything was seen: an agent's answer is mostly one tool call. */
const firstGuess = 500
/** A new answer counts this much; the ones before it share the rest. */
const weight = 0.1

export interface UsualOutput {
  of(model: string): number
  learn(model: string, outputTokens: number): void
}

/** How long answers of a model usually are: a running average, far below what a request could ask for. */
export function createUsualOutput(): UsualOutput {
  const averages = new Map<string, number>()
  const of = (model: string) => averages.get(model) ?? firstGuess
  return {
    of,
    learn: (model, outputTokens) => void averages.set(model, of(model) * (1 - weight) + outputTokens * weight),
  }
}
