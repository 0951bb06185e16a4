// Seven sessions at once with a provider that enforces its limits: they wait in the gateway and get no 429.
import { loadScenario } from '@quarterdeck/simulator'
import { describe, expect, it } from 'vitest'
import { type ProviderLimits, rateTiers } from '../provider-limits.ts'
import { addUsage, noUsage } from '../wire/anthropic/usage.ts'
import { hello, idOf, openSimulated } from './gateway-harness.fixture.ts'

// Tier 1, with the minute scaled to half a second and the numbers to a tenth.
const testLimits: ProviderLimits = {
  requests: rateTiers[1].requests / 10,
  inputTokens: rateTiers[1].inputTokens / 10,
  outputTokens: rateTiers[1].outputTokens / 10,
  windowMs: 500,
}
const sessionIds = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']

const script = (usage: string) => ({
  mode: {
    script: loadScenario(`steps: [{ repeat: true, then: { text: a few words, usage: ${usage} } }]`, 'rate.yaml'),
  },
})

describe.each(['window', 'bucket'] as const)('a provider that counts by a %s', (countedBy) => {
  it.each([
    ['requests', '{ input_tokens: 12, output_tokens: 20 }'],
    ['input tokens', '{ input_tokens: 900, output_tokens: 20 }'],
    ['output tokens', '{ input_tokens: 12, output_tokens: 300 }'],
  ])('gets no more %s than it allows', async (_limit, usage) => {
    const { clientOf, reported, simulator } = await openSimulated(
      { ...script(usage), rate: { ...testLimits, countedBy } },
      { rate: testLimits },
    )
    const prompt = { ...hello, messages: [{ role: 'user' as const, content: 'x'.repeat(3_200) }] }
    const asking = sessionIds.map(async (sessionId) => {
      const client = clientOf(sessionId, { owner: `owner of ${sessionId}` })
      for (let turn = 0; turn < 2; turn += 1) await client.messages.stream(prompt).finalMessage()
    })
    await Promise.all(asking)
    const served = simulator.served()
    expect(served.requests.map((each) => each.status).filter((status) => status !== 200)).toEqual([])
    expect(reported.retrying).toEqual([])
    expect(reported.settled.reduce((sum, row) => addUsage(sum, row.usage), noUsage)).toEqual(served.usage)
    expect(served.requests).toHaveLength(sessionIds.length * 2)
    // Every request that was reported as waiting was reported as gone.
    const last = new Map(reported.waiting.map(({ requestId, queuePosition }) => [requestId, queuePosition]))
    expect(last.size).toBeGreaterThan(0)
    expect([...last.values()].filter((queuePosition) => queuePosition !== null)).toEqual([])
  })
})

it('delays the other requests after a 429 that goes to its client', async () => {
  const { clientOf, reported, simulator } = await openSimulated(
    { faults: [{ fault: { type: 'status', status: 429, retry_after_seconds: 0.2 }, on: { nth: 1 } }] },
    { retry: { maxRetries: 0 } },
  )
  await expect(clientOf('s1').messages.create(hello)).rejects.toMatchObject({ status: 429 })
  await clientOf('s2').messages.create(hello)
  expect(reported.waiting).toMatchObject([
    { sessionId: 's2', queuePosition: { position: 1, waiting: 1 } },
    { sessionId: 's2', queuePosition: null },
  ])
  expect(simulator.served().requests.map((each) => each.status)).toEqual([429, 200])
})

it('retries after a 429 of an unconfigured limit without the client seeing it', async () => {
  const { clientOf, reported, simulator } = await openSimulated({
    ...script('{ input_tokens: 12, output_tokens: 20 }'),
    rate: { ...testLimits, requests: 4 },
  })
  await Promise.all(sessionIds.map((sessionId) => clientOf(sessionId).messages.stream(hello).finalMessage()))
  const refused = simulator.served().requests.filter((each) => each.status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(reported.retrying.length).toBe(refused.length)
  expect(reported.settled).toHaveLength(sessionIds.length)
})

it('removes the requests of a closed session from the queue', async () => {
  const { clientOf, gateway, reported } = await openSimulated(
    {},
    { rate: { ...testLimits, requests: 1, windowMs: 60_000 } },
  )
  await clientOf('s1').messages.create(hello)
  const asking = clientOf('s2').messages.create(hello)
  await expect.poll(() => reported.waiting.map((each) => each.sessionId)).toEqual(['s2'])
  gateway.closeSession(idOf('s2'))
  await expect(asking).rejects.toThrow()
  await expect.poll(() => reported.released.length).toBe(1)
  expect(reported.waiting.map((each) => each.queuePosition)).toEqual([{ position: 1, waiting: 1 }, null])
})
