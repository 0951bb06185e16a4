import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { encodeSseFrame } from '../wire/sse-frame.ts'
import { readRetryAfter, retryDelay } from './forward/retry-policy.ts'
import { hello, openGateway, openSimulated, openUpstream } from './gateway-harness.fixture.ts'

const quickly = { retry: { maxRetries: 3, firstDelayMs: 5, longestDelayMs: 20 } }

describe('a temporary failure', () => {
  it.each([429, 500, 502, 503, 504, 529])('with status %i is retried without the client seeing it', async (status) => {
    const { client, reported, simulator } = await openSimulated(
      { faults: [{ fault: { type: 'status', status }, on: { first: 2 } }] },
      quickly,
    )
    expect((await client.messages.create(hello)).model).toBe('simulator')
    const name = { sessionId: 's1', requestId: reported.settled[0]?.requestId, maxRetries: 3, status }
    expect(reported.retrying).toMatchObject([
      { ...name, attempt: 1 },
      { ...name, attempt: 2 },
    ])
    expect(simulator.served().requests.map((request) => request.status)).toEqual([status, status, 200])
    expect([reported.settled.length, reported.released.length]).toEqual([1, 0])
  })

  it("reports the provider's error, and waits as long as the provider says", async () => {
    const { client, reported } = await openSimulated(
      { faults: [{ fault: { type: 'status', status: 429, retry_after_seconds: 0.2 }, on: { nth: 1 } }] },
      quickly,
    )
    const before = performance.now()
    await client.messages.create(hello)
    expect(performance.now() - before).toBeGreaterThan(190)
    expect(reported.retrying).toMatchObject([{ delayMs: 200, error: 'rate_limit_error' }])
  })

  it('may be a connection that is refused or closed before an answer', async () => {
    const { client, reported } = await openSimulated(
      { faults: [{ fault: { type: 'reset_before_headers' }, on: { first: 2 } }] },
      quickly,
    )
    await client.messages.create(hello)
    expect(reported.retrying).toMatchObject([{ status: null, error: 'ECONNRESET' }, { attempt: 2 }])
  })

  it('is forwarded when the retries are used up, with a header that says not to retry', async () => {
    const { client, reported, simulator } = await openSimulated(
      { faults: [{ fault: { type: 'status', status: 529 }, on: 'every' }] },
      quickly,
    )
    const error = await client.messages.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } })
    expect(error instanceof Anthropic.APIError && error.headers?.get('x-should-retry')).toBe('false')
    expect(simulator.served().requests).toHaveLength(4)
    expect(reported.retrying.map((each) => each.attempt)).toEqual([1, 2, 3])
    expect([reported.settled.length, reported.released.length]).toEqual([0, 1])
  })

  it.each([1e9, 3600])(
    'does not wait the %d seconds of a provider that asks for more than the limit',
    async (seconds) => {
      const { clientOf, reported, simulator } = await openSimulated(
        { faults: [{ fault: { type: 'status', status: 429, retry_after_seconds: seconds }, on: { nth: 1 } }] },
        { retry: { ...quickly.retry, longestDelayMs: 400 } },
      )
      await clientOf('s1').messages.create(hello)
      await clientOf('s2').messages.create(hello)
      expect(reported.retrying).toMatchObject([{ sessionId: 's1', attempt: 1, delayMs: 400 }])
      expect(simulator.served().requests.map((request) => request.status)).toEqual([429, 200, 200])
    },
  )

  it('reports the delay of its retry when the pause for all requests is longer', async () => {
    let requests = 0
    const bothIn: (() => void)[] = []
    const url = await openUpstream((_request, response) => {
      requests += 1
      if (requests > 2) return void response.writeHead(400).end('{}')
      const seconds = requests === 1 ? '0.6' : '0.1'
      bothIn.push(() => response.writeHead(429, { 'retry-after': seconds }).end('{}'))
      if (requests === 1) return
      bothIn[0]?.()
      setTimeout(() => bothIn[1]?.(), 50)
    })
    const { clientOf, reported } = await openGateway(url, quickly)
    await Promise.allSettled([clientOf('s1').messages.create(hello), clientOf('s2').messages.create(hello)])
    expect(reported.retrying[0]).toMatchObject({ attempt: 1, delayMs: 600 })
    expect(reported.retrying[1]?.delayMs).toBeGreaterThan(100)
  })

  it('is left to a client that has a second model for an overloaded one', async () => {
    const { clientOf, reported } = await openSimulated(
      { faults: [{ fault: { type: 'status', status: 529 }, on: 'every' }] },
      quickly,
    )
    const error = await clientOf('s2', { hasFallbackModel: true })
      .messages.create(hello)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 529 })
    expect(error instanceof Anthropic.APIError && error.headers?.get('x-should-retry')).toBeNull()
    expect(reported.retrying).toEqual([])
  })
})

describe('a permanent failure', () => {
  it.each([401, 403])('with status %i is reported once and never retried', async (status) => {
    const { client, reported, simulator } = await openSimulated(
      { faults: [{ fault: { type: 'status', status }, on: 'every' }] },
      quickly,
    )
    const error = await client.messages.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status })
    expect(error instanceof Anthropic.APIError && error.headers?.get('x-should-retry')).toBe('false')
    expect(reported.refused).toEqual([{ sessionId: 's1', status }])
    expect([simulator.served().requests.length, reported.retrying.length, reported.released.length]).toEqual([1, 0, 1])
  })

  it.each([400, 404])('with status %i is forwarded unchanged', async (status) => {
    const { client, reported } = await openSimulated(
      { faults: [{ fault: { type: 'status', status, message: 'as it came' }, on: 'every' }] },
      quickly,
    )
    const error = await client.messages.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status, error: { error: { message: 'as it came' } } })
    expect(error instanceof Anthropic.APIError && error.headers?.get('x-should-retry')).toBeNull()
    expect([reported.retrying.length, reported.refused.length, reported.released.length]).toEqual([0, 0, 1])
  })

  it('in the middle of an answer is not retried: bytes were sent', async () => {
    let requests = 0
    const url = await openUpstream((_request, response) => {
      requests += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const message = { id: 'm1', model: 'm', usage: { input_tokens: 3, output_tokens: 1 } }
      response.write(encodeSseFrame('message_start', { type: 'message_start', message }))
      setTimeout(() => response.socket?.resetAndDestroy(), 20)
    })
    const { client, reported } = await openGateway(url, quickly)
    await expect(client.messages.stream(hello).finalMessage()).rejects.toThrow()
    await expect.poll(() => reported.settled.length).toBe(1)
    expect([requests, reported.retrying.length, reported.released.length]).toEqual([1, 0, 0])
  })
})

describe('an authorized request', () => {
  it('is released once when its client leaves during the delay', async () => {
    const { client, reported } = await openSimulated({
      faults: [{ fault: { type: 'status', status: 429, retry_after_seconds: 60 }, on: 'every' }],
    })
    const leaving = new AbortController()
    const asking = client.messages.create(hello, { signal: leaving.signal })
    await expect.poll(() => reported.retrying.length).toBe(1)
    leaving.abort()
    await expect(asking).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
    await expect.poll(() => reported.released.length).toBe(1)
    expect(reported.warnings).toEqual([])
  })

  it('is released when the authorization arrives after its client has left', async () => {
    let allow = () => {}
    let signal: AbortSignal | null = null
    const { client, reported, simulator } = await openSimulated(
      {},
      {
        authorize: (_request, aborted) => {
          signal = aborted
          return new Promise((resolve) => {
            allow = () => resolve({ type: 'go' })
          })
        },
      },
    )
    const leaving = new AbortController()
    const asking = client.messages.create(hello, { signal: leaving.signal })
    await expect.poll(() => signal !== null).toBe(true)
    leaving.abort()
    await expect(asking).rejects.toThrow()
    await expect.poll(() => signal?.aborted).toBe(true)
    expect(reported.released).toEqual([])
    allow()
    await expect.poll(() => reported.released.length).toBe(1)
    expect(simulator.served().requests).toHaveLength(0)
  })

  it('is not released when it was refused or when it got a message', async () => {
    let verdict: 'go' | 'refuse' = 'refuse'
    const { client, reported } = await openSimulated(
      {},
      {
        authorize: async () =>
          verdict === 'go'
            ? { type: 'go' }
            : { type: 'refuse', status: 402, errorType: 'billing_error', message: 'no' },
      },
    )
    await expect(client.messages.create(hello)).rejects.toMatchObject({ status: 402 })
    verdict = 'go'
    await client.messages.create(hello)
    expect([reported.settled.length, reported.released.length]).toEqual([1, 0])
  })
})

describe('the delay before a retry', () => {
  const policy = { maxRetries: 3, firstDelayMs: 100, longestDelayMs: 250, longestRetryAfterMs: 5000 }
  const delay = (attempt: number, retryAfterMs: number | null = null, jitter = 1) =>
    retryDelay({ policy, attempt, retryAfterMs, jitter })

  it('doubles up to its bound, with a jitter of a quarter, and ends with the retries', () => {
    expect([1, 2, 3, 4].map((attempt) => delay(attempt))).toEqual([100, 200, 250, null])
    expect(delay(2, null, 0)).toBe(150)
  })

  it("is the provider's, in any of its spellings", () => {
    expect([delay(1, 4000), delay(1, 6000), delay(4, 4000)]).toEqual([4000, 250, null])
    const now = Date.parse('2025-01-01T00:00:00Z')
    expect(readRetryAfter({ 'retry-after': '7' }, now)).toBe(7000)
    expect(readRetryAfter({ 'retry-after': 'Wed, 01 Jan 2025 00:00:09 GMT' }, now)).toBe(9000)
    expect(readRetryAfter({ 'retry-after': '7', 'retry-after-ms': '250' }, now)).toBe(250)
    expect(readRetryAfter({ 'retry-after': '7', 'retry-after-ms': '0' }, now)).toBe(7000)
    expect(readRetryAfter({}, now)).toBeNull()
  })

  it.each(['soon', '', '0', '-5', '-1e9', 'NaN', 'Wed, 01 Jan 2020 00:00:00 GMT'])(
    'is the usual one after %j',
    (value) => {
      expect(readRetryAfter({ 'retry-after': value }, Date.parse('2025-01-01T00:00:00Z'))).toBeNull()
    },
  )
})

describe('a provider that stops sending in the middle of an answer', () => {
  it('is disconnected, so that the client can retry, and the received part is booked', async () => {
    const { client, reported } = await openSimulated(
      { faults: [{ fault: { type: 'stall', after_deltas: 2 }, on: { nth: 1 } }] },
      { ...quickly, silenceMs: 50 },
    )
    const broken = await client.messages
      .stream(hello)
      .finalMessage()
      .catch((thrown: unknown) => thrown)
    expect(broken).toBeInstanceOf(Error)
    await expect.poll(() => reported.settled, { timeout: 20_000 }).toMatchObject([{ isComplete: false }])
    expect((await client.messages.stream(hello).finalMessage()).model).toBe('simulator')
  })
})

describe('a provider that stops sending elsewhere', () => {
  it('is retried before its answer, as after a connection timeout', async () => {
    let requests = 0
    const url = await openUpstream((_request, response) => {
      requests += 1
      if (requests > 1) response.writeHead(400).end('{}')
    })
    const { client, reported } = await openGateway(url, { ...quickly, headSilenceMs: 100 })
    await expect(client.messages.create(hello)).rejects.toMatchObject({ status: 400 })
    expect(reported.retrying).toMatchObject([{ attempt: 1, status: null, error: 'ETIMEDOUT' }])
  })

  it('is not waited for in the middle of an error: its status is enough', async () => {
    let requests = 0
    const url = await openUpstream((_request, response) => {
      requests += 1
      response.writeHead(requests === 1 ? 503 : 400, { 'content-type': 'application/json' })
      response.write('{"error":')
    })
    const { client, reported } = await openGateway(url, { ...quickly, silenceMs: 100 })
    await expect(client.messages.create(hello)).rejects.toMatchObject({ status: 400 })
    expect(reported.retrying).toMatchObject([{ attempt: 1, status: 503 }])
  })
})

it('continues a request whose listener fails', async () => {
  const fail = () => {
    throw new Error('a listener of this test')
  }
  const { client, reported } = await openSimulated(
    { faults: [{ fault: { type: 'status', status: 503 }, on: { nth: 1 } }] },
    { ...quickly, onBegun: fail, onRetrying: fail, onWaiting: fail, onKeyRefused: fail },
  )
  expect((await client.messages.stream(hello).finalMessage()).model).toBe('simulator')
  expect(reported.warnings.filter((warning) => warning.includes('a listener of this test'))).toHaveLength(2)
})

it.each([301, 302, 307, 308])(
  'does not forward a redirect with %i: a client would send the conversation there',
  async (status) => {
    let visits = 0
    const elsewhere = await openUpstream((_, response) => {
      visits += 1
      response.end('{}')
    })
    const url = await openUpstream((_, response) => response.writeHead(status, { location: `${elsewhere}/x` }).end())
    const { client, reported } = await openGateway(url, quickly)
    const error = await client.messages.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 502 })
    expect(String(error)).toContain(`redirects to ${new URL(elsewhere).host}: set model.endpoint`)
    expect([visits, reported.settled.length, reported.released.length, reported.retrying.length]).toEqual([0, 0, 1, 0])
  },
)
