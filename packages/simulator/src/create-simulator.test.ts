import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from './create-simulator.ts'
import type { FaultInput } from './faults/fault.ts'
import { script, startSimulator } from './start-simulator.fixture.ts'

async function start(options: Partial<SimulatorOptions> = {}, maxRetries = 0) {
  const { simulator, url } = await startSimulator(options)
  const client = new Anthropic({ apiKey: 'made-up', baseURL: url, maxRetries })
  return { simulator, client, url }
}

const hello = { model: 'claude-sonnet-4-6', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'hello' }] }

describe('the simulator with the official client', () => {
  it('answers a plain request and says that it is the simulator', async () => {
    const { client, simulator } = await start()
    const message = await client.messages.create(hello)
    expect(message.model).toBe('simulator')
    expect(message.stop_reason).toBe('end_turn')
    expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('local simulator') })
    expect(simulator.served().usage.inputTokens).toBe(message.usage.input_tokens)
    expect(simulator.served().usage.outputTokens).toBe(message.usage.output_tokens)
  })

  it('streams the same message word by word', async () => {
    const { client } = await start()
    const whole = await client.messages.create(hello)
    const deltas: string[] = []
    const stream = client.messages.stream(hello).on('text', (delta) => deltas.push(delta))
    const streamed = await stream.finalMessage()
    expect(streamed.content).toEqual(whole.content)
    expect(streamed.usage).toMatchObject(whole.usage)
    expect(deltas.length).toBeGreaterThan(5)
    expect([{ type: 'text', text: deltas.join('') }]).toEqual(whole.content)
  })

  it('streams thinking with its signature, parallel tool calls and stop reason', async () => {
    const { client } = await start(
      script(`
steps:
  - then:
      thinking: first I think
      text: then I speak
      tools:
        - { name: Bash, input: { command: 'echo "ä 🙂"' } }
        - { name: Read, input: { file_path: /a/b } }
      usage: { input_tokens: 7, output_tokens: 8, cache_read_input_tokens: 9, cache_creation_input_tokens: 10 }
`),
    )
    const message = await client.messages.stream(hello).finalMessage()
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'first I think', signature: expect.stringMatching(/.{20}/) },
      { type: 'text', text: 'then I speak' },
      { type: 'tool_use', name: 'Bash', input: { command: 'echo "ä 🙂"' } },
      { type: 'tool_use', name: 'Read', input: { file_path: '/a/b' } },
    ])
    expect(message.stop_reason).toBe('tool_use')
    expect(message.usage).toMatchObject({
      input_tokens: 7,
      output_tokens: 8,
      cache_read_input_tokens: 9,
      cache_creation_input_tokens: 10,
    })
  })

  it('thinks in demo mode when the request asks for it, and hides the text on request', async () => {
    const { client } = await start()
    const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
    const shown = await client.messages.create({ ...hello, max_tokens: 4000, thinking })
    expect(shown.content[0]).toMatchObject({ type: 'thinking', thinking: expect.stringContaining('rule') })
    const hidden = await client.messages.create({
      ...hello,
      max_tokens: 4000,
      thinking: { ...thinking, display: 'omitted' },
    })
    expect(hidden.content[0]).toMatchObject({ type: 'thinking', thinking: '' })
  })

  it('stops at max_tokens and at a stop sequence', async () => {
    const { client } = await start(script('steps: [{ repeat: true, then: { text: "one two STOP three four" } }]'))
    expect(await client.messages.create({ ...hello, max_tokens: 2 })).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ text: 'one two ' }],
    })
    expect(await client.messages.create({ ...hello, stop_sequences: ['STOP'] })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'STOP',
      content: [{ text: 'one two ' }],
    })
  })

  it('answers a JSON output format with JSON that matches the schema', async () => {
    const { client } = await start()
    const schema = {
      type: 'object',
      properties: { summary: { type: 'string' }, score: { type: 'integer', minimum: 1 } },
      required: ['summary', 'score'],
    }
    const message = await client.messages.create({
      ...hello,
      output_config: { format: { type: 'json_schema', schema } },
    })
    const block = message.content[0]
    expect(JSON.parse(block?.type === 'text' ? block.text : '')).toEqual({
      summary: expect.stringContaining('simulator'),
      score: 1,
    })
  })

  it('counts tokens as it charges them, and lists itself as the model', async () => {
    const { client } = await start()
    const { max_tokens: _, ...prompt } = hello
    const counted = await client.messages.countTokens(prompt)
    const message = await client.messages.create(hello)
    expect(counted.input_tokens).toBe(message.usage.input_tokens)
    expect((await client.models.list()).data.map((model) => model.id)).toEqual(['simulator'])
  })

  it('reads the previous request from the cache', async () => {
    const { client } = await start()
    const system = [
      { type: 'text' as const, text: 'word '.repeat(3000), cache_control: { type: 'ephemeral' as const } },
    ]
    const first = await client.messages.create({ ...hello, system })
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(3000)
    expect(first.usage.cache_read_input_tokens).toBe(0)
    const messages = [
      ...hello.messages,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: 'thanks' },
    ]
    const second = await client.messages.create({ ...hello, system, messages })
    expect(second.usage.cache_read_input_tokens).toBeGreaterThan(3000)
    expect(second.usage.cache_creation_input_tokens).toBeLessThan(300)
  })

  it('refuses a body that is not a request in the documented shape', async () => {
    const { client, url } = await start()
    const wrong = { ...hello, messages: [] }
    await expect(client.messages.create(wrong)).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining('messages') } },
    })
    const broken = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{"model":' })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ type: 'error', request_id: expect.stringMatching(/^req_/) })
    expect((await fetch(`${url}/v1/elsewhere`)).status).toBe(404)
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
  })

  it('sends the first word at once, regardless of the pace of the others', async () => {
    const { client } = await start({ paceMs: 3_600_000 })
    const words: string[] = []
    for await (const event of await client.messages.create({ ...hello, stream: true })) {
      if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue
      words.push(event.delta.text)
      break
    }
    expect(words).toEqual(['Hello!'])
  })

  it('keeps every event of a thousand concurrent streams', async () => {
    const words = Array.from({ length: 20 }, (_, index) => `word${index}`).join(' ')
    const { url, simulator } = await start({
      ...script(`steps: [{ repeat: true, then: { text: ${words} } }]`),
      paceMs: 5,
    })
    const body = JSON.stringify({ ...hello, stream: true })
    const read = async () => (await fetch(`${url}/v1/messages`, { method: 'POST', body })).text()
    const answers = await Promise.all(Array.from({ length: 1000 }, read))
    const whole = answers.filter((text) => text.match(/text_delta/g)?.length === 20 && text.includes('message_stop'))
    expect(whole).toHaveLength(1000)
    expect(simulator.served().requests).toHaveLength(1000)
  })
})

describe('a fault with the official client', () => {
  const failing = async (fault: FaultInput, maxRetries = 0) =>
    start({ faults: [{ fault, on: { first: 1 } }] }, maxRetries)

  it.each([
    [401, 'authentication_error', Anthropic.AuthenticationError],
    [429, 'rate_limit_error', Anthropic.RateLimitError],
    [500, 'api_error', Anthropic.InternalServerError],
    [529, 'overloaded_error', Anthropic.InternalServerError],
  ])('is a documented error for %i, and the next request works', async (status, type, kind) => {
    const { client, simulator } = await failing({ type: 'status', status, retry_after_seconds: 7 })
    const error = await client.messages.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(kind)
    if (!(error instanceof APIError)) return
    expect(error.status).toBe(status)
    expect(error.error).toMatchObject({ type: 'error', error: { type } })
    expect(error.requestID).toMatch(/^req_/)
    expect(error.headers?.get('retry-after')).toBe('7')
    await client.messages.create(hello)
    expect(simulator.served().requests.map((request) => request.fault)).toEqual(['status', null])
  })

  it('makes the client retry by itself after a 429 with retry-after', async () => {
    const { client, simulator } = await failing({ type: 'status', status: 429, retry_after_seconds: 0 }, 1)
    expect((await client.messages.create(hello)).model).toBe('simulator')
    expect(simulator.served().requests).toHaveLength(2)
  })

  it('is a connection error when it resets before the headers', async () => {
    const { client } = await failing({ type: 'reset_before_headers' })
    await expect(client.messages.create(hello)).rejects.toBeInstanceOf(Anthropic.APIConnectionError)
  })

  it.each([
    { type: 'reset_mid_stream', after_deltas: 4 },
    { type: 'malformed_sse', after_deltas: 4 },
  ] as const)('breaks the stream after some deltas: $type', async (fault) => {
    const { client, simulator } = await failing(fault)
    const deltas: string[] = []
    const stream = client.messages.stream(hello).on('text', (delta) => deltas.push(delta))
    await expect(stream.finalMessage()).rejects.toThrow()
    expect(deltas).toHaveLength(4)
    expect(simulator.served().usage.outputTokens).toBe(1)
  })

  it('sends an error event in the middle of a stream', async () => {
    const { client } = await failing({ type: 'error_event', after_deltas: 2 })
    await expect(client.messages.stream(hello).finalMessage()).rejects.toThrow(/overloaded_error/)
  })

  it('breaks a whole answer too', async () => {
    const { client } = await failing({ type: 'reset_mid_stream' })
    await expect(client.messages.create(hello)).rejects.toThrow()
  })

  it('stalls until the client gives up', async () => {
    const { client, simulator } = await failing({ type: 'stall', after_deltas: 2 })
    const stream = client.messages.stream(hello)
    const deltas: string[] = []
    stream.on('text', (delta) => {
      deltas.push(delta)
      if (deltas.length === 2) setTimeout(() => stream.abort(), 100)
    })
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
    expect(deltas).toHaveLength(2)
    expect(simulator.served().requests[0]?.fault).toBe('stall')
  })

  it('delays the first byte', async () => {
    const { client } = await failing({ type: 'slow_first_byte', delay_ms: 150 })
    const began = performance.now()
    await client.messages.create(hello)
    expect(performance.now() - began).toBeGreaterThan(140)
  })

  it('makes a tool input too long', async () => {
    const { client } = await failing({ type: 'overlong_tool_input', bytes: 300_000 })
    const message = await client.messages.stream({ ...hello, max_tokens: 200_000 }).finalMessage()
    const call = message.content.find((block) => block.type === 'tool_use')
    expect(JSON.stringify(call?.input).length).toBeGreaterThan(300_000)
  })

  it('occurs only on the nth request, or from a step of a scenario', async () => {
    const nth = await start({ faults: [{ fault: { type: 'status', status: 500 }, on: { nth: 2 } }] })
    await nth.client.messages.create(hello)
    await expect(nth.client.messages.create(hello)).rejects.toMatchObject({ status: 500 })
    await nth.client.messages.create(hello)
    await nth.simulator.close()
    const step = await start(
      script('steps: [{ then: { fault: { type: status, status: 529 } } }, { then: { text: recovered } }]'),
    )
    await expect(step.client.messages.create(hello)).rejects.toMatchObject({ status: 529 })
    expect((await step.client.messages.create(hello)).content).toMatchObject([{ text: 'recovered' }])
  })
})
