import type { AnalysisEvent } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { after, asked, begun, good, result, sessionId } from '../analysis.fixture.ts'
import type { AnalysisFact } from './analysis-fact.ts'
import { leftSteps, openRun } from './fold-analysis.ts'
import { stepsOf } from './fold-step.ts'

const eventFact = (event: AnalysisEvent): AnalysisFact => ({ type: 'run.event', runId: 'r1', event })
const thinks = (content: string) => eventFact({ type: 'thinking', content })
const answers = eventFact({ type: 'answer', result })
const done = eventFact({ type: 'done' })
const fails = (code: string, retryable = false) => eventFact({ type: 'error', message: `it ${code}`, code, retryable })
const runOf = (...facts: readonly AnalysisFact[]) => after(asked(), ...facts).runs[0]
const step = (callId: string, code?: string): AnalysisFact => ({
  type: 'step.begun',
  runId: 'r1',
  step: begun(callId, code),
})

describe('a question', () => {
  it('sets the title and tables of the analysis, and starts a run', () => {
    const analysis = after(asked())
    expect(analysis).toMatchObject({
      title: 'Which city sells most?',
      agent: 'analysis',
      sessionId: null,
      tables: [{ name: 'sales', fingerprint: 'f1' }],
    })
    expect(openRun(analysis)).toMatchObject({ id: 'r1', state: 'running', said: '' })
    expect(openRun(analysis)).not.toHaveProperty('takenAt')
    const taken = after(asked(), { type: 'question.taken', runId: 'r1', sessionId })
    expect(taken.sessionId).toBe(sessionId)
    expect(openRun(taken)).toHaveProperty('takenAt')
  })

  it('keeps a title that the user chose, and cuts a long one', () => {
    expect(after({ type: 'changed', change: { title: 'Mine' } }, asked()).title).toBe('Mine')
    const title = after(asked('r1', 'why '.repeat(60))).title
    expect(title.length).toBeLessThanOrEqual(80)
    expect(title.endsWith('…')).toBe(true)
  })

  it('is removed if the server refuses it, and is stored once if asked twice', () => {
    expect(after(asked(), { type: 'question.refused', runId: 'r1' })).toMatchObject({ runs: [], title: 'New analysis' })
    expect(after(asked(), asked()).runs).toHaveLength(1)
  })

  it('is done when the server says so, not with its answer', () => {
    expect(runOf(thinks('I look'), thinks(' here.'), answers)).toMatchObject({ state: 'running', said: 'I look here.' })
    expect(runOf(answers, done)).toMatchObject({ state: 'done', answer: result, failure: null })
  })

  it('fails with the server’s message, is cancelled, or keeps running while no client is connected', () => {
    expect(runOf(fails('timeout', true), done)).toMatchObject({
      state: 'failed',
      failure: { message: 'it timeout', code: 'timeout', isRetryable: true },
    })
    expect(runOf(fails('cancelled'), done)).toMatchObject({ state: 'cancelled', failure: null })
    expect(runOf(fails('session_expired', true))).toMatchObject({ state: 'running', failure: null })
    expect(runOf(done)).toMatchObject({ state: 'failed' })
  })

  it('keeps each chart that the user changed, and leaves earlier ones to the answer', () => {
    const choose = (index: number, title: string): AnalysisFact => ({
      type: 'chart.chosen',
      runId: 'r1',
      index,
      choice: {
        sourceStep: 1,
        type: 'bar',
        x: null,
        y: [],
        series: null,
        aggregate: 'none',
        order: 'none',
        limit: null,
        title,
      },
    })
    const titles = (...facts: readonly AnalysisFact[]) => runOf(...facts)?.charts.map((chart) => chart?.title ?? null)
    expect(titles(choose(2, 'third'))).toEqual([null, null, 'third'])
    expect(titles(choose(2, 'third'), choose(0, 'first'), choose(2, 'other'))).toEqual(['first', null, 'other'])
  })

  it('stays cancelled, whatever events follow', () => {
    const run = runOf(step('c1'), { type: 'run.cancelled', runId: 'r1' }, thinks('more'), answers, done)
    expect(run).toMatchObject({ state: 'cancelled', said: '', answer: null, steps: [{ state: 'cancelled' }] })
  })

  it('waits for the user, and repeats its text after it is resumed', () => {
    const ask = { kind: 'question', callId: 'c1', question: 'Which?', options: [] } as const
    const waiting: readonly AnalysisFact[] = [thinks('Hm.'), { type: 'run.prompt', runId: 'r1', ask }]
    expect(runOf(...waiting)).toMatchObject({ state: 'waiting', ask })
    expect(runOf(...waiting, { type: 'run.prompt', runId: 'r1', ask: null })).toMatchObject({ state: 'running' })
    expect(runOf(...waiting, { type: 'run.resumed', runId: 'r1' })).toMatchObject({ said: '', ask: null })
    const revived = runOf(fails('interrupted', true), done, { type: 'run.resumed', runId: 'r1' }, answers, done)
    expect(revived).toMatchObject({ state: 'done', failure: null })
  })
})

describe('a step', () => {
  it('has one number over all questions, and keeps it for the same call', () => {
    const analysis = after(
      ...[asked('r1'), step('c1'), step('c2'), { type: 'step.settled', n: 1, outcome: good() } as const],
      ...[asked('r2'), { type: 'step.begun', runId: 'r2', step: begun('c3') } as const, step('c2')],
    )
    expect(stepsOf(analysis).map(({ n, callId }) => [n, callId])).toEqual([
      [1, 'c1'],
      [2, 'c2'],
      [3, 'c3'],
    ])
    expect(analysis.runs.map(({ steps }) => steps.length)).toEqual([2, 1])
  })

  it('holds the latest run of the same call', () => {
    const again = { ...begun('c1', 'SELECT 2 FROM step_3'), reads: [3] }
    const analysis = after(asked(), step('c1', 'SELECT 1'), { type: 'step.begun', runId: 'r1', step: again })
    expect(stepsOf(analysis)).toMatchObject([{ n: 1, code: again.code, original: again.code, reads: [3] }])
  })

  it('stores its outcome, and loses its rows on an error', () => {
    const sent = { bytes: 120, rows: 2 }
    const settled = after(...[asked(), step('c1'), { type: 'step.settled', n: 1, outcome: good(7) } as const], {
      type: 'step.sent',
      n: 1,
      sent,
    })
    expect(stepsOf(settled)).toMatchObject([{ state: 'ok', rowCount: 7, isSummary: true, sent }])
    const outcome = { state: 'error', error: 'no such column', elapsedMs: 3 } as const
    expect(stepsOf(after(asked(), step('c1'), { type: 'step.settled', n: 1, outcome }))).toMatchObject([
      { state: 'error', error: 'no such column', rowCount: null },
    ])
  })

  it('keeps its original code after an edit, and only successful steps become stale', () => {
    const analysis = after(
      ...[asked(), step('c1', 'SELECT 1'), step('c2'), { type: 'step.settled', n: 1, outcome: good() } as const],
      { type: 'step.edited', n: 1, code: 'SELECT 2', reads: [] },
      { type: 'step.settled', n: 1, outcome: good() },
      { type: 'steps.stale', steps: [1, 2] },
    )
    expect(stepsOf(analysis)).toMatchObject([
      { code: 'SELECT 2', original: 'SELECT 1', state: 'stale' },
      { state: 'running' },
    ])
  })

  it('keeps what was sent, whatever happens to the step', () => {
    const sent = { bytes: 120, rows: 2, rowsKind: 'summary' } as const
    const again = { ...good(1), isSummary: false } as const
    const analysis = after(
      ...[asked(), step('c1', 'SELECT 1'), { type: 'step.settled', n: 1, outcome: good() } as const],
      ...[
        { type: 'step.sent', n: 1, sent } as const,
        { type: 'step.edited', n: 1, code: 'SELECT 2', reads: [] } as const,
      ],
      ...[{ type: 'step.settled', n: 1, outcome: again } as const, { type: 'steps.stale', steps: [1] } as const],
    )
    expect(stepsOf(analysis)).toMatchObject([{ isSummary: false, sent }])
  })

  it('has no rows and an advice if it was rerunning when the page closed', () => {
    const edited = (n: number) => ({ type: 'step.edited', n, code: 'SELECT 2', reads: [] }) as const
    const ran = [asked(), step('c1'), { type: 'step.settled', n: 1, outcome: good() }, step('c2')] as const
    // The call of the second one runs again while its question is open.
    expect(leftSteps(after(...ran, edited(1)))).toEqual([1])
    const over = [...ran, { type: 'run.cancelled', runId: 'r1' }, edited(1)] as const
    expect(leftSteps(after(...over))).toEqual([1])
    expect(stepsOf(after(...over, { type: 'steps.stopped', steps: [1] }))).toMatchObject([
      { state: 'cancelled', rowCount: null, code: 'SELECT 2', error: expect.stringContaining('Run it again') },
      { state: 'cancelled', error: null },
    ])
  })
})
