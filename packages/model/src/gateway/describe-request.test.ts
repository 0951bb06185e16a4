import { describe, expect, it } from 'vitest'
import { describeRequest } from './describe-request.ts'
import { hello, openSimulated } from './gateway-world.fixture.ts'
import type { ModelRequest } from './model-gateway.ts'

const read = (body: object) => describeRequest(Buffer.from(JSON.stringify(body)))
const user = (content: unknown) => ({ role: 'user', content })
const answer = { role: 'assistant', content: 'yes' }
const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]

describe('what is read from a request', () => {
  it('is about a token for every four characters of its text, without its pictures', () => {
    const short = read({ ...hello, messages: [user('x'.repeat(4000))] })
    expect(short).toMatchObject({ model: 'claude-sonnet-4-6', maxOutputTokens: 1000 })
    expect(short?.inputTokens).toBeGreaterThanOrEqual(1000)
    expect(short?.inputTokens).toBeLessThan(1020)
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(2_000_000) }
    expect(read({ ...hello, messages: [user([{ type: 'image', source }])] })?.inputTokens).toBeLessThan(2000)
    expect(read({ ...hello, system: 'x'.repeat(400), tools: [{ name: 'A' }] })?.inputTokens).toBeGreaterThan(100)
  })

  it('is nothing when the body names no model, and no bound when it names none', () => {
    expect([read({ messages: [] }), describeRequest(Buffer.from('{"model":'))]).toEqual([null, null])
    expect(read({ model: 'm' })).toMatchObject({ model: 'm', maxOutputTokens: 0 })
  })

  it('tells conversations apart, and knows one again when it has grown and its cache markers have moved', () => {
    const first = read({ ...hello, system: 'counter 1', messages: [user(marked('do it'))] })
    const later = [user([{ type: 'text', text: 'do it' }]), answer, user(marked('more'))]
    expect(read({ ...hello, system: 'counter 2', messages: later })?.conversation).toBe(first?.conversation)
    expect(read({ ...hello, messages: [user('do that')] })?.conversation).not.toBe(first?.conversation)
    expect(read({ ...hello, tools: [{ name: 'A' }], messages: [user(marked('do it'))] })?.conversation).not.toBe(
      first?.conversation,
    )
  })
})

it('expects the next request of a conversation to read from the cache what the last one left there', async () => {
  const asked: ModelRequest[] = []
  const { client, clientOf, told } = await openSimulated(
    {},
    {
      authorize: async (request) => {
        asked.push(request)
        return { type: 'go' }
      },
    },
  )
  const text = 'hello '.repeat(2000)
  const opening = { role: 'user' as const, content: [{ type: 'text' as const, text }] }
  const marker = { cache_control: { type: 'ephemeral' as const } }
  const tail = { role: 'user' as const, content: [{ type: 'text' as const, text: 'and more', ...marker }] }
  const first = { ...hello, messages: [{ ...opening, content: [{ type: 'text' as const, text, ...marker }] }] }
  await client.messages.create(first)
  await client.messages.create({ ...hello, messages: [opening, { role: 'assistant', content: 'yes' }, tail] })
  await clientOf('s2').messages.create(first)
  await client.messages.create(hello)
  await client.messages.create(hello)
  const [one, two, other, plain, again] = asked
  expect([one?.cachedInputTokens, other?.cachedInputTokens, plain?.cachedInputTokens]).toEqual([0, 0, 0])
  // No markers, nothing cached, nothing expected.
  expect(again?.cachedInputTokens).toBe(0)
  expect(two?.cachedInputTokens).toBeGreaterThan(2900)
  const counted = told.settled[1]?.usage
  const expected = (two?.inputTokens ?? 0) - (two?.cachedInputTokens ?? 0)
  expect(Math.abs(expected - ((counted?.inputTokens ?? 0) + (counted?.cacheCreationInputTokens ?? 0)))).toBeLessThan(60)
})
