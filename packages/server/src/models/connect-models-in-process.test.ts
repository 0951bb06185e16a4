import type { IncomingHttpHeaders } from 'node:http'
import type { InProcessAccess, ModelConnections } from '@quarterdeck/engine'
import { type AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ask, connect, listen, loadAgent, loopAgent, sessionId, unreachable } from './connect-models.fixture.ts'

const estimate = { model: 'claude-haiku-4-5', inputTokens: 20, cachedInputTokens: 0, maxOutputTokens: 99 }
const never = new AbortController().signal

async function inProcess(models: ModelConnections, agent: AgentDefinition) {
  const access = await models.openSession(sessionId, agent, 'ana')
  if (access.type !== 'in-process') throw new Error('not in-process')
  return access
}

async function admitted(access: Awaited<ReturnType<typeof inProcess>>) {
  const ticket = await access.requests.admit(estimate, never)
  if (ticket.type !== 'go') throw new Error(ticket.message)
  return ticket
}

/** Where the official client of each provider sends its requests. */
const addresses: Readonly<Record<InProcessAccess['wire'], (access: InProcessAccess) => string>> = {
  anthropic: ({ baseUrl }) => `${baseUrl}/v1/messages`,
  openai: ({ baseUrl }) => `${baseUrl}/chat/completions`,
  azure_openai: ({ baseUrl, apiVersion }) =>
    `${baseUrl}/openai/deployments/m/chat/completions?api-version=${apiVersion}`,
}

async function servedModel(access: InProcessAccess): Promise<unknown> {
  const body = JSON.stringify({ model: 'm', max_tokens: 99, messages: [{ role: 'user', content: 'hi' }] })
  const response = await fetch(addresses[access.wire](access), { method: 'POST', body })
  return z.looseObject({ model: z.string() }).parse(await response.json()).model
}

describe('the model connections of the in-process loop', () => {
  it.each(['anthropic', 'openai', 'azure_openai', 'ollama'] as const)(
    'replaces %s with the simulator, on its own protocol and without a key',
    async (provider) => {
      const { models, begun, settled } = connect(unreachable)
      const access = await inProcess(models, await loopAgent('simulator', provider))
      expect(await servedModel(access)).toBe('simulator')
      const ticket = await admitted(access)
      const tokens = { input: 5, output: 1, cacheRead: 2, cacheWrite: 0 }
      const use = { apiMessageId: 'm1', requestedModel: 'm', servedModel: 'simulator', tokens }
      ticket.begun(use)
      await ticket.settle({ ...use, tokens: { ...tokens, output: 9 } })
      expect(begun).toMatchObject([{ sessionId, apiMessageId: 'm1', tokens: { input: 5, output: 1 } }])
      expect(settled).toEqual([
        { ...use, sessionId, requestId: expect.stringMatching(/^req_/), tokens: { ...tokens, output: 9 } },
      ])
    },
  )

  it('gives the loop the key and the address of the provider, and shares one queue with its gateway', async () => {
    const seen: IncomingHttpHeaders[] = []
    const baseUrl = await listen((request, response) => {
      seen.push(request.headers)
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    const upstream = { baseUrl, credential: { header: 'x-api-key', value: 'made-up-provider-key' } } as const
    const key = { apiKey: 'made-up-provider-key', keyHeader: 'x-api-key', apiVersion: null } as const
    const rate = { requests: 1, inputTokens: 30_000, outputTokens: 8000, windowMs: 300 }
    const shaping = { rate, shapesSimulator: false, mergeWindowMs: 0, silenceMs: 0, maxRetries: null }
    const { models, waits } = connect(
      async (agent) =>
        agent.backend === 'loop'
          ? { type: 'in-process', wire: 'anthropic', baseUrl, ...key, upstream }
          : { type: 'gateway', upstream },
      { shaping },
    )
    const loop = await inProcess(models, await loopAgent('provider', 'anthropic'))
    expect(loop).toMatchObject({ wire: 'anthropic', baseUrl, ...key })
    const ticket = await admitted(loop)
    const other = SessionId.parse('ses_9876543210')
    const answer = ask(await models.openSession(other, await loadAgent('provider'), 'ben'))
    await expect.poll(() => waits).toMatchObject([{ position: 1, waiting: 1 }])
    expect(seen).toEqual([])
    await ticket.release()
    expect((await answer).status).toBe(200)
    expect(seen).toHaveLength(1)
  })

  it('gives the loop the same retry settings as a gateway', async () => {
    const rate = { requests: 1, inputTokens: 10, outputTokens: 10, windowMs: 60_000 }
    const shaping = { rate, shapesSimulator: false, mergeWindowMs: 0, silenceMs: 7000, maxRetries: 0 }
    const limited = connect(unreachable, { shaping })
    const agent = await loopAgent('simulator', 'openai')
    expect((await inProcess(limited.models, agent)).retryPolicy).toEqual({ maxRetries: 0, silenceMs: 7000 })
    const unlimited = connect(unreachable, { shaping: { ...shaping, silenceMs: 0, maxRetries: null } })
    expect((await inProcess(unlimited.models, agent)).retryPolicy).toEqual({})
  })

  it('does not limit a self-hosted model', async () => {
    const rate = { requests: 1, inputTokens: 10, outputTokens: 10, windowMs: 60_000 }
    const shaping = { rate, shapesSimulator: false, mergeWindowMs: 0, silenceMs: 0, maxRetries: null }
    const route = { type: 'in-process', wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'ollama' } as const
    const upstream = { baseUrl: route.baseUrl, credential: null }
    const { models, waits } = connect(
      async () => ({ ...route, keyHeader: 'authorization', apiVersion: null, upstream }),
      { shaping },
    )
    const access = await inProcess(models, await loopAgent('provider', 'ollama'))
    for (const ticket of [await admitted(access), await admitted(access)]) await ticket.release()
    expect(waits).toEqual([])
  })

  it('closes the access of a session with it, and releases open reservations', async () => {
    const { models, released } = connect(unreachable)
    const access = await inProcess(models, await loopAgent('simulator', 'openai'))
    await admitted(access)
    models.closeSession(sessionId)
    await expect(access.requests.admit(estimate, never)).rejects.toThrow('closed')
    await expect.poll(() => released).toMatchObject([{ sessionId }])
  })

  it('revokes the old access of a session that changes from a process to the loop', async () => {
    const { models } = connect(unreachable)
    const before = await models.openSession(sessionId, await loadAgent('simulator'), 'ana')
    const after = await inProcess(models, await loopAgent('simulator', 'anthropic'))
    expect((await ask(before)).status).toBe(401)
    await (await admitted(after)).release()
  })

  it.each(['openai', 'azure_openai', 'ollama'] as const)('creates embeddings in place of %s', async (provider) => {
    const { models } = connect(unreachable)
    const settings = { provider, model: 'some-embedder', endpoint: null, apiVersion: null, dimensions: null }
    const access = await models.embeddings({ ...(await loadAgent('simulator')), embedding: settings })
    const path = access.wire === 'openai' ? '' : '/openai/deployments/some-embedder'
    const response = await fetch(`${access.baseUrl}${path}/embeddings?api-version=${access.apiVersion}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'some-embedder', input: ['a text', 'another'] }),
    })
    const { data } = z.looseObject({ data: z.array(z.unknown()) }).parse(await response.json())
    expect(data).toHaveLength(2)
  })

  it('requires the key of the embedding provider', async () => {
    const { models } = connect(unreachable, {
      embeddingRoute: async () => {
        throw new Error('OPENAI_API_KEY is not set')
      },
    })
    await expect(models.embeddings(await loadAgent('provider'))).rejects.toThrow('OPENAI_API_KEY')
  })
})
