// What stands on what: after a step changes, which others show something that is no longer so.
import type { AnalysisStep } from '../domain/analysis.ts'

type Reader = Pick<AnalysisStep, 'n' | 'reads'>

/** Those that read it, directly or through others, in the order they are run again. The step itself is not among them. */
export function readersOf(steps: readonly Reader[], n: number): readonly number[] {
  const found = new Set([n])
  // A step reads earlier ones only, or an edited one later ones too: until nothing new is found.
  for (let size = 0; size !== found.size; ) {
    size = found.size
    for (const step of steps) if (step.reads.some((read) => found.has(read))) found.add(step.n)
  }
  found.delete(n)
  return orderOf(steps, [...found])
}

/** This step and every one that stands on it, each after those it reads. */
export const rerunOrder = (steps: readonly Reader[], n: number): readonly number[] => [n, ...readersOf(steps, n)]

/** Each after those it reads; steps that read each other in a circle are taken by their number. */
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
