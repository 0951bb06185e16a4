import type { ModelRequest } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { hello, idOf, openGateway, openSimulated, openUpstream } from '../gateway-harness.fixture.ts'
import { describeRequest } from './describe-request.ts'

const read = (body: object) => describeRequest(Buffer.from(JSON.stringify(body)))
const user = (content: unknown) => ({ role: 'user', content })
const answer = { role: 'assistant', content: 'yes' }
const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]

describe('describeRequest', () => {
  it('estimates one token for every four characters of text, without pictures', () => {
    const short = read({ ...hello, messages: [user('x'.repeat(4000))] })
    expect(short).toMatchObject({ model: 'claude-sonnet-4-6', maxOutputTokens: 1000 })
    expect(short?.inputTokens).toBeGreaterThanOrEqual(1000)
    expect(short?.inputTokens).toBeLessThan(1020)
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(2_000_000) }
    expect(read({ ...hello, messages: [user([{ type: 'image', source }])] })?.inputTokens).toBeLessThan(2000)
    expect(read({ ...hello, system: 'x'.repeat(400), tools: [{ name: 'A' }] })?.inputTokens).toBeGreaterThan(100)
  })

  it('returns null for a body without a model, and no output bound without max_tokens', () => {
    expect([read({ messages: [] }), describeRequest(Buffer.from('{"model":'))]).toEqual([null, null])
    expect(read({ model: 'm' })).toMatchObject({ model: 'm', maxOutputTokens: 0 })
  })

  it('distinguishes conversations, and recognizes one that has grown and whose cache markers have moved', () => {
    const first = read({ ...hello, system: 'counter 1', messages: [user(marked('do it'))] })
    const later = [user([{ type: 'text', text: 'do it' }]), answer, user(marked('more'))]
    expect(read({ ...hello, system: 'counter 2', messages: later })?.conversation).toBe(first?.conversation)
    expect(read({ ...hello, messages: [user('do that')] })?.conversation).not.toBe(first?.conversation)
    expect(read({ ...hello, tools: [{ name: 'A' }], messages: [user(marked('do it'))] })?.conversation).not.toBe(
      first?.conversation,
    )
  })
})

it('expects the next request of a conversation to read the last one from the cache', async () => {
  const asked: ModelRequest[] = []
  const { client, clientOf, reported } = await openSimulated(
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
  // Without markers nothing is cached and nothing expected.
  expect(again?.cachedInputTokens).toBe(0)
  expect(two?.cachedInputTokens).toBeGreaterThan(2900)
  const counted = reported.settled[1]?.usage
  const expected = (two?.inputTokens ?? 0) - (two?.cachedInputTokens ?? 0)
  expect(Math.abs(expected - ((counted?.inputTokens ?? 0) + (counted?.cacheCreationInputTokens ?? 0)))).toBeLessThan(60)
})

it.each(['the input of a call', 'the words of the first message', 'the name of a tool'])(
  'forwards a request that is nested 20,000 levels deep in %s unchanged, and its answer',
  async (field) => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const at = (name: string, usual: string) => (field === name ? deep : usual)
    const call = `{"type":"tool_use","id":"t1","name":"f","input":{"a":${at('the input of a call', '[]')}}}`
    const first = `{"role":"user","content":[{"type":"text","text":${at('the words of the first message', '"go"')}}]}`
    const tool = `{"name":${at('the name of a tool', '"f"')},"input_schema":{}}`
    const body = `{"model":"m","max_tokens":9,"tools":[${tool}],"messages":[${first},{"role":"assistant","content":[${call}]}]}`
    const answer = `{"id":"msg_1","model":"m","content":[{"type":"tool_use","input":${deep}}],"usage":{"input_tokens":7}}`
    const received: string[] = []
    const url = await openUpstream(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      received.push(Buffer.concat(chunks).toString())
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(answer)
    })
    const { gateway, reported } = await openGateway(url)
    const { baseUrl, token } = gateway.openSession(idOf('s1'))
    const headers = { 'x-api-key': token, 'content-type': 'application/json' }
    const reply = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body })
    expect([reply.status, await reply.text()]).toEqual([200, answer])
    expect(received).toEqual([body])
    expect(reported.settled).toMatchObject([{ messageId: 'msg_1', usage: { inputTokens: 7 } }])
    expect(reported.settled[0]?.usage.outputTokens).toBeGreaterThan(9_000)
  },
)
