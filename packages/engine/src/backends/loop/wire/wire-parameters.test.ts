import { describe, expect, it } from 'vitest'
import type { Entry } from '../conversation/entry.ts'
import { anthropicParameters } from './anthropic-parameters.ts'
import { isClosedSchema } from './closed-schema.ts'
import type { WireRequest } from './model-wire.ts'
import { openaiParameters } from './openai-parameters.ts'

const model = 'claude-sonnet-4-6'
const prompt: Entry = { type: 'prompt', messageId: null, text: 'hi', images: [] }
const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object', properties: {} } })

const request = (change: Partial<WireRequest> = {}): WireRequest => ({
  model,
  system: 'Be brief.',
  tools: [tool('one'), tool('two')],
  entries: [prompt],
  maxTokens: null,
  temperature: null,
  topP: null,
  thinking: null,
  effort: null,
  responseFormat: null,
  ...change,
})

describe('the Messages API', () => {
  it('gets cache marks after the instructions, the tools and the latest message', () => {
    const answer: Entry = { type: 'answer', messageId: 'msg_1', model, parts: [{ type: 'text', text: 'yes' }] }
    const { system, tools, messages } = anthropicParameters(request({ entries: [prompt, answer, prompt] }))
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(system).toMatchObject([mark])
    expect(tools?.[0]).not.toHaveProperty('cache_control')
    expect(tools?.[1]).toMatchObject(mark)
    expect(JSON.stringify(messages.slice(0, 2))).not.toContain('cache_control')
    expect(messages[2]?.content).toMatchObject([mark])
  })

  it('gets a thinking budget within the limit and no parameter that a thinking model refuses', () => {
    const parameters = anthropicParameters(request({ thinking: { budgetTokens: 4096 }, temperature: 0.2, topP: 0.9 }))
    expect(parameters.thinking).toMatchObject({ type: 'enabled', budget_tokens: 4096 })
    expect(parameters.max_tokens).toBeGreaterThan(4096)
    expect(parameters).not.toHaveProperty('temperature')
    const tight = anthropicParameters(request({ thinking: { budgetTokens: 9000 }, maxTokens: 5000 }))
    expect(tight).toMatchObject({ max_tokens: 5000, thinking: { budget_tokens: 3976 } })
    const adaptive = anthropicParameters(request({ model: 'claude-opus-5-5', thinking: { budgetTokens: 4096 } }))
    expect(adaptive.thinking).toMatchObject({ type: 'adaptive' })
  })

  it('gets the settings of the agent file and nothing that is not set', () => {
    const set = anthropicParameters(request({ maxTokens: 100, temperature: 0, topP: 0.5, effort: 'low' }))
    expect(set).toMatchObject({ max_tokens: 100, temperature: 0, top_p: 0.5, output_config: { effort: 'low' } })
    const unset = anthropicParameters(request())
    for (const name of ['temperature', 'top_p', 'thinking', 'output_config']) expect(unset).not.toHaveProperty(name)
  })

  it('gets thinking back unchanged, from the same model only', () => {
    const parts = [
      { type: 'thinking' as const, text: 'hm', signature: 'sig' },
      { type: 'redacted_thinking' as const, data: 'xyz' },
      { type: 'text' as const, text: 'yes' },
    ]
    const entries: Entry[] = [prompt, { type: 'answer', messageId: 'msg_1', model, parts }, prompt]
    expect(anthropicParameters(request({ entries })).messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'yes' },
    ])
    const other = anthropicParameters(request({ entries, model: 'claude-haiku-4-5' }))
    expect(other.messages[1]?.content).toEqual([{ type: 'text', text: 'yes' }])
  })
})

describe('Chat Completions', () => {
  it('get the settings of the agent file under the names that the server knows', () => {
    const set = request({ maxTokens: 100, temperature: 0.3, topP: 0.5, thinking: { budgetTokens: 8000 } })
    const common = { temperature: 0.3, top_p: 0.5, reasoning_effort: 'medium', stream_options: { include_usage: true } }
    expect(openaiParameters(set, 'max_completion_tokens')).toMatchObject({ ...common, max_completion_tokens: 100 })
    expect(openaiParameters(set, 'max_tokens')).toMatchObject({ ...common, max_tokens: 100 })
    const effort = openaiParameters({ ...set, effort: 'high' }, 'max_tokens')
    expect(effort.reasoning_effort).toBe('high')
  })

  it('get a failed result as such, and the images of results after all of them', () => {
    const image = { mediaType: 'image/png', data: 'AA==' } as const
    const call = (id: string) => ({
      type: 'call' as const,
      toolUseId: id,
      toolName: 'one',
      toolInput: {},
      unreadable: null,
    })
    const entries: Entry[] = [
      prompt,
      { type: 'answer', messageId: 'msg_1', model, parts: [call('a'), call('b')] },
      {
        type: 'results',
        results: [
          { toolUseId: 'a', output: 'seen', isError: false, images: [image] },
          { toolUseId: 'b', output: 'blind', isError: true, images: [] },
        ],
      },
    ]
    const { messages } = openaiParameters(request({ entries }), 'max_tokens')
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user'])
    expect(messages[4]).toMatchObject({ tool_call_id: 'b', content: 'Error: blind' })
    expect(JSON.stringify(messages[5])).toContain('data:image/png;base64,AA==')
  })
})

describe('a schema that providers can enforce', () => {
  const closed = (properties: object, required = Object.keys(properties)) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  })

  it.each([
    [closed({ a: { type: 'string' } }), true],
    [closed({ a: { type: 'array', items: closed({ b: { type: 'integer' } }) } }), true],
    [closed({ a: { type: 'string' } }, []), false],
    [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, false],
    [closed({ a: { type: 'string', pattern: '^x' } }), false],
    [closed({ a: { type: 'object', properties: {} } }), false],
  ])('%j: %s', (schema, is) => {
    expect(isClosedSchema(schema)).toBe(is)
  })
})
