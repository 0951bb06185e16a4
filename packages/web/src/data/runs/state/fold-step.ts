// Applies facts to the steps of an analysis.
import type { Analysis, AnalysisStep } from '../../domain/analysis.ts'
import type { AnalysisFact } from './analysis-fact.ts'

type StepFact = Extract<AnalysisFact, { readonly type: `step${string}` }>

export const stepsOf = ({ runs }: Analysis): readonly AnalysisStep[] =>
  runs.flatMap(({ steps }) => steps).toSorted((one, other) => one.n - other.n)

export function foldStep(analysis: Analysis, fact: StepFact, at: string): Analysis {
  switch (fact.type) {
    case 'step.begun':
      return begin(analysis, fact, at)
    case 'step.settled':
      return inStep(analysis, fact.n, (step) => settle(step, fact))
    case 'step.sent':
      return inStep(analysis, fact.n, (step) => ({ ...step, sent: fact.sent }))
    case 'step.edited':
      return inStep(analysis, fact.n, (step) => edit(step, fact, at))
    case 'steps.stale':
      return fact.steps.reduce((now, n) => inStep(now, n, outdate), analysis)
    case 'steps.stopped':
      return fact.steps.reduce((now, n) => inStep(now, n, stop), analysis)
  }
}

export const stepOfCall = (analysis: Analysis, callId: string): AnalysisStep | undefined =>
  stepsOf(analysis).find((step) => step.callId === callId)

function begin(analysis: Analysis, fact: Extract<StepFact, { type: 'step.begun' }>, at: string): Analysis {
  const { runId, step } = fact
  const from = fact.from === undefined ? {} : { from: fact.from }
  const known = stepOfCall(analysis, step.callId)
  const { callId, tool, thought, language, code, reads } = step
  // A second attempt: the first ended with its tab, or its result was never sent. With other disclosure terms its code
  // may differ.
  if (known !== undefined) {
    const again = { code, original: code, reads, ...from, state: 'running', startedAt: at } as const
    return inStep(analysis, known.n, (one) => ({ ...one, ...again }))
  }
  const n = 1 + Math.max(0, ...stepsOf(analysis).map((one) => one.n))
  const begun: AnalysisStep = {
    n,
    callId,
    tool,
    thought,
    language,
    code,
    original: code,
    reads,
    state: 'running',
    rowCount: null,
    elapsedMs: null,
    sent: null,
    error: null,
    startedAt: at,
    ...from,
  }
  const runs = analysis.runs.map((run) => (run.id === runId ? { ...run, steps: [...run.steps, begun] } : run))
  return { ...analysis, runs }
}

function settle(step: AnalysisStep, { outcome, from }: Extract<StepFact, { type: 'step.settled' }>): AnalysisStep {
  const { state, elapsedMs } = outcome
  if (outcome.state !== 'ok') return { ...step, state, elapsedMs, error: outcome.error, rowCount: null }
  const { rowCount, isSummary } = outcome
  return { ...step, state, elapsedMs, rowCount, isSummary, error: null, ...(from === undefined ? {} : { from }) }
}

const edit = (
  step: AnalysisStep,
  { code, reads }: Extract<StepFact, { type: 'step.edited' }>,
  at: string,
): AnalysisStep => ({ ...step, code, reads, state: 'running', error: null, startedAt: at })

/** A failed step cannot be outdated. */
const outdate = (step: AnalysisStep): AnalysisStep => (step.state === 'ok' ? { ...step, state: 'stale' } : step)

/** Its rows belong to the previous code. */
const stop = (step: AnalysisStep): AnalysisStep => ({
  ...step,
  state: 'cancelled',
  rowCount: null,
  elapsedMs: null,
  error: 'Stopped before it returned rows. Run it again.',
})

function inStep(analysis: Analysis, n: number, change: (step: AnalysisStep) => AnalysisStep): Analysis {
  const runs = analysis.runs.map((run) =>
    run.steps.some((step) => step.n === n)
      ? { ...run, steps: run.steps.map((step) => (step.n === n ? change(step) : step)) }
      : run,
  )
  return { ...analysis, runs }
}
