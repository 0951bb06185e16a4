/** A new value counts this much; the ones before it share the rest. */
const weight = 0.1

export interface RunningAverage {
  of(name: string): number
  learn(name: string, value: number): void
}

/** What is usual for each name, from what was seen lately; before that, the first guess. */
export function createRunningAverage(firstGuess: number): RunningAverage {
  const averages = new Map<string, number>()
  const of = (name: string) => averages.get(name) ?? firstGuess
  return {
    of,
    learn: (name, value) => void averages.set(name, of(name) * (1 - weight) + value * weight),
  }
}
