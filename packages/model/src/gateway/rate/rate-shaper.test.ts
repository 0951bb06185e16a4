import { describe, expect, it } from 'vitest'
import { modelFamily, type ProviderLimits, rateTiers } from '../../provider-limits.ts'
import { idOf, type Waiting } from '../gateway-harness.fixture.ts'
import type { RateRequest, RateTicket } from './family-queue.ts'
import { createRateShaper } from './rate-shaper.ts'
import { createVirtualClock } from './virtual-clock.fixture.ts'

const testLimits: ProviderLimits = { requests: 3, inputTokens: 1000, outputTokens: 1_000_000, windowMs: 60_000 }
const never = () => new AbortController().signal

function open(limits: ProviderLimits | null = testLimits) {
  const clock = createVirtualClock()
  const reported: Waiting[] = []
  const shaper = createRateShaper({
    limits,
    clock,
    onWaiting: (request, queuePosition) => void reported.push({ ...request, queuePosition }),
  })
  const gone: string[] = []
  const tickets = new Map<string, RateTicket>()
  function ask(requestId: string, more: Partial<RateRequest> = {}, signal = never()) {
    const request = {
      sessionId: idOf(`s-${requestId}`),
      requestId,
      owner: 'ada',
      model: 'claude-sonnet-4-6',
      inputTokens: 10,
      cachedInputTokens: 0,
      maxOutputTokens: 100,
      isRetry: false,
      ...more,
    }
    return shaper.acquire(request, signal).then((ticket) => {
      gone.push(requestId)
      tickets.set(requestId, ticket)
      return ticket
    })
  }
  function finish(requestId: string, inputTokens = 10, outputTokens = 10) {
    tickets.get(requestId)?.end({ inputTokens, outputTokens, promptTokens: inputTokens })
  }
  const positions = (requestId: string) =>
    reported.filter((each) => each.requestId === requestId).map((each) => each.queuePosition)
  /** Requests that were reported as waiting and not yet as gone, by position. */
  const line = () => {
    const last = new Map(reported.map(({ requestId, queuePosition }) => [requestId, queuePosition?.position ?? 0]))
    const waiting = [...last].filter(([, position]) => position > 0)
    return waiting.sort(([, one], [, other]) => one - other).map(([requestId]) => requestId)
  }
  return { clock, ask, finish, gone, tickets, positions, line }
}

describe('the rate shaper', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e9])(
    'ignores counts that are not valid numbers (%d)',
    async (amount) => {
      const { clock, ask, finish, gone } = open({ ...testLimits, requests: 100 })
      void ask('a')
      await clock.run(10)
      finish('a', amount, 10)
      void ask('b', { inputTokens: 300 })
      await clock.run(20)
      expect(gone).toEqual(['a', 'b'])
    },
  )

  it('admits requests that fit and reports the positions of the others until they go', async () => {
    const { clock, ask, finish, gone, positions, line } = open()
    for (const id of ['a', 'b', 'c', 'd', 'e']) void ask(id)
    await clock.run(10)
    expect(gone).toEqual(['a', 'b', 'c'])
    expect(line()).toEqual(['d', 'e'])
    finish('a')
    await clock.run(60_009)
    expect(gone).toHaveLength(3)
    await clock.run(60_010)
    expect(gone).toEqual(['a', 'b', 'c', 'd'])
    expect(positions('a')).toEqual([])
    expect(positions('d')).toEqual([{ position: 1, waiting: 1 }, null])
    expect(positions('e')).toEqual([
      { position: 2, waiting: 2 },
      { position: 1, waiting: 1 },
    ])
  })

  it('alternates between owners, however many requests one of them has queued', async () => {
    const { clock, ask, finish, gone, line } = open()
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) void ask(id, { owner: 'ada' })
    for (const id of ['b1', 'b2']) void ask(id, { owner: 'bob' })
    void ask('c1', { owner: 'cy' })
    await clock.run(0)
    expect(gone).toEqual(['a1', 'a2', 'a3'])
    expect(line()).toEqual(['a4', 'b1', 'c1', 'a5', 'b2', 'a6'])
    for (const id of gone) finish(id)
    await clock.run(60_000)
    expect(gone.slice(3)).toEqual(['a4', 'b1', 'c1'])
  })

  it('admits a request above the whole limit when no other counts', async () => {
    const { clock, ask, finish, gone } = open()
    void ask('small', { inputTokens: 5 })
    void ask('huge', { inputTokens: 5000 })
    void ask('after', { inputTokens: 5 })
    await clock.run(1)
    expect(gone).toEqual(['small'])
    finish('small', 5)
    await clock.run(60_001)
    expect(gone).toEqual(['small', 'huge'])
    finish('huge', 5000)
    await clock.run(120_002)
    expect(gone).toEqual(['small', 'huge', 'after'])
  })

  it('counts actual use instead of the estimate', async () => {
    const { clock, ask, finish, tickets, gone } = open()
    void ask('a', { inputTokens: 900 })
    void ask('b', { inputTokens: 800 })
    await clock.run(1)
    expect(gone).toEqual(['a'])
    tickets.get('a')?.begun(50)
    await clock.run(2)
    expect(gone).toEqual(['a', 'b'])
    finish('a', 50)
    finish('b', 990)
    void ask('c', { inputTokens: 10 })
    await clock.run(3)
    expect(gone).toEqual(['a', 'b'])
  })

  it('does not delay a long conversation for its cache reads', async () => {
    const { clock, ask, gone } = open()
    void ask('a', { inputTokens: 40_000, cachedInputTokens: 39_500 })
    void ask('b', { inputTokens: 40_000, cachedInputTokens: 39_600 })
    await clock.run(1)
    expect(gone).toEqual(['a', 'b'])
  })

  it('reserves the usual output and learns it, never the bound of a request', async () => {
    const { clock, ask, finish, gone } = open({ ...testLimits, requests: 100, outputTokens: 8000 })
    for (let n = 0; n < 12; n += 1) {
      void ask(`small ${n}`, { inputTokens: 1, maxOutputTokens: 32_000 })
      await clock.run(clock.now() + 60_001)
      finish(`small ${n}`, 1, 20)
    }
    expect(gone).toHaveLength(12)
    await clock.run(clock.now() + 60_001)
    for (let n = 0; n < 50; n += 1) void ask(`many ${n}`, { inputTokens: 1, maxOutputTokens: 32_000 })
    await clock.run(clock.now() + 1)
    expect(gone).toHaveLength(62)
  })

  it('separates families and counts ids of one family together', async () => {
    const { clock, ask, gone } = open({ ...testLimits, requests: 1 })
    void ask('sonnet', { model: 'claude-sonnet-4-6' })
    void ask('older sonnet', { model: 'claude-sonnet-4-5-20250929' })
    void ask('haiku', { model: 'claude-haiku-4-5' })
    await clock.run(1)
    expect(gone).toEqual(['sonnet', 'haiku'])
    expect(['claude-opus-4-6', 'claude-3-5-haiku-latest', 'gpt'].map(modelFamily)).toEqual(['opus', 'haiku', 'other'])
  })

  it('uses one queue for all unknown model names: a new name does not bypass it', async () => {
    const { clock, ask, gone } = open({ ...testLimits, requests: 1 })
    for (const name of ['made-up-1', 'made-up-2', 'made-up-3']) void ask(name, { model: name })
    await clock.run(1)
    expect(gone).toEqual(['made-up-1'])
  })

  it('removes a request whose client leaves, and moves the others up', async () => {
    const { clock, ask, gone, positions, line } = open({ ...testLimits, requests: 1 })
    const leaving = new AbortController()
    void ask('a')
    const left = ask('b', {}, leaving.signal)
    void ask('c')
    await clock.run(1)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(positions('b')).toEqual([{ position: 1, waiting: 1 }, null])
    expect(positions('c')).toEqual([
      { position: 2, waiting: 2 },
      { position: 1, waiting: 1 },
    ])
    expect(line()).toEqual(['c'])
    await expect(ask('d', {}, leaving.signal)).rejects.toThrow('left')
    expect(gone).toEqual(['a'])
  })
})

describe('after a 429', () => {
  it('delays all requests to these models, sends one ahead, and the others after its answer', async () => {
    const { clock, ask, tickets, gone } = open(null)
    void ask('a')
    await clock.run(1)
    tickets.get('a')?.refused(5000)
    for (const id of ['b', 'c', 'd']) void ask(id)
    void ask('haiku', { model: 'claude-haiku-4-5' })
    await clock.run(5000)
    expect(gone).toEqual(['a', 'haiku'])
    await clock.run(5001)
    expect(gone).toEqual(['a', 'haiku', 'b'])
    tickets.get('b')?.refused(1000)
    void ask('b again', { isRetry: true })
    await clock.run(6001)
    expect(gone.slice(3)).toEqual(['b again'])
    tickets.get('b again')?.begun(10)
    await clock.run(6002)
    expect(gone.slice(3)).toEqual(['b again', 'c', 'd'])
  })

  it('sends another one ahead when the first fails without an answer', async () => {
    const { clock, ask, tickets, gone } = open(null)
    void ask('a')
    await clock.run(1)
    tickets.get('a')?.refused(10)
    for (const id of ['b', 'c']) void ask(id)
    await clock.run(20)
    expect(gone).toEqual(['a', 'b'])
    tickets.get('b')?.end(null)
    await clock.run(21)
    expect(gone).toEqual(['a', 'b', 'c'])
  })

  it('sends one ahead again when another 429 arrives while the first one is running', async () => {
    const { clock, ask, tickets, gone } = open(null)
    for (const id of ['a', 'slow']) void ask(id)
    await clock.run(1)
    tickets.get('a')?.refused(10)
    for (const id of ['b', 'c', 'd']) void ask(id)
    await clock.run(20)
    expect(gone).toEqual(['a', 'slow', 'b'])
    tickets.get('slow')?.refused(1000)
    tickets.get('b')?.begun(10)
    await clock.run(1019)
    expect(gone).toEqual(['a', 'slow', 'b'])
    await clock.run(1020)
    expect(gone).toEqual(['a', 'slow', 'b', 'c'])
    tickets.get('c')?.begun(10)
    await clock.run(1021)
    expect(gone).toEqual(['a', 'slow', 'b', 'c', 'd'])
  })
})

describe('shaped traffic', () => {
  interface Counted {
    readonly at: number
    readonly kind: keyof Totals
    readonly amount: number
  }
  interface Totals {
    requests: number
    inputTokens: number
    outputTokens: number
  }

  /** The highest use in any window of the provider. */
  function busiest(counted: readonly Counted[], kind: keyof Totals, windowMs: number): number {
    const own = counted.filter((each) => each.kind === kind)
    const inWindow = (end: number) => own.filter((each) => each.at <= end && each.at > end - windowMs)
    return Math.max(0, ...own.map(({ at }) => inWindow(at).reduce((sum, each) => sum + each.amount, 0)))
  }

  /** The lowest level of a bucket with the limit's size. */
  function lowest(counted: readonly Counted[], kind: keyof Totals, limits: ProviderLimits): number {
    let level = limits[kind]
    let least = level
    let before = 0
    for (const each of counted.filter((one) => one.kind === kind)) {
      level = Math.min(limits[kind], level + ((each.at - before) / limits.windowMs) * limits[kind]) - each.amount
      before = each.at
      least = Math.min(least, level)
    }
    return least
  }

  it.each([1, 2, 3, 4, 5, 6])('stays within every window and every bucket of the provider (seed %i)', async (seed) => {
    let state = seed
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state / 2 ** 32
    }
    const limits = rateTiers[1]
    const clock = createVirtualClock()
    const shaper = createRateShaper({ limits, clock })
    const counted: Counted[] = []
    let done = 0
    for (let n = 0; n < 300; n += 1) {
      const inputTokens = 100 + Math.floor(random() * 2000)
      const outputTokens = Math.floor(random() * 100)
      const times = { leaves: random() * 400_000, network: random() * 300, answer: 200 + random() * 20_000 }
      const request = {
        sessionId: idOf(`s${n % 7}`),
        requestId: `r${n}`,
        owner: `o${n % 3}`,
        model: 'claude-sonnet-4-6',
      }
      const use = { inputTokens, outputTokens, promptTokens: inputTokens }
      clock.after(times.leaves, () => {
        void shaper
          .acquire({ ...request, inputTokens, cachedInputTokens: 0, maxOutputTokens: 32_000, isRetry: false }, never())
          .then((ticket) => {
            clock.after(times.network, () => {
              counted.push({ at: clock.now(), kind: 'requests', amount: 1 })
              counted.push({ at: clock.now(), kind: 'inputTokens', amount: inputTokens })
            })
            clock.after(times.network * 2, () => ticket.begun(inputTokens))
            clock.after(times.answer, () =>
              counted.push({ at: clock.now(), kind: 'outputTokens', amount: outputTokens }),
            )
            clock.after(times.answer + times.network, () => {
              ticket.end(use)
              done += 1
            })
          })
      })
    }
    await clock.run()
    expect(done).toBe(300)
    for (const kind of ['requests', 'inputTokens', 'outputTokens'] as const) {
      expect(busiest(counted, kind, limits.windowMs)).toBeLessThanOrEqual(limits[kind])
      expect(lowest(counted, kind, limits)).toBeGreaterThanOrEqual(0)
    }
    // Not merely slow: the limit that binds is nearly used up.
    expect(busiest(counted, 'inputTokens', limits.windowMs)).toBeGreaterThan(limits.inputTokens * 0.85)
  })
})
