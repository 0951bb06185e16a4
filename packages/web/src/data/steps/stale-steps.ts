// Dependencies between steps: which steps are outdated after one changes.
import type { AnalysisStep } from '../domain/analysis.ts'

type Reader = Pick<AnalysisStep, 'n' | 'reads'>

/** Steps that read it, directly or through others, in rerun order. Excludes the step itself. */
export function readersOf(steps: readonly Reader[], n: number): readonly number[] {
  const found = new Set([n])
  // An edited step may read later ones, so this repeats until nothing new is found.
  for (let size = 0; size !== found.size; ) {
    size = found.size
    for (const step of steps) if (step.reads.some((read) => found.has(read))) found.add(step.n)
  }
  found.delete(n)
  return orderOf(steps, [...found])
}

/** This step and all that depend on it, each after those it reads. */
export const rerunOrder = (steps: readonly Reader[], n: number): readonly number[] => [n, ...readersOf(steps, n)]

/** Sorted by dependency; steps in a cycle are sorted by number. */
function orderOf(steps: readonly Reader[], wanted: readonly number[]): readonly number[] {
  const left = new Set([...wanted].sort((a, b) => a - b))
  const order: number[] = []
  while (left.size > 0) {
    const isReady = (n: number) =>
      !steps.find((step) => step.n === n)?.reads.some((read) => read !== n && left.has(read))
    const next = [...left].find(isReady) ?? Math.min(...left)
    order.push(next)
    left.delete(next)
  }
  return order
}
