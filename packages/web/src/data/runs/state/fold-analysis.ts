// Applies one fact to an analysis. Pure.
import { type AnalysisEvent, ellipsize, sessionExpired } from '@quarterdeck/protocol'
import { type Analysis, type AnalysisStep, isOpenRun, type Run } from '../../domain/analysis.ts'
import type { AnalysisFact, AskedFact } from './analysis-fact.ts'
import { foldStep } from './fold-step.ts'
import { untitled } from './new-analysis.ts'

export function foldAnalysis(before: Analysis, fact: AnalysisFact, at: string): Analysis {
  const after = apply(before, fact, at)
  return after === before ? before : { ...after, changedAt: at }
}

function apply(analysis: Analysis, fact: AnalysisFact, at: string): Analysis {
  switch (fact.type) {
    case 'question.asked':
      return ask(analysis, fact, at)
    case 'question.taken':
      return { ...inRun(analysis, fact.runId, (run) => ({ ...run, takenAt: at })), sessionId: fact.sessionId }
    case 'session.lost':
      return { ...analysis, sessionId: null }
    case 'question.refused':
      return takeBack(analysis, fact.runId)
    case 'run.event':
      return inRun(analysis, fact.runId, (run) => foldServerEvent(run, fact.event, at))
    case 'run.resumed':
      return inRun(analysis, fact.runId, resume)
    case 'run.cancelled':
      return inRun(analysis, fact.runId, (run) => close(run, at, { state: 'cancelled' }))
    case 'run.failed':
      return inRun(analysis, fact.runId, (run) => close(run, at, { state: 'failed', failure: fact.failure }))
    case 'run.prompt':
      return inRun(analysis, fact.runId, (run) => (isOpenRun(run) ? wait(run, fact.ask) : run))
    case 'chart.chosen':
      return inRun(analysis, fact.runId, (run) => ({ ...run, charts: put(run.charts, fact.index, fact.choice) }))
    case 'sent':
      return { ...analysis, sent: [...analysis.sent, fact.entry] }
    case 'unsent':
      return { ...analysis, sent: analysis.sent.filter((entry) => entry !== fact.entry) }
    case 'changed':
      return { ...analysis, ...fact.change }
    default:
      return foldStep(analysis, fact, at)
  }
}

/** The run that the server or this page works on. */
export const openRun = ({ runs }: Analysis): Run | undefined => runs.find(isOpenRun)

/** Steps that were running when the page closed and that no open call repeats: the user had rerun them. */
export const leftSteps = ({ runs }: Analysis): readonly number[] =>
  runs.flatMap((run) =>
    run.steps
      .filter(({ state, elapsedMs }) => state === 'running' && (!isOpenRun(run) || elapsedMs !== null))
      .map(({ n }) => n),
  )

function inRun(analysis: Analysis, runId: string, change: (run: Run) => Run): Analysis {
  return { ...analysis, runs: analysis.runs.map((run) => (run.id === runId ? change(run) : run)) }
}

function ask(analysis: Analysis, fact: AskedFact, at: string): Analysis {
  if (analysis.runs.some(({ id }) => id === fact.runId)) return analysis
  const { runId: id, question, tier, thinking, agent, tables } = fact
  const run: Run = {
    id,
    question,
    tier,
    thinking,
    state: 'running',
    startedAt: at,
    endedAt: null,
    steps: [],
    said: '',
    ask: null,
    answer: null,
    charts: [],
    failure: null,
  }
  const title = analysis.runs.length === 0 && analysis.title === untitled ? titleOf(question) : analysis.title
  return { ...analysis, title, agent, tables: merge(analysis.tables, tables), runs: [...analysis.runs, run] }
}

/** Removes the title that the question set. */
function takeBack(analysis: Analysis, runId: string): Analysis {
  const [first] = analysis.runs
  const isName = first?.id === runId && analysis.title === titleOf(first.question)
  const runs = analysis.runs.filter(({ id }) => id !== runId)
  return { ...analysis, runs, title: isName ? untitled : analysis.title }
}

/** One plain line. */
const titleOf = (question: string): string => ellipsize(question.replace(/\s+/g, ' ').trim(), 80)

/** Later facts about a table of the same name replace earlier ones. */
const merge = (before: Analysis['tables'], now: Analysis['tables']): Analysis['tables'] => [
  ...before.filter(({ name }) => !now.some((one) => one.name === name)),
  ...now,
]

const resume = (run: Run): Run => ({ ...run, state: 'running', endedAt: null, said: '', ask: null, failure: null })

/** A run that has ended stays as it is. */
const close = (run: Run, at: string, end: Pick<Run, 'state'> & Partial<Pick<Run, 'failure'>>): Run =>
  isOpenRun(run) ? { ...run, ...end, endedAt: at, ask: null, steps: run.steps.map(stopped) } : run

const stopped = (step: AnalysisStep): AnalysisStep =>
  step.state === 'running' ? { ...step, state: 'cancelled' } : step

const wait = (run: Run, ask: Run['ask']): Run => ({ ...run, ask, state: ask === null ? 'running' : 'waiting' })

/** Earlier charts without a user's version stay as in the answer. */
function put<One>(list: readonly (One | null)[], index: number, one: One): readonly (One | null)[] {
  return Array.from({ length: Math.max(list.length, index + 1) }, (_, at) => (at === index ? one : (list[at] ?? null)))
}

/** Events of the server contain only the calls of steps; the steps themselves are created in the browser. */
function foldServerEvent(run: Run, event: AnalysisEvent, at: string): Run {
  // A run that was cancelled here stays cancelled.
  if (!isOpenRun(run)) return run
  switch (event.type) {
    case 'thinking':
      return { ...run, said: run.said + event.content }
    case 'tool_call':
      // Separates text before and after a call.
      return run.said === '' || run.said.endsWith('\n\n') ? run : { ...run, said: `${run.said}\n\n` }
    case 'answer':
      return { ...run, answer: event.result }
    case 'error':
      return foldFailure(run, event)
    case 'done':
      return { ...end(run), endedAt: at, ask: null }
    case 'session':
      return run
  }
}

function foldFailure(run: Run, { message, code, retryable }: Extract<AnalysisEvent, { type: 'error' }>): Run {
  // The client wakes it.
  if (code === sessionExpired) return run
  return { ...run, failure: { message, code: code ?? null, isRetryable: retryable ?? false } }
}

function end(run: Run): Run {
  if (run.answer !== null) return { ...run, state: 'done', failure: null }
  if (run.failure?.code === 'cancelled') return { ...run, state: 'cancelled', failure: null }
  const failure = run.failure ?? { message: 'the analysis ended without an answer', code: null, isRetryable: true }
  return { ...run, state: 'failed', failure }
}
