import OpenAI, { APIError, AzureOpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../create-simulator.ts'
import type { FaultInput } from '../faults/fault.ts'
import { script, startSimulator } from '../start-simulator.fixture.ts'

async function start(options: Partial<SimulatorOptions> = {}, maxRetries = 0) {
  const { simulator, url } = await startSimulator(options)
  const client = new OpenAI({ apiKey: 'made-up', baseURL: `${url}/v1`, maxRetries })
  return { simulator, client, url }
}

const hello = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'hello' }] }
const twoCalls = `
steps:
  - then:
      thinking: first I think
      text: then I speak
      tools:
        - { name: look, input: { path: 'ä 🙂' } }
        - { name: count, input: { of: [1, 2] } }
      usage: { input_tokens: 7, output_tokens: 8, cache_read_input_tokens: 9, cache_creation_input_tokens: 10 }
`
const tool = (name: string, parameters: Record<string, unknown> = {}) => ({
  type: 'function' as const,
  function: { name, parameters },
})

describe('the simulator with the official OpenAI client', () => {
  it('answers a plain request and says that it is the simulator', async () => {
    const { client, simulator } = await start()
    const completion = await client.chat.completions.create(hello)
    expect(completion.model).toBe('simulator')
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: expect.stringContaining('I am the local simulator') },
    })
    expect(simulator.served().requests).toMatchObject([
      { wire: 'openai', requestedModel: 'gpt-5', messageId: completion.id, lastUserText: 'hello', status: 200 },
    ])
    expect(simulator.served().usage).toMatchObject({
      inputTokens: completion.usage?.prompt_tokens,
      outputTokens: completion.usage?.completion_tokens,
    })
  })

  it('streams the same answer word by word, with the usage in a separate chunk', async () => {
    const { client } = await start()
    const whole = await client.chat.completions.create(hello)
    const stream = await client.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' })
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
    expect(text).toBe(whole.choices[0]?.message.content)
    expect(chunks.length).toBeGreaterThan(8)
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1)
  })

  it('streams reasoning and parallel tool calls by index, and counts cached and reasoning tokens', async () => {
    const { client } = await start(script(twoCalls))
    const stream = client.chat.completions.stream({ ...hello, stream_options: { include_usage: true } })
    let reasoning = ''
    stream.on('chunk', (chunk) => {
      const delta = chunk.choices[0]?.delta
      if (delta && 'reasoning_content' in delta) reasoning += String(delta.reasoning_content)
    })
    const completion = await stream.finalChatCompletion()
    expect(reasoning).toBe('first I think')
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'then I speak',
        tool_calls: [
          { type: 'function', function: { name: 'look', arguments: '{"path":"ä 🙂"}' } },
          { type: 'function', function: { name: 'count', arguments: '{"of":[1,2]}' } },
        ],
      },
    })
    expect(new Set(completion.choices[0]?.message.tool_calls?.map((call) => call.id)).size).toBe(2)
    expect(completion.usage).toMatchObject({
      prompt_tokens: 26,
      completion_tokens: 8,
      total_tokens: 34,
      prompt_tokens_details: { cached_tokens: 9 },
      completion_tokens_details: { reasoning_tokens: 4 },
    })
  })

  it('reads tool results, and an error by its first word, from one scenario for both APIs', async () => {
    const { client } = await start(
      script(`
steps:
  - when: { tool_result: { name: look, pattern: seven }, text: go }
    then: { text: both came back }
  - when: { tool_result: { name: look, is_error: true } }
    then: { text: it failed }
`),
    )
    const call = (id: string, name: string) => ({ id, type: 'function' as const, function: { name, arguments: '{}' } })
    const results = (first: string) => [
      { role: 'developer' as const, content: 'be brief' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] },
      { role: 'assistant' as const, content: null, tool_calls: [call('a', 'look'), call('b', 'count')] },
      { role: 'tool' as const, tool_call_id: 'a', content: first },
      { role: 'tool' as const, tool_call_id: 'b', content: 'two' },
    ]
    const textReply = async (first: string) =>
      (await client.chat.completions.create({ model: 'gpt-5', messages: results(first) })).choices[0]?.message.content
    expect(await textReply('seven')).toBe('both came back')
    expect(await textReply('Error: no such thing')).toBe('it failed')
    await expect(textReply('three')).rejects.toThrow(/no step of scenario/)
  })

  it("treats a person's pictures as part of the prompt, and pictures after a result as part of it", async () => {
    const { client, simulator } = await start()
    const picture = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } }
    const text = (words: string) => ({ type: 'text' as const, text: words })
    const asked = { role: 'user' as const, content: [picture, text('Describe it')] }
    const seen = await client.chat.completions.create({ model: 'm', messages: [asked] })
    expect(seen.choices[0]?.message.content).toContain('an image (image/png, 3 bytes)')
    const call = { id: 'a', type: 'function' as const, function: { name: 'draw', arguments: '{}' } }
    const answered = await client.chat.completions.create({
      model: 'm',
      messages: [
        { role: 'user', content: 'use draw' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: 'drawn' },
        { role: 'user', content: [text('Pictures from the call a:'), picture] },
      ],
    })
    expect(answered.choices[0]?.message.content).toContain('draw returned')
    expect(simulator.served().requests.at(-1)?.lastUserText).toBe('use draw')
  })

  it('calls the required tool, and none when calls are disabled', async () => {
    const { client } = await start()
    const tools = [tool('a'), tool('b', { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] })]
    const ask = async (tool_choice: OpenAI.ChatCompletionToolChoiceOption) =>
      (await client.chat.completions.create({ ...hello, tools, tool_choice })).choices[0]
    const forced = await ask({ type: 'function', function: { name: 'b' } })
    expect(forced?.message.tool_calls).toMatchObject([{ function: { name: 'b', arguments: '{"n":0}' } }])
    expect((await ask('required'))?.finish_reason).toBe('tool_calls')
    expect((await ask('none'))?.message.content).not.toContain('2 tools')
  })

  it('fills the schema of a response format, and returns some object without a schema', async () => {
    const { client } = await start()
    const schema = {
      type: 'object',
      properties: { summary: { type: 'string' }, score: { type: 'integer', minimum: 1 } },
      required: ['summary', 'score'],
    }
    const strict = await client.chat.completions.create({
      ...hello,
      response_format: { type: 'json_schema', json_schema: { name: 'verdict', schema, strict: true } },
    })
    expect(JSON.parse(strict.choices[0]?.message.content ?? '')).toEqual({
      summary: expect.stringContaining('simulator'),
      score: 1,
    })
    const loose = await client.chat.completions.create({ ...hello, response_format: { type: 'json_object' } })
    expect(JSON.parse(loose.choices[0]?.message.content ?? '')).toEqual({ answer: expect.any(String) })
  })

  it('reasons when an effort is requested', async () => {
    const { client } = await start()
    const quiet = await client.chat.completions.create({ ...hello, reasoning_effort: 'none' })
    expect(quiet.usage?.completion_tokens_details?.reasoning_tokens).toBe(0)
    const thought = await client.chat.completions.create({ ...hello, reasoning_effort: 'high' })
    expect(thought.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(5)
    expect(thought.choices[0]?.message).toMatchObject({ reasoning_content: expect.stringContaining('rule') })
  })

  it('stops at a bound and at a stop word, accepts pictures, and caches a long prompt automatically', async () => {
    const { client } = await start(script('steps: [{ repeat: true, then: { text: "one two STOP three four" } }]'))
    const cut = await client.chat.completions.create({ ...hello, max_completion_tokens: 2 })
    expect(cut.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'one two ' } })
    const stopped = await client.chat.completions.create({ ...hello, stop: 'STOP' })
    expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'one two ' } })
    const url = `data:image/png;base64,${'A'.repeat(100_000)}`
    const picture = { type: 'image_url' as const, image_url: { url } }
    const seen = await client.chat.completions.create({ ...hello, messages: [{ role: 'user', content: [picture] }] })
    expect(seen.usage?.prompt_tokens).toBeLessThan(5000)
    const long = [{ role: 'system' as const, content: 'word '.repeat(3000) }, ...hello.messages]
    const again = [...long, { role: 'assistant' as const, content: 'Hm.' }, ...hello.messages]
    expect((await client.chat.completions.create({ ...hello, messages: long })).usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 0 },
    })
    const second = await client.chat.completions.create({ ...hello, messages: again })
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(3000)
  })

  it('answers without a version and under Azure deployments, and lists itself', async () => {
    const { client, url, simulator } = await start()
    const azure = new AzureOpenAI({ apiKey: 'made-up', endpoint: url, apiVersion: '2025-04-01-preview', maxRetries: 0 })
    expect((await azure.chat.completions.create({ ...hello, model: 'my-gpt' })).model).toBe('simulator')
    const bare = new OpenAI({ apiKey: 'made-up', baseURL: url, maxRetries: 0 })
    await bare.chat.completions.create(hello)
    const unified = new OpenAI({ apiKey: 'made-up', baseURL: `${url}/openai/v1`, maxRetries: 0 })
    await unified.chat.completions.create(hello)
    expect(simulator.served().requests.map((request) => request.requestedModel)).toEqual(['my-gpt', 'gpt-5', 'gpt-5'])
    expect((await client.models.list()).data.map((model) => model.id)).toEqual(['simulator'])
    const versionless = await fetch(`${url}/openai/deployments/my-gpt/chat/completions`, { method: 'POST' })
    expect(versionless.status).toBe(404)
  })

  it('refuses a body that is not a request, in the shape of this API', async () => {
    const { client, url } = await start()
    await expect(client.chat.completions.create({ ...hello, messages: [] })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringContaining('messages'),
    })
    await expect(client.chat.completions.create({ ...hello, n: 2 })).rejects.toThrow(/one answer/)
    const broken = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"model":' })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ error: { type: 'invalid_request_error', param: null } })
  })
})

describe('a fault with the official OpenAI client', () => {
  const failing = async (fault: FaultInput, maxRetries = 0) =>
    start({ faults: [{ fault, on: { first: 1 } }] }, maxRetries)

  it.each([
    [401, 'invalid_api_key', OpenAI.AuthenticationError],
    [404, 'model_not_found', OpenAI.NotFoundError],
    [429, 'rate_limit_exceeded', OpenAI.RateLimitError],
    [503, null, OpenAI.InternalServerError],
  ])('is a documented error for %i, and the next request works', async (status, code, kind) => {
    const { client, simulator } = await failing({ type: 'status', status, retry_after_seconds: 7 })
    const error = await client.chat.completions.create(hello).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(kind)
    if (!(error instanceof APIError)) return
    expect(error).toMatchObject({ status, code, requestID: expect.stringMatching(/^req_/) })
    expect(error.headers?.get('retry-after')).toBe('7')
    await client.chat.completions.create(hello)
    expect(simulator.served().requests.map((request) => request.fault)).toEqual(['status', null])
  })

  it('enforces a rate for both APIs together, and reports the remaining amounts', async () => {
    const rate = { requests: 2, inputTokens: 1000, outputTokens: 1000, windowMs: 60_000 }
    const { client, url } = await start({ rate })
    const first = await client.chat.completions.create(hello).withResponse()
    expect(first.response.headers.get('x-ratelimit-limit-requests')).toBe('2')
    expect(first.response.headers.get('x-ratelimit-remaining-requests')).toBe('1')
    const body = JSON.stringify({ ...hello, max_tokens: 9 })
    const other = await fetch(`${url}/v1/messages`, { method: 'POST', body })
    expect(other.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0')
    const error = await client.chat.completions.create(hello).catch((thrown: unknown) => thrown)
    if (!(error instanceof APIError)) throw new Error('no refusal')
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(30)
    expect(Number(error.headers?.get('retry-after-ms'))).toBeGreaterThan(30_000)
  })

  it('makes the client retry by itself after a 429 with retry-after', async () => {
    const { client, simulator } = await failing({ type: 'status', status: 429, retry_after_seconds: 0 }, 1)
    expect((await client.chat.completions.create(hello)).model).toBe('simulator')
    expect(simulator.served().requests).toHaveLength(2)
  })

  it.each([
    { type: 'reset_mid_stream', after_deltas: 4 },
    { type: 'malformed_sse', after_deltas: 4 },
    { type: 'error_event', after_deltas: 4, message: 'Overloaded' },
  ] as const)('breaks the stream after some deltas: $type', async (fault) => {
    const { client, simulator } = await failing(fault)
    const deltas: string[] = []
    const read = async () => {
      for await (const chunk of await client.chat.completions.create({ ...hello, stream: true })) {
        if (chunk.choices[0]?.delta.content) deltas.push(chunk.choices[0].delta.content)
      }
    }
    await expect(read()).rejects.toThrow()
    expect(deltas).toHaveLength(4)
    expect(simulator.served().requests[0]).toMatchObject({ fault: fault.type, usage: null })
  })

  it('is a connection error when it resets before the headers', async () => {
    const { client } = await failing({ type: 'reset_before_headers' })
    await expect(client.chat.completions.create(hello)).rejects.toBeInstanceOf(OpenAI.APIConnectionError)
  })
})
