import type { IncomingHttpHeaders } from 'node:http'
import { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { ask, connect, listen, loadAgent, sessionId, unreachable } from './connect-models.fixture.ts'

describe('the model connections', () => {
  it('answers from the simulator without a key, and reports usage', async () => {
    const { models, settled } = connect(unreachable)
    const response = await ask(await models.openSession(sessionId, await loadAgent('simulator'), 'ana'))
    expect(response.status).toBe(200)
    await response.json()
    expect(settled).toMatchObject([{ sessionId, requestedModel: 'claude-haiku-4-5', tokens: { cacheRead: 0 } }])
  })

  it('books estimates as estimates, and logs them', async () => {
    const start = { message: { id: 'msg_1', model: 'claude-haiku-4-5', usage: { input_tokens: 5, output_tokens: 1 } } }
    const text = { delta: { type: 'text_delta', text: 'forty characters of an answer, not more.' } }
    const end = { usage: { output_tokens: 9 } }
    let isBroken = true
    const baseUrl = await listen((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: message_start\ndata: ${JSON.stringify(start)}\n\n`)
      response.write(`event: content_block_delta\ndata: ${JSON.stringify(text)}\n\n`, () => {
        if (isBroken) return response.destroy()
        response.end(`event: message_delta\ndata: ${JSON.stringify(end)}\n\n`)
      })
    })
    const { models, begun, settled, logged } = connect(async () => ({
      type: 'gateway',
      upstream: { baseUrl, credential: null },
    }))
    const access = await models.openSession(sessionId, await loadAgent('provider'), 'ana')
    await expect(ask(access).then((response) => response.text())).rejects.toThrow('terminated')
    await expect.poll(() => settled).toMatchObject([{ tokens: { input: 5, output: 10, isOutputEstimated: true } }])
    expect(logged).toEqual([expect.stringContaining('estimate')])
    expect(begun).toMatchObject([{ sessionId, apiMessageId: 'msg_1', tokens: { input: 5, output: 1 } }])
    isBroken = false
    await (await ask(access)).text()
    expect(settled[1]).toMatchObject({ tokens: { output: 9 } })
    expect(settled[1]).not.toHaveProperty('tokens.isOutputEstimated')
    expect(logged).toHaveLength(1)
  })

  it('starts again after a failed start, and can be closed', async () => {
    const upstream = { baseUrl: 'no address', credential: null }
    const { models } = connect(async () => ({ type: 'gateway', upstream }))
    const agent = await loadAgent('provider')
    const open = () => models.openSession(sessionId, agent, 'ana').catch((error: unknown) => error)
    const first = await open()
    expect(first).toBeInstanceOf(Error)
    expect(await open()).not.toBe(first)
    await models.close()
  })

  it('sends the real key to the provider and gives the agent another', async () => {
    const seen: IncomingHttpHeaders[] = []
    const baseUrl = await listen((request, response) => {
      seen.push(request.headers)
      request.resume()
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"type":"error"}')
    })
    const credential = { header: 'x-api-key', value: 'made-up-provider-key' } as const
    const upstream = { baseUrl, credential }
    const { models } = connect(async () => ({ type: 'gateway', upstream }))
    const access = await models.openSession(sessionId, await loadAgent('provider'), 'ana')
    expect(JSON.stringify(access)).not.toContain('made-up-provider-key')
    await (await ask(access)).text()
    expect(seen.map((headers) => headers['x-api-key'])).toEqual(['made-up-provider-key'])
  })

  it('passes the credentials on where no gateway can hold them', async () => {
    const handed = { type: 'environment', variables: { CLAUDE_CODE_OAUTH_TOKEN: 'made-up' } } as const
    const { models } = connect(async () => handed)
    expect(await models.openSession(sessionId, await loadAgent('provider'), 'ana')).toEqual(handed)
  })

  it('closes the access of a session with it', async () => {
    const { models } = connect(unreachable)
    const access = await models.openSession(sessionId, await loadAgent('simulator'), 'ana')
    models.closeSession(sessionId)
    expect((await ask(access)).status).toBe(401)
  })

  it('reports a missing credential to the caller that starts the session', async () => {
    const { models } = connect(async () => {
      throw new Error('ANTHROPIC_API_KEY is not set')
    })
    await expect(models.openSession(sessionId, await loadAgent('provider'), 'ana')).rejects.toThrow('ANTHROPIC_API_KEY')
  })

  it('reports retries, failures and a refused key', async () => {
    const answers = [529, 401]
    const baseUrl = await listen((request, response) => {
      request.resume()
      response.writeHead(answers.shift() ?? 500, { 'content-type': 'application/json' }).end('{"type":"error"}')
    })
    const upstream = { baseUrl, credential: null }
    const { models, retries, released, refusals } = connect(async () => ({ type: 'gateway', upstream }))
    const access = await models.openSession(sessionId, await loadAgent('provider'), 'ana')
    expect((await ask(access)).status).toBe(401)
    expect(retries).toMatchObject([{ sessionId, attempt: 1, status: 529 }])
    expect(refusals).toEqual([{ sessionId, status: 401 }])
    await expect.poll(() => released).toMatchObject([{ sessionId }])
  })

  it('limits a provider to its rate, and the simulator only if configured', async () => {
    const rate = { requests: 1, inputTokens: 30_000, outputTokens: 8000, windowMs: 300 }
    const shaping = { rate, shapesSimulator: true, mergeWindowMs: 0, silenceMs: 0, maxRetries: null }
    for (const [shapesSimulator, isWaiting] of [
      [true, true],
      [false, false],
    ] as const) {
      const { models, waits } = connect(unreachable, { shaping: { ...shaping, shapesSimulator } })
      const access = await models.openSession(sessionId, await loadAgent('simulator'), 'ana')
      const answers = await Promise.all([ask(access), ask(access)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      await Promise.all(answers.map((answer) => answer.text()))
      expect(waits.some((queuePosition) => queuePosition !== null)).toBe(isWaiting)
    }
  })

  it('closes everything else when one gateway fails, and reports the failure', async () => {
    const openServers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
    let closing: Promise<void> | undefined
    const upstream = {
      /** Fails to start, and is closed at that moment. */
      get baseUrl() {
        queueMicrotask(() => {
          closing ??= models.close()
          closing.catch(() => undefined)
        })
        return 'ftp://nowhere'
      },
      credential: null,
      toJSON: () => 'this one',
    }
    const { models } = connect(async () => ({ type: 'gateway', upstream }))
    const simulated = await models.openSession(sessionId, await loadAgent('simulator'), 'ana')
    const other = SessionId.parse('ses_9876543210')
    await expect(models.openSession(other, await loadAgent('provider'), 'ana')).rejects.toThrow('http or https')
    await expect(closing).rejects.toThrow('http or https')
    await expect(ask(simulated)).rejects.toThrow()
    await expect.poll(openServers, { timeout: 20_000 }).toBe(0)
  })

  it('closes an unused gateway, and opens a new one when needed', async () => {
    const { models } = connect(unreachable, { idleGatewayMs: 10 })
    const agent = await loadAgent('simulator')
    const first = await models.openSession(sessionId, agent, 'ana')
    models.closeSession(sessionId)
    await expect
      .poll(
        () =>
          ask(first).then(
            ({ status }) => status,
            () => 'gone',
          ),
        { timeout: 30_000 },
      )
      .toBe('gone')
    expect((await ask(await models.openSession(sessionId, agent, 'ana'))).status).toBe(200)
  })
})
