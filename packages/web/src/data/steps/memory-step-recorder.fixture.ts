// A step recorder in memory, for tests.
import type { AnalysisStep } from '../domain/analysis.ts'
import type { StepRecorder } from './step-recorder.ts'

export function createMemoryStepRecorder(): StepRecorder & { readonly brought: readonly (readonly number[])[] } {
  const steps: AnalysisStep[] = []
  /** The requested steps, call by call. */
  const brought: (readonly number[])[] = []
  const change = (n: number, next: Partial<AnalysisStep>) => {
    const at = steps.findIndex((step) => step.n === n)
    const step = steps[at]
    if (step !== undefined) steps[at] = { ...step, ...next }
  }
  return {
    brought,
    steps: () => steps,
    async begin(begun) {
      const known = steps.find(({ callId }) => callId === begun.callId)
      if (known !== undefined) return known.n
      const n = steps.length + 1
      const blank = { rowCount: null, elapsedMs: null, sent: null, error: null, startedAt: new Date().toISOString() }
      steps.push({ ...begun, ...blank, n, original: begun.code, state: 'running' })
      return n
    },
    async settle(n, outcome) {
      if (outcome.state !== 'ok') return change(n, outcome)
      const { content: _, ...facts } = outcome
      change(n, { ...facts, error: null })
    },
    sent: async (n, sent) => change(n, { sent }),
    bring: async (ns) => void brought.push(ns),
  }
}
