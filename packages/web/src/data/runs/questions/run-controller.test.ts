import type { AnalyzeOptions, ResumeAnalysisOptions } from '@quarterdeck/client'
import { type AnalysisResult, type ErrorCode, QuarterdeckError } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createStore } from '../../../stores/primitives/store.ts'
import type { Analysis } from '../../domain/analysis.ts'
import { after, asked, at, fresh, result, sales, sessionId } from '../analysis.fixture.ts'
import { foldAnalysis } from '../state/fold-analysis.ts'
import { createRunController } from './run-controller.ts'

const question = { question: 'Which city sells most?', tier: 'high', thinking: false } as const
const refusal = (code: ErrorCode) => new QuarterdeckError(code, `refused: ${code}`)

/** A scripted server: its reaction to each question, and the received requests. */
interface Server {
  readonly analyze: (options: AnalyzeOptions, tables: number) => Promise<AnalysisResult>
  readonly locked?: () => readonly string[]
  readonly resume?: (options: ResumeAnalysisOptions) => Promise<AnalysisResult>
}

/** `locked`: the locked columns of the table at that time. */
function setup({ analyze, resume, locked = () => [] }: Server, before: Analysis = fresh) {
  const state = createStore(before)
  const asks: { readonly key: string | undefined; readonly sessionId: string | undefined; tables: number }[] = []
  const sentColumns: string[][] = []
  const cancelled: string[] = []
  const controller = createRunController({
    analysis: state.getSnapshot,
    record: (fact) => state.set(foldAnalysis(state.getSnapshot(), fact, at)),
    save: async () => undefined,
    client: {
      analyze: (words, tables, options) => {
        const { level, tier, thinking } = options
        const body = JSON.stringify({ question: words, tables, tier, thinking, level })
        const entry = { at, what: 'question', body, bytes: 1, rows: 0, level: 1, step: null } as const
        state.set(foldAnalysis(state.getSnapshot(), { type: 'sent', entry }, at))
        sentColumns.push(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))
        asks.push({ key: options.key, sessionId: options.sessionId, tables: tables.length })
        return analyze(options, tables.length)
      },
      resumeAnalysis: (_, options) => resume?.(options) ?? Promise.reject(new Error('not resumed')),
      cancelAnalysis: async (id) => {
        cancelled.push(id)
        return { sessionId: id }
      },
    },
    chooseAgent: async () => 'analysis',
    ready: async () => undefined,
    tables: () => [{ ...sales, neverSent: locked() }],
    describe: async ([table]) => {
      const columns = (table?.columns ?? []).filter(({ name }) => !table?.neverSent.includes(name))
      return [{ name: 'sales', columns: [...columns] }]
    },
    toolsOf: () => ({}),
  })
  return { controller, state, asks, sentColumns, cancelled, run: () => state.getSnapshot().runs.at(-1) }
}

/** Accepts the question and answers. */
async function answers(options: AnalyzeOptions): Promise<AnalysisResult> {
  options.onStart?.({ sessionId })
  options.onEvent?.({ type: 'answer', result }, null)
  options.onEvent?.({ type: 'done' }, null)
  return result
}

/** Accepts the question and works until it is stopped or left. */
const works = (options: AnalyzeOptions): Promise<never> => {
  options.onStart?.({ sessionId })
  return new Promise((_, reject) => {
    for (const signal of [options.signal, options.leave]) {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    }
  })
}

const settled = <Value>(look: () => Value) => expect.poll(look, { timeout: 60_000, interval: 5 })

describe('a question', () => {
  it('is sent with its id and the tables, and is done with its answer', async () => {
    const { controller, state, asks, run } = setup({ analyze: answers })
    const ask = { kind: 'question', callId: 'c1', question: 'Which?', options: [] } as const
    expect(() => controller.answer(ask, 'the first')).toThrow('this prompt is no longer open')
    await controller.ask(question, 'r1')
    await settled(() => run()?.state).toBe('done')
    expect(asks).toEqual([{ key: 'r1.new', sessionId: undefined, tables: 1 }])
    expect(state.getSnapshot()).toMatchObject({ sessionId, agent: 'analysis' })
  })

  it('is not stored if refused, and only one runs at a time', async () => {
    const refused = setup({ analyze: () => Promise.reject(refusal('config.missing-credential')) })
    await expect(refused.controller.ask(question, 'r1')).rejects.toMatchObject({ code: 'config.missing-credential' })
    expect(refused.state.getSnapshot().runs).toEqual([])
    const busy = setup({ analyze: works })
    await busy.controller.ask(question, 'r1')
    await expect(busy.controller.ask(question, 'r2')).rejects.toMatchObject({ code: 'session.busy' })
  })

  it('waits until the previous one is stopped, and starts a new session if its session is gone', async () => {
    const codes: ErrorCode[] = ['session.busy', 'server.unreachable', 'session.not-found']
    const analyze = async (options: AnalyzeOptions) => {
      const code = codes.shift()
      if (code !== undefined) throw refusal(code)
      return answers(options)
    }
    const before = after(
      asked('r0'),
      { type: 'question.taken', runId: 'r0', sessionId },
      { type: 'run.cancelled', runId: 'r0' },
    )
    const { controller, asks, cancelled, run } = setup({ analyze }, before)
    await controller.ask(question, 'r1')
    await settled(() => run()?.state).toBe('done')
    expect(cancelled).toEqual([sessionId])
    expect(asks.map(({ key, sessionId: to }) => [key, to])).toEqual([
      ...Array(3).fill([`r1.${sessionId}`, sessionId]),
      ['r1.new', undefined],
    ])
  })

  it('stops when the user cancels, and stays open when the page closes', async () => {
    const stopped = setup({ analyze: works })
    await stopped.controller.ask(question, 'r1')
    stopped.controller.cancel()
    expect(stopped.run()).toMatchObject({ state: 'cancelled' })
    const left = setup({ analyze: works })
    await left.controller.ask(question, 'r1')
    await left.controller.leave()
    expect(left.run()).toMatchObject({ state: 'running', failure: null })
  })

  it('fails with the error that ended it', async () => {
    const { controller, run } = setup({
      async analyze(options) {
        options.onStart?.({ sessionId })
        throw refusal('session.closed')
      },
    })
    await controller.ask(question, 'r1')
    await settled(() => run()).toMatchObject({ state: 'failed', failure: { code: 'session.closed' } })
  })
})

describe('an interrupted run', () => {
  const comesBack = async (options: ResumeAnalysisOptions): Promise<AnalysisResult> => {
    options.onEvent?.({ type: 'thinking', content: 'Again.' }, null)
    options.onEvent?.({ type: 'answer', result }, null)
    options.onEvent?.({ type: 'done' }, null)
    return result
  }

  it('continues if the server has it, and is sent again with its id if that is unknown', async () => {
    const taken = after(asked(), { type: 'question.taken', runId: 'r1', sessionId })
    const back = setup({ analyze: answers, resume: comesBack }, taken)
    back.controller.takeUp()
    await settled(() => back.run()).toMatchObject({ state: 'done', said: 'Again.' })
    expect(back.asks).toEqual([])
    const unsure = setup({ analyze: answers }, after(asked()))
    unsure.controller.takeUp()
    await settled(() => unsure.run()?.state).toBe('done')
    expect(unsure.asks).toMatchObject([{ key: 'r1.new' }])
  })

  it.each(['auth.required', 'auth.invalid'] as const)('waits while the user is signed out (%s)', async (code) => {
    const taken = after(asked(), { type: 'question.taken', runId: 'r1', sessionId })
    for (const begun of [taken, after(asked())]) {
      let tries = 0
      const refused = async () => {
        tries += 1
        throw refusal(code)
      }
      const out = setup({ analyze: refused, resume: refused }, begun)
      out.controller.takeUp()
      await settled(() => tries).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(out.run()?.state).toBe('running')
    }
  })

  it('repeats only what may be sent now, with another id if that differs', async () => {
    let locked: readonly string[] = []
    let tries = 0
    const away = setup({
      locked: () => locked,
      analyze: async (options) => {
        tries += 1
        if (tries === 3) locked = ['city']
        if (tries < 4) throw refusal('server.unreachable')
        return answers(options)
      },
    })
    await away.controller.ask(question, 'r1')
    expect(away.sentColumns).toEqual([['city'], ['city'], ['city'], []])
    expect(away.asks.map(({ key }) => key)).toEqual(['r1.new', 'r1.new', 'r1.new', 'r1.new.1'])
    const { tables: _, ...body } = JSON.parse(away.state.getSnapshot().sent[0]?.body ?? '')
    const sent = JSON.stringify({ ...body, tables: [{ name: 'sales', columns: sales.columns }] })
    const entry = { at, what: 'question', body: sent, bytes: 1, rows: 0, level: 1, step: null } as const
    const left = setup({ analyze: answers, locked: () => locked }, after(asked(), { type: 'sent', entry }))
    left.controller.takeUp()
    await settled(() => left.run()?.state).toBe('done')
    expect(left.sentColumns).toEqual([[]])
    expect(left.asks).toMatchObject([{ key: 'r1.new.1' }])
  })

  it('is woken after a server stop, and fails if that does not help', async () => {
    const cutOff = async (options: ResumeAnalysisOptions): Promise<never> => {
      options.onEvent?.({ type: 'error', message: 'the server stopped', code: 'interrupted', retryable: true }, null)
      options.onEvent?.({ type: 'done' }, null)
      throw refusal('analysis.failed')
    }
    const begun = async (options: AnalyzeOptions) => {
      options.onStart?.({ sessionId })
      return cutOff(options)
    }
    const woken = setup({ analyze: begun, resume: comesBack })
    await woken.controller.ask(question, 'r1')
    await settled(() => woken.run()?.state).toBe('done')
    let tries = 0
    const never = setup({
      analyze: begun,
      resume: (options) => {
        tries += 1
        return cutOff(options)
      },
    })
    await never.controller.ask(question, 'r1')
    await settled(() => never.run()).toMatchObject({ state: 'failed', failure: { code: 'interrupted' } })
    expect(tries).toBe(3)
  })
})
