import type { RequestAdmission, RequestEstimate, RequestTicket, RequestUse } from '@quarterdeck/protocol'
import type { SimulatorOptions } from '@quarterdeck/simulator'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../../../simulator/src/start-simulator.fixture.ts'
import { idOf, openGateway, recordReports } from '../gateway-harness.fixture.ts'
import type { ModelGatewayOptions } from '../model-gateway.ts'
import { createModelTraffic } from '../model-traffic.ts'
import { createModelRequestAdmission } from './create-model-request-admission.ts'

function openAdmission(more: Partial<ModelGatewayOptions> = {}) {
  const { reported, listeners } = recordReports()
  const options = { ...listeners, ...more }
  const traffic = createModelTraffic(options)
  const requestAdmission = createModelRequestAdmission({ ...options, traffic })
  onTestFinished(requestAdmission.close)
  return { requestAdmission, reported, traffic, session: requestAdmission.open(idOf('s1'), 'ana') }
}

const estimate: RequestEstimate = { model: 'gpt-5', inputTokens: 50, cachedInputTokens: 0, maxOutputTokens: 500 }
const never = new AbortController().signal
const counts = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 }
const use: RequestUse = { apiMessageId: 'm1', requestedModel: 'gpt-5', servedModel: 'gpt-5-x', tokens: counts }

async function admittedTicket(session: RequestAdmission, asked = estimate, signal = never): Promise<RequestTicket> {
  const ticket = await session.admit(asked, signal)
  if (ticket.type === 'refuse') throw new Error(ticket.message)
  return ticket
}

async function openSimulator(options: Partial<SimulatorOptions> = {}) {
  const { simulator, url } = await startSimulator(options)
  const client = new OpenAI({ apiKey: 'made-up', baseURL: `${url}/v1`, maxRetries: 0 })
  return { simulator, url, client }
}

/** One request of a loop: admitted, sent with the official client, settled. */
async function askOnce(session: RequestAdmission, client: OpenAI): Promise<void> {
  const ticket = await admittedTicket(session)
  const answer = await client.chat.completions.create({ model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] })
  const tokens = { ...counts, input: answer.usage?.prompt_tokens ?? 0, output: answer.usage?.completion_tokens ?? 0 }
  await ticket.settle({ apiMessageId: answer.id, requestedModel: 'gpt-5', servedModel: answer.model, tokens })
}

describe('createModelRequestAdmission', () => {
  it('authorizes a request, reports its start and books its end, each once and under one id', async () => {
    const asked: object[] = []
    const { session, reported } = openAdmission({
      authorize: async (request) => {
        asked.push(request)
        return { type: 'go' }
      },
    })
    const ticket = await admittedTicket(session)
    ticket.begun(use)
    await ticket.settle({ ...use, tokens: { ...counts, output: 7, cacheRead: 3 } })
    await ticket.settle(use)
    await ticket.release()
    expect(asked).toMatchObject([{ ...estimate, sessionId: 's1', requestId: expect.stringMatching(/^req_/) }])
    expect(reported.begun).toMatchObject([{ messageId: 'm1', usage: { inputTokens: 10, outputTokens: 1 } }])
    expect(reported.settled).toMatchObject([
      {
        messageId: 'm1',
        requestedModel: 'gpt-5',
        servedModel: 'gpt-5-x',
        isComplete: true,
        usage: { outputTokens: 7 },
      },
    ])
    expect(new Set([...reported.begun, ...reported.settled].map(({ requestId }) => requestId)).size).toBe(1)
    expect(reported.released).toEqual([])
    expect(reported.warnings).toHaveLength(2)
    await (await admittedTicket(session)).release()
    expect(reported.released).toMatchObject([{ sessionId: 's1' }])
    expect(reported.released[0]?.requestId).not.toBe(reported.settled[0]?.requestId)
  })

  it('passes a refusal on, and refuses when the decision fails', async () => {
    const refusal = {
      type: 'refuse',
      status: 402,
      errorType: 'billing_error',
      message: 'the budget is used up',
    } as const
    expect(await openAdmission({ authorize: async () => refusal }).session.admit(estimate, never)).toEqual(refusal)
    const broken = openAdmission({ authorize: () => Promise.reject(new Error('no ledger')) })
    expect(await broken.session.admit(estimate, never)).toMatchObject({ type: 'refuse', status: 503 })
    expect(broken.reported.settled.length + broken.reported.released.length).toBe(0)
  })

  it('keeps an official client within the rate limit of a provider that enforces it', async () => {
    const rate = { requests: 3, inputTokens: 100_000, outputTokens: 100_000, windowMs: 250 }
    const { simulator, client } = await openSimulator({ rate })
    const { requestAdmission, reported } = openAdmission({ rate })
    const owners = ['ana', 'ben', 'ana', 'ben', 'ana', 'ana', 'ana', 'ana']
    await Promise.all(owners.map((owner, at) => askOnce(requestAdmission.open(idOf(`s${at}`), owner), client)))
    expect(simulator.served().requests.map(({ status }) => status)).toEqual(owners.map(() => 200))
    expect(reported.settled).toHaveLength(owners.length)
    expect(reported.settled.reduce((sum, { usage }) => sum + usage.outputTokens, 0)).toBe(
      simulator.served().usage.outputTokens,
    )
    expect(reported.waiting.some(({ queuePosition }) => queuePosition !== null)).toBe(true)
    expect(reported.waiting.at(-1)?.queuePosition).toBeNull()
  })

  it('shares one queue with the gateway of the same upstream', async () => {
    const { url } = await openSimulator()
    const rate = { requests: 1, inputTokens: 1e6, outputTokens: 1e6, windowMs: 200 }
    const { session, reported, traffic } = openAdmission({ rate })
    const { client } = await openGateway(url, { traffic })
    const ticket = await admittedTicket(session, { ...estimate, model: 'claude-sonnet-4-6' })
    const answer = client.messages.create({
      model: 'claude-sonnet-4-6',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'hi' }],
    })
    await expect.poll(() => reported.waiting).toMatchObject([{ queuePosition: { position: 1, waiting: 1 } }])
    await ticket.release()
    expect((await answer).model).toBe('simulator')
  })

  it.each([Number.NaN, 'abc', -5, Number.POSITIVE_INFINITY, 1e300, {}])(
    'delays no other request after an answer with impossible counts, and books it as an estimate (%s)',
    async (count) => {
      const rate = { requests: 100, inputTokens: 1000, outputTokens: 1000, windowMs: 3_600_000 }
      const { requestAdmission, session, reported } = openAdmission({ rate })
      // A provider may send values of any type.
      const odd = {
        apiMessageId: count,
        servedModel: {},
        tokens: { ...counts, input: count, output: count },
      } as unknown
      const oddUse: RequestUse = { ...use, ...(odd as RequestUse) }
      for (const begins of [true, false]) {
        const ticket = await admittedTicket(session)
        if (begins) ticket.begun(oddUse)
        await ticket.settle(oddUse)
      }
      const next = await admittedTicket(requestAdmission.open(idOf('s2'), 'ben'))
      await next.release()
      expect(reported.waiting).toEqual([])
      const usage = { inputTokens: 50, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
      for (const each of [...reported.begun, ...reported.settled]) {
        expect(each).toMatchObject({ usage, isComplete: false, servedModel: 'gpt-5' })
      }
      const names = new Set(reported.settled.map(({ messageId }) => messageId))
      expect(names.size).toBe(typeof count === 'string' ? 1 : 2)
      expect(reported.begun.map(({ messageId }) => names.has(messageId))).toEqual([true])
    },
  )

  it('delays every request after a 429, not only the refused one', async () => {
    const { requestAdmission, session, reported } = openAdmission()
    const ticket = await admittedTicket(session)
    const began = performance.now()
    const retried = ticket.retrying({ attempt: 1, maxRetries: 3, delayMs: 150, status: 429, error: 'rate_limit' })
    expect(reported.retrying).toMatchObject([{ sessionId: 's1', attempt: 1, delayMs: 150, status: 429 }])
    const other = admittedTicket(requestAdmission.open(idOf('s2'), 'ben')).then(async (late) => {
      await late.release()
      return performance.now() - began
    })
    await retried
    expect(performance.now() - began).toBeGreaterThan(140)
    await ticket.settle(use)
    expect(await other).toBeGreaterThan(140)
    expect(reported.waiting).toMatchObject([
      { sessionId: 's2', queuePosition: { position: 1 } },
      ...reported.waiting.slice(1),
    ])
    expect(reported.settled).toHaveLength(1)
  })

  it('removes an aborted request from the queue and releases its reservation', async () => {
    const rate = { requests: 1, inputTokens: 1e6, outputTokens: 1e6, windowMs: 60_000 }
    const { session, reported } = openAdmission({ rate })
    const first = await admittedTicket(session)
    const leaving = new AbortController()
    const waiting = session.admit(estimate, leaving.signal)
    await expect.poll(() => reported.waiting.length).toBe(1)
    leaving.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    expect(reported.released).toHaveLength(1)
    expect(reported.waiting.at(-1)?.queuePosition).toBeNull()
    await expect(session.admit(estimate, leaving.signal)).rejects.toThrow('stopped')
    const stopping = new AbortController()
    const retried = admittedTicket(openAdmission().session, estimate, stopping.signal).then((ticket) =>
      ticket.retrying({ attempt: 1, maxRetries: 1, delayMs: 3_600_000, status: 503, error: 'server_error' }),
    )
    setImmediate(() => stopping.abort())
    await retried
    await first.release()
  })

  it('ends the open requests of a closed session: begun ones are charged, waiting ones are rejected', async () => {
    const rate = { requests: 2, inputTokens: 1e6, outputTokens: 1e6, windowMs: 60_000 }
    const { requestAdmission, session, reported } = openAdmission({ rate })
    const speaking = await admittedTicket(session)
    speaking.begun(use)
    await admittedTicket(session)
    const waiting = session.admit(estimate, never)
    await expect.poll(() => reported.waiting.length).toBe(1)
    requestAdmission.closeSession(idOf('s1'))
    await expect(waiting).rejects.toThrow('closed')
    await expect(session.admit(estimate, never)).rejects.toThrow('closed')
    await expect.poll(() => reported.settled).toMatchObject([{ messageId: 'm1', isComplete: false }])
    await expect.poll(() => reported.released).toHaveLength(2)
    await speaking.settle(use)
    expect(reported.settled).toHaveLength(1)
  })

  it('releases a reservation that was granted while its session closed, and close waits for that', async () => {
    const rate = { requests: 1e6, inputTokens: 60, outputTokens: 1e6, windowMs: 60_000 }
    const released: string[] = []
    const { requestAdmission, session, reported } = openAdmission({
      rate,
      release: async ({ sessionId }) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        released.push(sessionId)
      },
    })
    const first = await admittedTicket(session)
    const next = requestAdmission.open(idOf('s2'), 'ben').admit(estimate, never)
    const last = requestAdmission.open(idOf('s3'), 'ben').admit(estimate, never)
    const outcomes = Promise.allSettled([next, last])
    await expect
      .poll(() => reported.waiting.filter(({ queuePosition }) => queuePosition !== null).length)
      .toBeGreaterThanOrEqual(2)
    // The first request ends, the next one is granted the slot, and its session closes before it learns of that.
    const over = first.release()
    requestAdmission.closeSession(idOf('s2'))
    await requestAdmission.close()
    expect(released.toSorted()).toEqual(['s1', 's2', 's3'])
    await over
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { message: expect.stringContaining('closed') } },
      { status: 'rejected', reason: { message: expect.stringContaining('closed') } },
    ])
  })

  it('reports a refused key, and expects the last answer of a conversation in the cache', async () => {
    const asked: number[] = []
    const { session, reported } = openAdmission({
      authorize: async ({ cachedInputTokens }) => {
        asked.push(cachedInputTokens)
        return { type: 'go' }
      },
    })
    const ticket = await admittedTicket(session, { ...estimate, inputTokens: 1000 })
    await ticket.settle({ ...use, tokens: { input: 100, output: 5, cacheRead: 0, cacheWrite: 900 } })
    const next = await admittedTicket(session, { ...estimate, inputTokens: 1100 })
    next.keyRefused(401)
    await next.release()
    expect(asked).toEqual([0, 900])
    expect(reported.refused).toEqual([{ sessionId: 's1', status: 401 }])
  })
})
