import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import type { ModelRequest } from '@quarterdeck/protocol'
import { createSimulator, loadScenario, type SimulatorOptions } from '@quarterdeck/simulator'
import { afterEach, describe, expect, it } from 'vitest'
import { createModelGateway } from './create-model-gateway.ts'
import { asServed, idOf, type ServedUse } from './gateway-harness.fixture.ts'
import type { ModelGatewayOptions } from './model-gateway.ts'

const providerKey = 'canary-provider-key'
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function startGateway(baseUrl: string, more: Partial<ModelGatewayOptions> = {}) {
  const settled: ServedUse[] = []
  const warnings: string[] = []
  const gateway = createModelGateway({
    upstream: { baseUrl, credential: { header: 'x-api-key', value: providerKey } },
    settle: async (use) => void settled.push(asServed(use)),
    logger: { warn: (facts, message) => void warnings.push(`${message} ${JSON.stringify(facts)}`) },
    ...more,
  })
  cleanups.push(gateway.close)
  const { url } = await gateway.listen()
  const session = gateway.openSession(idOf('s1'))
  const client = new Anthropic({ apiKey: session.token, baseURL: session.baseUrl, maxRetries: 0 })
  return { gateway, url, session, client, settled, warnings }
}

async function startWithSimulator(options: Partial<SimulatorOptions> = {}, more: Partial<ModelGatewayOptions> = {}) {
  const simulator = createSimulator({ mode: 'demo', paceMs: 0, ...options })
  cleanups.push(simulator.close)
  const { url } = await simulator.listen()
  return { simulator, ...(await startGateway(url, more)) }
}

/** An upstream with answers that no simulator gives. */
async function startUpstream(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, server }
}

const script = (yaml: string) => ({ mode: { script: loadScenario(yaml, 'test.yaml') } })
const hello = { model: 'claude-sonnet-4-6', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'hello' }] }

describe('the gateway with the official client', () => {
  it('forwards streamed and whole answers and books each once, with the served usage', async () => {
    const { client, simulator, settled } = await startWithSimulator()
    const whole = await client.messages.create(hello)
    const streamed = await client.messages.stream(hello).finalMessage()
    expect(streamed.content).toEqual(whole.content)
    expect(settled.map((row) => row.messageId)).toEqual([whole.id, streamed.id])
    const served = simulator.served().requests
    expect(settled.map((row) => row.usage)).toEqual(served.map((request) => request.usage))
    expect(settled[1]).toMatchObject({
      sessionId: 's1',
      requestedModel: 'claude-sonnet-4-6',
      servedModel: 'simulator',
      isComplete: true,
    })
  })

  it('forwards thinking, tools, token counts and the model list', async () => {
    const { client, settled } = await startWithSimulator(
      script('steps: [{ then: { thinking: hm, tools: [{ name: A, input: { x: "ä" } }, { name: B }] } }]'),
    )
    const message = await client.messages.stream(hello).finalMessage()
    expect(message.content).toMatchObject([
      { thinking: 'hm' },
      { name: 'A', input: { x: 'ä' } },
      { name: 'B', input: {} },
    ])
    const { max_tokens: _, ...prompt } = hello
    expect((await client.messages.countTokens(prompt)).input_tokens).toBeGreaterThan(0)
    expect((await client.models.list()).data).toHaveLength(1)
    expect(settled).toHaveLength(1)
  })

  it('books a message before the client sees its end', async () => {
    let booked = false
    const { client } = await startWithSimulator(
      {},
      {
        settle: async () => {
          await new Promise((resolve) => setTimeout(resolve, 100))
          booked = true
        },
      },
    )
    await client.messages.stream(hello).finalMessage()
    expect(booked).toBe(true)
  })

  it('answers even when a booking fails, and logs the unbooked usage', async () => {
    const { client, warnings } = await startWithSimulator({}, { settle: () => Promise.reject(new Error('disk full')) })
    const message = await client.messages.create(hello)
    expect(warnings.join()).toContain('booking a model request failed')
    expect(warnings.join()).toContain(message.id)
  })

  it('forwards errors of the provider with their headers, and books nothing', async () => {
    const faults = [{ fault: { type: 'status' as const, status: 429, retry_after_seconds: 9 }, on: 'every' as const }]
    const { client, settled } = await startWithSimulator({ faults }, { retry: { maxRetries: 0 } })
    const error = await client.messages.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Anthropic.RateLimitError)
    expect(error).toMatchObject({ error: { error: { type: 'rate_limit_error' } } })
    expect(error instanceof Anthropic.APIError && error.headers?.get('retry-after')).toBe('9')
    expect(settled).toEqual([])
  })

  it('breaks off where the provider breaks off, and books the received part', async () => {
    const { client, settled } = await startWithSimulator({
      faults: [{ fault: { type: 'reset_mid_stream', after_deltas: 8 }, on: 'every' }],
    })
    const seen: string[] = []
    const stream = client.messages.stream(hello).on('text', (delta) => seen.push(delta))
    await expect(stream.finalMessage()).rejects.toThrow()
    expect(seen).toHaveLength(8)
    expect(settled).toHaveLength(1)
    expect(settled[0]).toMatchObject({
      isComplete: false,
      usage: { outputTokens: Math.ceil(seen.join('').length / 4) },
    })
  })

  it('disconnects from the provider when the client disconnects, and still books', async () => {
    const { client, simulator, settled } = await startWithSimulator({
      faults: [{ fault: { type: 'stall', after_deltas: 3 }, on: 'every' }],
    })
    const stream = client.messages.stream(hello)
    stream.on('text', () => stream.abort())
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
    await expect.poll(() => settled.length, { timeout: 20_000 }).toBe(1)
    expect(settled[0]).toMatchObject({ isComplete: false, messageId: simulator.served().requests[0]?.messageId })
  })

  it('answers an internal failure with 500 in the documented shape, and logs it', async () => {
    // Without a valid HTTP status the gateway fails after it has read the body.
    const refusal = { type: 'refuse' as const, status: 9999, errorType: 'api_error', message: 'no such status' }
    const { client, warnings } = await startWithSimulator({}, { authorize: async () => refusal })
    await expect(client.messages.create(hello)).rejects.toMatchObject({
      status: 500,
      error: { type: 'error', error: { type: 'api_error' }, request_id: expect.stringMatching(/^req_qd_/) },
    })
    expect(warnings.join()).toContain('the gateway failed on a request')
    expect(warnings.join()).toContain('9999')
  })

  it('logs nothing about a client that disconnects while it sends', async () => {
    let arrived = 0
    const { url, session, client, warnings } = await startWithSimulator(
      {},
      {
        newId: () => {
          arrived += 1
          return String(arrived)
        },
      },
    )
    const leaving = request(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': session.token, 'content-length': '1000' },
    })
    leaving.on('error', () => undefined)
    leaving.write('{"model":')
    await expect.poll(() => arrived, { timeout: 20_000 }).toBe(1)
    leaving.destroy()
    await client.messages.create(hello)
    expect(warnings).toEqual([])
  })
})

describe('the authorization of each request', () => {
  it('gets session and model, and a refusal reaches the client without a request to the provider', async () => {
    const asked: ModelRequest[] = []
    const { client, simulator, settled } = await startWithSimulator(
      {},
      {
        authorize: async (request) => {
          asked.push(request)
          return {
            type: 'refuse',
            status: 402,
            errorType: 'billing_error',
            message: 'The budget of this session is spent.',
          }
        },
      },
    )
    await expect(client.messages.create(hello)).rejects.toMatchObject({
      status: 402,
      error: { error: { type: 'billing_error', message: 'The budget of this session is spent.' } },
    })
    expect(asked).toMatchObject([{ sessionId: 's1', model: 'claude-sonnet-4-6', maxOutputTokens: 1000 }])
    expect(asked[0]?.inputTokens).toBeGreaterThan(5)
    expect(asked[0]?.inputTokens).toBeLessThan(50)
    expect([simulator.served().requests.length, settled.length]).toEqual([0, 0])
  })

  it('is not repeated by the client unless the refusal says when', async () => {
    let asked = 0
    const { session } = await startWithSimulator(
      {},
      {
        authorize: async () => {
          asked += 1
          const refusal = { type: 'refuse' as const, status: 429, errorType: 'rate_limit_error', message: 'later' }
          return asked <= 2 ? { ...refusal, retryAfterSeconds: 0 } : refusal
        },
      },
    )
    const client = new Anthropic({ apiKey: session.token, baseURL: session.baseUrl, maxRetries: 5 })
    await expect(client.messages.create(hello)).rejects.toMatchObject({ status: 429 })
    expect(asked).toBe(3)
  })

  it('is refused when the decision fails', async () => {
    const { client, simulator } = await startWithSimulator(
      {},
      { authorize: () => Promise.reject(new Error('ledger locked')) },
    )
    await expect(client.messages.create(hello)).rejects.toMatchObject({ status: 503 })
    expect(simulator.served().requests).toHaveLength(0)
  })
})

describe('keys and tokens', () => {
  it('replaces the session token by the provider key, under the path prefix of the base URL', async () => {
    const seen: IncomingMessage[] = []
    const { url } = await startUpstream((request, response) => {
      seen.push(request)
      response.setHeader('set-cookie', 'a=b').end('{}')
    })
    const { session, client } = await startGateway(`${url}/prefix/`)
    const answer = await fetch(`${session.baseUrl}/v1/messages?beta=true`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${session.token}`,
        'anthropic-beta': 'b1',
        cookie: 'c=d',
        connection: 'keep-alive',
      },
      body: JSON.stringify(hello),
    })
    await client.messages.create(hello)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(seen.map((request) => request.url)).toEqual(['/prefix/v1/messages?beta=true', '/prefix/v1/messages'])
    for (const { headers } of seen) {
      expect(headers['x-api-key']).toBe(providerKey)
      expect(JSON.stringify(headers)).not.toContain(session.token)
      expect(headers).not.toHaveProperty('cookie')
      expect(headers['accept-encoding']).toBe('identity')
    }
    expect(seen[0]?.headers['anthropic-beta']).toBe('b1')
  })

  it('sends a bearer credential unchanged, and none when there is none', async () => {
    const seen: unknown[] = []
    const { url } = await startUpstream((request, response) => {
      seen.push([request.headers.authorization, request.headers['x-api-key']])
      response.end('{}')
    })
    const credential = { header: 'authorization' as const, value: 'Bearer abc' }
    const bearer = await startGateway(url, { upstream: { baseUrl: url, credential } })
    await bearer.client.messages.create(hello)
    const bare = await startGateway(url, { upstream: { baseUrl: url, credential: null } })
    await bare.client.messages.create(hello)
    expect(seen).toEqual([
      ['Bearer abc', undefined],
      [undefined, undefined],
    ])
  })

  it('answers an unknown, missing or revoked token with 401 in the documented shape', async () => {
    const { gateway, url, session, client, settled } = await startWithSimulator()
    const post = (headers: Record<string, string>) =>
      fetch(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(hello) })
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { authorization: 'Bearer wrong' }] as Record<
      string,
      string
    >[]) {
      const answer = await post(headers)
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
    }
    expect(gateway.openSession(idOf('s1'))).toEqual(session)
    gateway.closeSession(idOf('s1'))
    await expect(client.messages.create(hello)).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    expect(gateway.openSession(idOf('s1')).token).not.toBe(session.token)
    expect(settled).toEqual([])
  })

  it('ends only the running requests of a closed session', async () => {
    const { gateway, client, settled } = await startWithSimulator({
      faults: [{ fault: { type: 'stall', after_deltas: 1 }, on: { first: 1 } }],
    })
    const stream = client.messages.stream(hello)
    stream.once('text', () => gateway.closeSession(idOf('s1')))
    await expect(stream.finalMessage()).rejects.toThrow()
    await expect.poll(() => settled.length, { timeout: 20_000 }).toBe(1)
    const other = gateway.openSession(idOf('s2'))
    const second = new Anthropic({ apiKey: other.token, baseURL: other.baseUrl, maxRetries: 0 })
    expect((await second.messages.create(hello)).model).toBe('simulator')
    expect(settled.map((row) => row.sessionId)).toEqual(['s1', 's2'])
  })

  it('never reveals the key: not when the provider echoes it, not when it is unreachable, not in the log', async () => {
    const echo = await startUpstream((request, response) => {
      response.writeHead(401, { 'content-type': 'application/json', 'x-echo': `key ${request.headers['x-api-key']}` })
      response.end(
        JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: `bad key ${providerKey}` } }),
      )
    })
    const refused = await startGateway(echo.url)
    const error = await refused.client.messages.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
    if (!(error instanceof Anthropic.APIError)) return
    expect(error.message).toContain('[redacted]')
    expect(JSON.stringify([error.error, [...(error.headers ?? [])]])).not.toContain(providerKey)

    const closed = await startUpstream(() => undefined)
    closed.server.close()
    const dead = await startGateway(closed.url, { retry: { maxRetries: 1, firstDelayMs: 1 } })
    await expect(dead.client.messages.create(hello)).rejects.toMatchObject({
      status: 502,
      error: { type: 'error', error: { type: 'api_error', message: expect.stringContaining('ECONNREFUSED') } },
    })
    expect(dead.settled).toEqual([])
    expect(dead.warnings.join()).toContain('upstream failed')
    expect(dead.warnings.join()).not.toContain(providerKey)
  })

  it('forwards only the model routes of the provider', async () => {
    const { url, session, simulator } = await startWithSimulator()
    const headers = { 'x-api-key': session.token }
    for (const path of [
      '/v1/messages/batches',
      '/v1/files',
      '/v1/complete',
      '/v1/../v1/files',
      '/v1/%2e%2e/x',
      '/admin',
    ]) {
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' })
      expect([path, answer.status]).toEqual([path, 404])
    }
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    const broken = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: '{"model":' })
    expect(broken.status).toBe(400)
    const huge = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers,
      body: Buffer.alloc(65 * 1024 * 1024, ' '),
    })
    expect([huge.status, await huge.json()]).toMatchObject([413, { error: { type: 'request_too_large' } }])
    expect(simulator.served().requests).toHaveLength(0)
  })
})
