import OpenAI, { AzureOpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../create-simulator.ts'
import { startSimulator } from '../start-simulator.fixture.ts'
import { embedText } from './serve-embeddings.ts'

async function start(options: Partial<SimulatorOptions> = {}) {
  const { simulator, url } = await startSimulator(options)
  const client = new OpenAI({ apiKey: 'made-up', baseURL: `${url}/v1`, maxRetries: 0 })
  return { simulator, client, url }
}

const model = 'text-embedding-3-small'
const likeness = (left: ArrayLike<number>, right: ArrayLike<number>) =>
  Array.from(left).reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)

describe('embeddings with the official OpenAI client', () => {
  it('have length one, are repeatable, and are near for texts that share words', () => {
    const refund = embedText('How do I get a refund for my order?', 1536)
    expect(likeness(refund, refund)).toBeCloseTo(1, 5)
    expect(embedText('How do I get a refund for my order?', 1536)).toEqual(refund)
    const policy = embedText('Refunds: orders are refunded within 14 days of purchase.', 1536)
    const weather = embedText('The weather in the mountains changes quickly.', 1536)
    expect(likeness(refund, policy)).toBeGreaterThan(0.3)
    expect(likeness(refund, weather)).toBeLessThan(0.1)
  })

  it('work for many texts at once, in both encodings, with the requested size', async () => {
    const { client, simulator } = await start()
    const input = ['first', 'second']
    const encoded = await client.embeddings.create({ model, input })
    const plain = await client.embeddings.create({ model, input, encoding_format: 'float' })
    expect(encoded.data.map(({ index }) => index)).toEqual([0, 1])
    expect(encoded.data[1]?.embedding).toHaveLength(1536)
    for (const [at, { embedding }] of encoded.data.entries()) {
      expect(likeness(embedding, plain.data[at]?.embedding ?? [])).toBeCloseTo(1, 5)
    }
    expect(encoded.usage.total_tokens).toBeGreaterThan(1)
    const small = await client.embeddings.create({ model, input: 'first', dimensions: 256 })
    expect(small.data[0]?.embedding).toHaveLength(256)
    const large = await client.embeddings.create({ model: 'text-embedding-3-large', input: [1, 2, 3] })
    expect(large.data[0]?.embedding).toHaveLength(3072)
    expect(simulator.served().embeddings).toMatchObject([{ inputs: input }, {}, { dimensions: 256 }, {}])
    expect(simulator.served().requests).toEqual([])
  })

  it('work under an Azure deployment, whose name replaces the model', async () => {
    const { url, simulator } = await start()
    const azure = new AzureOpenAI({ apiKey: 'made-up', endpoint: url, apiVersion: '2025-04-01-preview', maxRetries: 0 })
    expect((await azure.embeddings.create({ model: 'my-embedder', input: 'x' })).model).toBe('my-embedder')
    expect(simulator.served().embeddings).toMatchObject([{ model: 'my-embedder' }])
  })

  it.each([
    ['an empty text', { input: '' }],
    ['no text', { input: [] }],
    ['too many', { input: Array.from({ length: 2049 }, () => 'x') }],
    ['one that is too long', { input: ['word '.repeat(10_000)] }],
    ['more than one request may hold', { input: Array.from({ length: 50 }, () => 'word '.repeat(6_000)) }],
    ['a size nobody has', { input: 'x', dimensions: 9000 }],
  ])('are refused for %s', async (_, wrong) => {
    const { client } = await start()
    await expect(client.embeddings.create({ model, ...wrong })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
    })
  })

  it('fail on a scheduled fault, without affecting messages', async () => {
    const fault = { type: 'status' as const, status: 429, retry_after_seconds: 0 }
    const { client } = await start({ faults: [{ fault, on: { first: 1 }, of: 'embeddings' }] })
    await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hello' }] })
    await expect(client.embeddings.create({ model, input: 'x' })).rejects.toMatchObject({ status: 429 })
    await client.embeddings.create({ model, input: 'x' })
  })
})
