import Anthropic from '@anthropic-ai/sdk'
import type { ProviderLimits } from '@quarterdeck/model'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSimulator } from '../create-simulator.ts'
import { createRateLimiter } from './rate-limiter.ts'

const testLimits: ProviderLimits = { requests: 2, inputTokens: 1000, outputTokens: 100, windowMs: 60_000 }
const modelInfo = 'claude-sonnet-4-6'

describe.each(['window', 'bucket'] as const)('limits counted by a %s', (countedBy) => {
  function open() {
    let time = 0
    const limiter = createRateLimiter({ ...testLimits, countedBy }, () => time)
    const pass = (ms: number) => {
      time += ms
    }
    return { enter: (input = 1, model = modelInfo) => limiter.enter(model, input), pass }
  }

  it('refuse one request too many, and name the time until the next', () => {
    const { enter, pass } = open()
    expect([enter().type, enter().type]).toEqual(['entered', 'entered'])
    const refused = enter()
    const waitMs = countedBy === 'window' ? 60_000 : 30_000
    expect(refused).toEqual({ type: 'refused', waitMs })
    expect(enter(1, 'claude-haiku-4-5').type).toBe('entered')
    pass(waitMs - 1)
    expect(enter().type).toBe('refused')
    pass(1)
    expect(enter().type).toBe('entered')
  })

  it('refuse input beyond the limit, by actual use', () => {
    const { enter, pass } = open()
    const first = enter(900)
    expect(enter(200).type).toBe('refused')
    if (first.type === 'entered') first.countInput(100)
    expect(enter(200).type).toBe('entered')
    pass(120_000)
    expect(enter(5000).type).toBe('entered')
  })

  it('refuse the next answer after answers that were too long', () => {
    const { enter, pass } = open()
    const first = enter()
    if (first.type === 'entered') first.countOutput(150)
    expect(enter().type).toBe('refused')
    pass(60_000)
    expect(enter().type).toBe('entered')
  })
})

it('answers 429 in the shape of the API, uses up no step and logs it', async () => {
  const simulator = createSimulator({
    mode: 'demo',
    paceMs: 0,
    rate: { ...testLimits, requests: 1, outputTokens: 9000 },
  })
  onTestFinished(simulator.close)
  const { url } = await simulator.listen()
  const client = new Anthropic({ apiKey: 'made-up', baseURL: url, maxRetries: 0 })
  const hello = { model: modelInfo, max_tokens: 100, messages: [{ role: 'user' as const, content: 'hello' }] }
  await client.messages.create(hello)
  const error = await client.messages.create(hello).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Anthropic.RateLimitError)
  expect(error).toMatchObject({ error: { type: 'error', error: { type: 'rate_limit_error' } } })
  expect(error instanceof Anthropic.APIError && Number(error.headers?.get('retry-after'))).toBeGreaterThan(50)
  const { requests, usage } = simulator.served()
  expect(requests.map((each) => [each.status, each.fault, each.answeredBy])).toEqual([
    [200, null, 'small-talk'],
    [429, 'rate_limit', null],
  ])
  expect(usage).toEqual(requests[0]?.usage)
})
