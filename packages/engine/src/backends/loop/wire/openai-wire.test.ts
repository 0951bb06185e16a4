// Answers of servers that are almost compatible with OpenAI, through the official client.
import { createServer, type Server } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import type { WireRequest } from './model-wire.ts'
import { createOpenaiWire } from './openai-wire.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const request: WireRequest = {
  model: 'llama3',
  system: '',
  tools: [],
  maxTokens: null,
  temperature: null,
  topP: null,
  thinking: null,
  effort: null,
  responseFormat: null,
  entries: [{ type: 'prompt', messageId: null, text: 'hi', images: [] }],
}

interface Asked {
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
}

const ask = (deltas: readonly object[], wire: 'openai' | 'azure_openai' = 'openai') =>
  listenTo(
    deltas.map((delta) => JSON.stringify({ id: 'chatcmpl-1', model: 'm', ...delta })),
    wire,
  )

/** Arguments as written here: too deep to be serialized. */
const askRaw = (args: string) => {
  const call = `{"index":0,"id":"call_a","function":{"name":"one","arguments":${args}}}`
  return listenTo([`{"choices":[{"index":0,"delta":{"tool_calls":[${call}]},"finish_reason":"stop"}]}`], 'openai')
}

async function listenTo(chunks: readonly string[], wire: 'openai' | 'azure_openai') {
  const asked: Asked[] = []
  const server = createServer((incoming, outgoing) => {
    asked.push({ url: incoming.url, headers: incoming.headers })
    incoming.resume().once('end', () => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const chunk of chunks) outgoing.write(`data: ${chunk}\n\n`)
      outgoing.end('data: [DONE]\n\n')
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const access = { wire, baseUrl, apiKey: 'made-up', apiVersion: '2024-10-21', maxTokensName: 'max_tokens' } as const
  const ids: string[] = []
  const answer = await createOpenaiWire(access).ask(request, {
    signal: new AbortController().signal,
    alive: () => undefined,
    begun: ({ messageId }) => void ids.push(messageId),
    streamed: () => null,
    wrote: () => undefined,
  })
  return { ids, asked, answer }
}

const choice = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
})
const call = (id: string, name: string, args: string) => ({
  index: 0,
  id,
  type: 'function',
  function: { name, arguments: args },
})

it('separates parallel calls that all have the same index', async () => {
  const { answer } = await ask([
    choice({ tool_calls: [call('call_a', 'one', '{"x":1}')] }),
    choice({ tool_calls: [call('call_b', 'two', '{"y":2}')] }, 'stop'),
  ])
  expect(answer.stopReason).toBe('calls')
  expect(answer.parts).toMatchObject([
    { toolUseId: 'call_a', toolName: 'one', toolInput: { x: 1 } },
    { toolUseId: 'call_b', toolName: 'two', toolInput: { y: 2 } },
  ])
})

it('joins argument fragments and keeps invalid JSON for the error message', async () => {
  const piece = (args: string) => choice({ tool_calls: [{ index: 0, function: { arguments: args } }] })
  const { answer } = await ask([
    choice({ tool_calls: [call('call_a', 'one', '{"x"')] }),
    piece(':[1,'),
    piece('2]}'),
    choice({ tool_calls: [{ ...call('call_b', 'two', '{"y": oops'), index: 1 }] }, 'tool_calls'),
  ])
  expect(answer.parts).toMatchObject([
    { toolInput: { x: [1, 2] }, unreadable: null },
    { toolInput: {}, unreadable: '{"y": oops' },
  ])
})

it.each(['reasoning', 'reasoning_content'])('reads thinking from %s', async (field) => {
  const { answer } = await ask([choice({ [field]: 'hm' }), choice({ content: 'yes' }, 'stop')])
  expect(answer.parts).toEqual([
    { type: 'thinking', text: 'hm', signature: '' },
    { type: 'text', text: 'yes' },
  ])
})

it('subtracts cached tokens from the prompt and estimates missing counts', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } }
  const reported = await ask([choice({ content: 'yes' }, 'stop'), { choices: [], usage }])
  expect(reported.answer.tokens).toEqual({ input: 40, output: 5, cacheRead: 60, cacheWrite: 0 })
  const unreported = await ask([choice({ content: 'yes, of course' }, 'stop')])
  expect(unreported.answer.tokens).toMatchObject({ output: 4, isOutputEstimated: true })
})

it('gives every answer a unique id, whatever the server sends', async () => {
  const answers = await Promise.all([1, 2].map(() => ask([choice({ content: 'a' }, 'stop')])))
  expect(new Set(answers.flatMap(({ ids }) => ids)).size).toBe(2)
})

it('recognizes a refusal by its text and by its finish reason', async () => {
  const reported = await ask([choice({ refusal: 'I will ' }), choice({ refusal: 'not' }, 'stop')])
  expect(reported.answer).toMatchObject({ stopReason: 'refusal', refusal: 'I will not' })
  const filtered = await ask([choice({ content: 'half' }, 'content_filter')])
  expect(filtered.answer.stopReason).toBe('refusal')
})

it('accepts arguments that are not serialized as text', async () => {
  const whole = { index: 0, id: 'call_a', function: { name: 'one', arguments: { x: 1 } } }
  const { answer } = await ask([choice({ tool_calls: [whole] }, 'tool_calls')])
  expect(answer.parts).toMatchObject([{ toolInput: { x: 1 }, unreadable: null }])
})

it.each([
  [50, { unreadable: null }],
  [1000, { toolInput: {}, unreadable: expect.stringContaining('nested more than 100 levels deep') }],
])('accepts arguments that are not serialized and nested %i levels deep', async (depth, part) => {
  const { answer } = await askRaw(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  expect(answer.parts).toMatchObject([part])
})

it('survives arguments that cannot be serialized', async () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  await expect(askRaw(deep)).rejects.toMatchObject({
    message: expect.stringMatching(/^the provider sent arguments that are nested too deeply: check/),
    facts: { isRetryable: false },
  })
})

it('fails if the answer ends before it is complete', async () => {
  await expect(ask([choice({ content: 'half a' })])).rejects.toMatchObject({ facts: { isRetryable: true } })
})

it('finds an Azure deployment by the model, with Azure’s version parameter and key header', async () => {
  const { asked } = await ask([choice({ content: 'yes' }, 'stop')], 'azure_openai')
  expect(asked[0]?.url).toBe('/openai/deployments/llama3/chat/completions?api-version=2024-10-21')
  expect(asked[0]?.headers['api-key']).toBe('made-up')
})
