import type { AnalysisEvent } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../http/refusal.ts'
import type { AnalysisConnection } from './analysis-connection.ts'
import {
  answer,
  backoff,
  call,
  callId,
  ending,
  expired,
  fakeServer,
  refusal,
  sessionId,
} from './analysis-server.fixture.ts'
import { type AnalyzeOptions, analyze } from './analyze.ts'
import type { AnalysisTool } from './run-analysis-tool.ts'

const ask = (connection: AnalysisConnection, run: AnalysisTool, options: Partial<AnalyzeOptions> = {}) =>
  analyze(connection, { question: 'How many?', tables: [] }, { tools: { run_query: run }, backoff, ...options })

describe('the result of an analysis tool', () => {
  it('may contain BigInt values: exact ones become numbers, others become digits', async () => {
    const server = fakeServer([[call], ending])
    const rows = [{ n: 12n, big: 2n ** 60n, toJSON: undefined }]
    expect(await ask(server.connection, () => rows)).toMatchObject(answer)
    expect(server.given.map(({ result }) => result)).toEqual([[{ n: 12, big: String(2n ** 60n) }]])
  })

  it('becomes an error if it is not JSON, and a long error is shortened', async () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    const server = fakeServer([[call], ending])
    await ask(server.connection, () => circle)
    expect(server.given[0]?.error).toContain('circular')
    const second = fakeServer([[call], ending])
    await ask(second.connection, () => Promise.reject(new Error('x'.repeat(200_000))))
    expect(second.given[0]?.error?.length).toBeLessThan(21_000)
  })

  it.each([
    ['something without words', Object.create(null)],
    ['an error whose message is none', Object.assign(new Error(), { message: Object.create(null) })],
  ])('becomes an error if the tool throws %s', async (_, thrown) => {
    const server = fakeServer([[call], ending])
    expect(await ask(server.connection, () => Promise.reject(thrown))).toMatchObject(answer)
    expect(server.given[0]?.error).toBe('the tool threw a value that cannot be shown')
  })

  it.each([
    ['a proxy without its server', refusalOf(503, '<html>')],
    ['a proxy that has enough', refusalOf(429, null)],
    ['a full disk', refusal('store.unavailable')],
    ['a server that goes', refusal('server.draining')],
    ['no answer', refusal('server.unreachable')],
  ])('is sent again after %s', async (_, outage) => {
    const server = fakeServer([[call], ending], [outage])
    expect(await ask(server.connection, () => 12)).toMatchObject(answer)
    expect(server.given.map(({ result }) => result)).toEqual([12, 12])
  })

  it('is replaced by an explanation if the server refuses it', async () => {
    const server = fakeServer([[call], ending], [refusal('request.too-large')])
    expect(await ask(server.connection, () => 'x'.repeat(2_000_000))).toMatchObject(answer)
    expect(server.given[1]).toEqual({
      sessionId,
      toolCallId: callId,
      error: 'the result could not be returned: refused: request.too-large',
    })
  })

  it('is dropped if another client returned one first', async () => {
    const server = fakeServer(
      [[call], [{ ...call, resent: true }, ...ending]],
      [refusal('client-call.already-returned')],
    )
    expect(await ask(server.connection, () => 12)).toMatchObject(answer)
    expect(server.given).toHaveLength(1)
  })

  it('is computed again if it could not be returned and the call is sent again; the caller sees one call', async () => {
    const forbidden = refusal('auth.forbidden')
    const again: AnalysisEvent = { ...call, resent: true }
    const server = fakeServer([[call], [again], ending], [forbidden, forbidden])
    const seen: AnalysisEvent[] = []
    let runs = 0
    const run = () => {
      runs += 1
      return runs
    }
    await ask(server.connection, run, { onEvent: (event) => void seen.push(event) })
    expect(server.given.map(({ result }) => result)).toEqual([1, undefined, 2])
    expect(seen.filter(({ type }) => type === 'tool_call')).toHaveLength(1)
  })
})

describe('a result with an expiring permission', () => {
  it.each([
    ['', undefined],
    [', which is left where the server has the first one after all', refusal('client-call.already-returned')],
  ])('is not sent after the permission has ended: the tool runs again for the same call%s', async (_, refused) => {
    const server = fakeServer([[call], ending], [refusal('server.unreachable')])
    let now = 1
    const run: AnalysisTool = (_input, { id, onlyWhile }) => {
      const mine = now
      onlyWhile(() => now === mine)
      return `${id} ${mine}`
    }
    const returnResult: AnalysisConnection['returnResult'] = async (...given) => {
      now += 1
      await server.connection.returnResult(...given)
      if (refused !== undefined) throw refused
    }
    expect(await ask({ ...server.connection, returnResult }, run)).toMatchObject(answer)
    expect(server.given.map(({ result }) => result)).toEqual([`${callId} 1`, `${callId} 2`])
  })

  it('is replaced by an explanation if no run of the tool gives a permitted one', async () => {
    const server = fakeServer([[call], ending])
    let runs = 0
    const run: AnalysisTool = (_, { onlyWhile }) => {
      runs += 1
      onlyWhile(() => false)
    }
    expect(await ask(server.connection, run)).toMatchObject(answer)
    const error = 'the result could not be returned: the permission to return it changed too often'
    expect([runs, server.given]).toEqual([10, [{ sessionId, toolCallId: callId, error }]])
  })
})

describe('a parked analysis', () => {
  it('is woken as soon as the server is back', async () => {
    const server = fakeServer([[expired], [...ending]])
    const outages = [refusal('server.unreachable'), refusalOf(502, null)]
    const start: AnalysisConnection['start'] = async (body, options) => {
      const outage = body.question === undefined ? outages.shift() : undefined
      if (outage !== undefined) throw outage
      return server.connection.start(body, options)
    }
    expect(await ask({ ...server.connection, start }, () => 12)).toMatchObject(answer)
    expect(server.starts).toEqual([{ question: 'How many?' }, { sessionId }])
    expect(outages).toEqual([])
  })

  it('rejects with a permanent refusal of the server', async () => {
    const server = fakeServer([[expired]])
    const start: AnalysisConnection['start'] = async (body, options) => {
      if (body.question === undefined) throw refusal('session.closed')
      return server.connection.start(body, options)
    }
    await expect(ask({ ...server.connection, start }, () => 12)).rejects.toMatchObject({ code: 'session.closed' })
  })
})

it('rejects with the error that the event listener throws, cancels the analysis and runs no tool', async () => {
  const server = fakeServer([[call], ending])
  let runs = 0
  const run = () => {
    runs += 1
  }
  const onEvent = () => {
    throw new Error('the page is gone')
  }
  await expect(ask(server.connection, run, { onEvent })).rejects.toThrow('the page is gone')
  expect(server.cancelled).toEqual([sessionId])
  expect([runs, server.left.connections.length]).toEqual([0, 1])
})

it('rejects if the start is aborted, and cancels an analysis that was started after all', async () => {
  const server = fakeServer([])
  const stop = new AbortController()
  let answerStart: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answerStart = resolve
  })
  const start: AnalysisConnection['start'] = async (body, options) => {
    await answered
    return server.connection.start(body, options)
  }
  const asked = ask({ ...server.connection, start }, () => 12, { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
  expect(server.cancelled).toEqual([])
  answerStart()
  await expect.poll(() => server.cancelled, { timeout: 60_000 }).toEqual([sessionId])
})

it('detaches without cancelling: the running tool is aborted and returns nothing', async () => {
  const server = fakeServer([[call], ending])
  const leave = new AbortController()
  const run = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      leave.abort(new Error('the page is closed'))
    })
  const left = analyze(
    server.connection,
    { question: 'How many?', tables: [] },
    { tools: { run_query: run }, backoff, leave: leave.signal },
  )
  await expect(left).rejects.toThrow('the page is closed')
  expect([server.cancelled, server.given]).toEqual([[], []])
})

it('reports when the server has the question, which keeps the key of its caller', async () => {
  const server = fakeServer([[...ending]])
  const keys: unknown[] = []
  const start: AnalysisConnection['start'] = (body, options) => {
    keys.push(options.key)
    return server.connection.start(body, options)
  }
  const taken: unknown[] = []
  await ask({ ...server.connection, start }, () => 12, { key: 'run-1', onStart: (one) => void taken.push(one) })
  expect([keys, taken]).toEqual([['run-1'], [{ sessionId }]])
})
