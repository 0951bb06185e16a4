import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import type { EmbeddingSettings } from '@quarterdeck/protocol'
import { createSimulator } from '@quarterdeck/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EmbeddingAccess } from '../../ports/model-connections.ts'
import { createOpenaiEmbedder } from './openai-embedder.ts'

const key = 'made-up-key'
const { signal } = new AbortController()

function embedderAt(baseUrl: string, change: Partial<EmbeddingSettings> = {}) {
  const settings: EmbeddingSettings = {
    provider: 'openai',
    model: 'text-embedding-3-small',
    endpoint: null,
    apiVersion: null,
    dimensions: null,
    ...change,
  }
  const isAzure = settings.provider === 'azure_openai'
  const access: EmbeddingAccess = {
    wire: isAzure ? 'azure_openai' : 'openai',
    apiKey: key,
    baseUrl: isAzure ? baseUrl : `${baseUrl}/v1`,
    apiVersion: isAzure ? '2025-04-01-preview' : null,
  }
  return createOpenaiEmbedder({ settings, access: async () => access })
}

async function startSimulator() {
  const simulator = createSimulator({ mode: 'demo', paceMs: 0 })
  onTestFinished(() => simulator.close())
  return { simulator, url: (await simulator.listen()).url }
}

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** For responses that the simulator does not produce. */
async function startServer(answer: Answer) {
  let count = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => answer(request, response, ++count))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count }
}

const giveVectors = (response: ServerResponse, ...vectors: number[][]) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ data: vectors.map((embedding, index) => ({ embedding, index })) }))
}

describe('embeddings over the OpenAI wire', () => {
  it('work with OpenAI, Azure and Ollama', async () => {
    const { url, simulator } = await startSimulator()
    for (const provider of ['openai', 'azure_openai', 'ollama'] as const) {
      const [first, second] = await embedderAt(url, { provider, model: `${provider}-model` }).embed(
        ['one', 'two'],
        signal,
      )
      expect(first?.length).toBe(second?.length)
      expect(simulator.served().embeddings.at(-1)).toMatchObject({ model: `${provider}-model`, inputs: ['one', 'two'] })
    }
  })

  it('are requested in batches and returned in order', async () => {
    const { url, simulator } = await startSimulator()
    const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`)
    const vectors = await embedderAt(url).embed(texts, signal)
    expect(simulator.served().embeddings.map(({ inputs }) => inputs?.length)).toEqual([64, 64, 22])
    const [alone] = await embedderAt(url).embed(['text 149'], signal)
    expect(vectors[149]).toEqual(alone)
  })

  it('have the requested length', async () => {
    const { url } = await startSimulator()
    const [vector] = await embedderAt(url, { dimensions: 256 }).embed(['x'], signal)
    expect(vector).toHaveLength(256)
  })

  it('are requested again after the provider’s delay', async () => {
    const { url, count } = await startServer((_request, response, number) => {
      if (number > 1) return giveVectors(response, [1, 0])
      response.writeHead(429, { 'retry-after-ms': '10' }).end('{}')
    })
    expect(await embedderAt(url).embed(['x'], signal)).toEqual([new Float32Array([1, 0])])
    expect(count()).toBe(2)
  })

  it('are refused if one has another length, is empty, or is missing', async () => {
    const answers: [number[][], string][] = [
      [[[1, 0], [1]], 'returned a vector of 1 instead of 2 numbers'],
      [
        [
          [1, 0],
          [0, 0],
        ],
        'empty vector',
      ],
      [[[1, 0]], 'returned 1 vectors for 2 texts'],
    ]
    for (const [vectors, message] of answers) {
      const { url } = await startServer((_request, response) => giveVectors(response, ...vectors))
      await expect(embedderAt(url).embed(['a', 'b'], signal)).rejects.toMatchObject({
        code: 'tool.unavailable',
        message: expect.stringContaining(message),
      })
    }
  })

  it('are refused if the model cannot be shortened to the requested length', async () => {
    const { url } = await startServer((_request, response) => giveVectors(response, [1, 0, 0]))
    await expect(embedderAt(url, { dimensions: 2 }).embed(['a'], signal)).rejects.toThrow('set embedding_dimensions')
  })

  it('fail with a remedy and never show the key', async () => {
    const refusing = (status: number) =>
      startServer((_request, response) => {
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message: `bad key ${key}` } }))
      })
    const refusals: [number, Partial<EmbeddingSettings>, string][] = [
      [401, {}, '401: the key is refused'],
      [404, { provider: 'ollama', model: 'nomic-embed-text' }, 'ollama pull nomic-embed-text'],
      [404, {}, 'no such model or deployment'],
      [400, {}, '400: 400 bad key [redacted]'],
    ]
    for (const [status, change, message] of refusals) {
      const failure = await embedderAt((await refusing(status)).url, change)
        .embed(['a'], signal)
        .catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'tool.unavailable', message: expect.stringContaining(message) })
      expect(JSON.stringify(failure) + String(failure)).not.toContain(key)
    }
  })

  it.each(['openai', 'azure_openai'] as const)('do not follow a redirect of %s', async (provider) => {
    const elsewhere = await startServer((_request, response) => giveVectors(response, [1, 0]))
    const { url, count } = await startServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/v1/embeddings` }).end()
    })
    await expect(embedderAt(url, { provider }).embed(['a'], signal)).rejects.toMatchObject({
      code: 'tool.unavailable',
      message: expect.stringContaining(`it redirects to ${new URL(elsewhere.url).host}`),
    })
    expect([count(), elsewhere.count()]).toEqual([1, 0])
  })

  it.each([
    ['a page', 'text/html', '<html>hello</html>', 'returned something other than vectors'],
    ['another object', 'application/json', '{"vectors":[[1]]}', 'returned something other than vectors'],
    ['nothing', 'application/json', 'null', 'returned something other than vectors'],
    ['half an answer', 'application/json', `{"data": "${key}`, 'returned an answer that cannot be parsed'],
    ['null in a vector', 'application/json', '{"data":[{"index":0,"embedding":[1,null]}]}', 'vectors of numbers'],
    ['text in a vector', 'application/json', '{"data":[{"index":0,"embedding":["1"]}]}', 'vectors of numbers'],
  ])('fail with a message if the provider returns %s', async (...[, type, body, message]) => {
    const { url } = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    const failure = await embedderAt(url)
      .embed(['a'], signal)
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'tool.unavailable', message: expect.stringContaining(message) })
    expect(inspect(failure)).not.toContain(key)
  })

  it('never show part of a key', async () => {
    const { url } = await startServer((_request, response) => {
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: `${'x'.repeat(290)} ${key}` } }))
    })
    const failure = await embedderAt(url)
      .embed(['a'], signal)
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ message: expect.stringContaining('xxx') })
    expect(inspect(failure)).not.toContain(key.slice(0, 3))
  })

  it('use the current key', async () => {
    const keys: unknown[] = []
    const { url } = await startServer((request, response) => {
      keys.push(request.headers.authorization)
      giveVectors(response, [1, 0])
    })
    let apiKey = 'first-made-up'
    const embedder = createOpenaiEmbedder({
      settings: { provider: 'openai', model: 'any', endpoint: null, apiVersion: null, dimensions: null },
      access: async () => ({ wire: 'openai', baseUrl: `${url}/v1`, apiKey, apiVersion: null }),
    })
    await embedder.embed(['x'], signal)
    apiKey = 'second-made-up'
    await embedder.embed(['x'], signal)
    expect(keys).toEqual(['Bearer first-made-up', 'Bearer second-made-up'])
  })

  it('are cancelled with the search', async () => {
    const leaving = new AbortController()
    const { url } = await startServer(() => leaving.abort())
    await expect(embedderAt(url).embed(['a'], leaving.signal)).rejects.toThrow()
  })
})
