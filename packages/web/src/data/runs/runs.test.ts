import { describe, expect, it } from 'vitest'
import { after, asked, result, sales } from './analysis.fixture.ts'
import { chooseAgent, createSaver } from './lead-analysis.ts'
import { claimLeadership } from './leadership/claim-leadership.ts'
import { estimateQuestion } from './questions/estimate-question.ts'
import { otherTables } from './state/in-scope.ts'

describe('createSaver', () => {
  it('saves once for many changes, and resolves when done', async () => {
    let value = 0
    const written: number[] = []
    const saver = createSaver(async () => void written.push(value), 60_000)
    for (value = 1; value < 5; value += 1) saver.soon()
    await saver.now()
    await saver.now()
    expect(written).toEqual([5])
  })

  it('does not block if saving fails', async () => {
    let tries = 0
    const write = () => {
      tries += 1
      return Promise.reject(new Error('the disk is full'))
    }
    const saver = createSaver(write, 60_000)
    for (const expected of [1, 2]) {
      saver.soon()
      await saver.now()
      expect(tries).toBe(expected)
    }
  })
})

describe('claimLeadership', () => {
  /** Like a browser: one holder, then the next. */
  function createLocks() {
    let held: Promise<unknown> = Promise.resolve()
    const request = async (_: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>) => {
      const turn = held.then(() => (signal.aborted ? Promise.reject(signal.reason) : hold()))
      held = turn.catch(() => undefined)
      return turn
    }
    return { request } as unknown as LockManager // only this part is used
  }

  it('gives the lead to one tab, and to the next when the first has saved everything', async () => {
    const locks = createLocks()
    const order: string[] = []
    const claim = (name: string) =>
      claimLeadership({
        name: 'one',
        locks,
        async lead(until) {
          order.push(`${name} leads`)
          await new Promise((resolve) => until.addEventListener('abort', resolve))
          order.push(`${name} is done`)
        },
      })
    const [first, second] = [claim('first'), claim('second')]
    await expect.poll(() => first.isLeader.getSnapshot(), { timeout: 60_000 }).toBe(true)
    expect(second.isLeader.getSnapshot()).toBe(false)
    first.release()
    await expect.poll(() => second.isLeader.getSnapshot(), { timeout: 60_000 }).toBe(true)
    expect(order).toEqual(['first leads', 'first is done', 'second leads'])
    expect(first.isLeader.getSnapshot()).toBe(false)
  })

  it('lets every tab lead if the browser has no locks', () => {
    const { isLeader } = claimLeadership({ name: 'one', locks: undefined, lead: async () => undefined })
    expect(isLeader.getSnapshot()).toBe(true)
  })
})

describe('estimateQuestion', () => {
  const asking = { question: 'Why?', tier: 'low', thinking: false } as const
  const eventFact = (event: object) => ({ type: 'run.event', runId: 'r1', event }) as never

  it('estimates from the tables at first, then from earlier questions', () => {
    const guess = estimateQuestion(asking, { analysis: after(), columns: 10, models: [] })
    expect(guess.units).toBeGreaterThan(1000)
    expect(guess.costUsd).toBeGreaterThan(0)
    expect(estimateQuestion({ ...asking, tier: 'pro' }, { analysis: after(), columns: 10, models: [] }).units).toBe(
      guess.units * 5,
    )
    const answered = after(asked(), eventFact({ type: 'answer', result }), eventFact({ type: 'done' }))
    // 1000 tokens in and 100 out, at 1 and 5 dollars per million.
    expect(estimateQuestion(asking, { analysis: answered, columns: 10, models: [] })).toEqual({
      units: 1100,
      costUsd: 0.0015,
    })
  })
})

describe('chooseAgent', () => {
  const agent = (name: string, problems: string[] = []) => ({
    name,
    description: null,
    file: `${name}.yaml`,
    model: null,
    modelSource: null,
    permissionMode: null,
    starters: [],
    problems,
  })

  it('prefers the agent made for Data, then a working one, else throws', () => {
    expect(chooseAgent([agent('coder'), agent('analysis')])).toBe('analysis')
    expect(chooseAgent([agent('analysis', ['no key']), agent('coder')])).toBe('coder')
    expect(() => chooseAgent([agent('analysis', ['no key'])])).toThrow('analysis: no key')
    expect(() => chooseAgent([])).toThrow('examples/analysis')
  })
})

it('detects a table whose file was replaced', () => {
  const other = { ...sales, source: { ...sales.source, fingerprint: 'f2' } }
  expect(otherTables([sales], after(asked()))).toEqual([])
  expect(otherTables([other], after(asked()))).toEqual(['sales'])
})
