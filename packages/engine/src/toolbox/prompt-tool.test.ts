import type { PromptTool } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { Completion } from '../ports/host-toolbox.ts'
import { fillTemplate } from './prompt-tool.ts'
import { openToolboxHarness, type ToolboxHarnessOptions } from './testing/toolbox-harness.fixture.ts'

const tool: PromptTool = {
  type: 'prompt',
  name: 'shorten',
  description: 'shortens',
  isCritical: false,
  template: 'Shorten to {{words}} words: {{ text }}',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' }, words: { type: 'integer' } },
    required: ['text', 'words'],
  },
  model: null,
  maxTokens: 100,
  temperature: 0,
}
const name = 'mcp__tools__shorten'

const open = (complete: NonNullable<ToolboxHarnessOptions['complete']>, change: Partial<PromptTool> = {}) =>
  openToolboxHarness({ tools: () => [{ ...tool, ...change }], complete })

it('a prompt tool asks the model of the session, or its own, and returns the answer', async () => {
  const asked: Completion[] = []
  const complete = async (_: unknown, completion: Completion) => {
    asked.push(completion)
    return 'short'
  }
  const { call } = await open(complete)
  expect(await call(name, { text: 'a long {{words}}', words: 3 })).toEqual({ output: 'short', isError: false })
  const other = await open(complete, { model: 'another' })
  await other.call(name, { text: 'x', words: 1 })
  expect(asked).toEqual([
    { model: 'made-up', prompt: 'Shorten to 3 words: a long {{words}}', maxTokens: 100, temperature: 0 },
    { model: 'another', prompt: 'Shorten to 1 words: x', maxTokens: 100, temperature: 0 },
  ])
})

it('a prompt tool uses the current model of the session', async () => {
  const asked: string[] = []
  let model = 'first'
  const { call } = await openToolboxHarness({
    tools: () => [tool],
    model: () => model,
    complete: async (_, completion) => {
      asked.push(completion.model)
      return 'short'
    },
  })
  await call(name, { text: 'x', words: 1 })
  model = 'second'
  await call(name, { text: 'x', words: 1 })
  expect(asked).toEqual(['first', 'second'])
})

it('a prompt tool refuses an invalid input and reports a missing answer', async () => {
  const { call } = await open(async () => {
    throw new Error('the model refused to answer')
  })
  const refused = await call(name, { text: 'x', words: 'three' })
  expect(refused).toEqual({ output: expect.stringContaining('words must be integer'), isError: true })
  expect(await call(name, { text: 'x', words: 3 })).toEqual({ output: 'the model refused to answer', isError: true })
})

it('a placeholder without a value stays empty, and values that are not text are written as JSON', () => {
  expect(fillTemplate('{{a}}|{{ b }}|{{c}}', { b: ['x'], c: null })).toBe('|["x"]|')
})

it('an input is refused if a pattern of the schema takes too long', async () => {
  const parameters = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }
  const { call } = await open(async () => 'short', { parameters })
  expect(await call(name, { text: `${'a'.repeat(64)}!` })).toEqual({
    output: 'The input cannot be checked in time. Call it again with another input.',
    isError: true,
  })
  expect(await call(name, { text: 'aaa' })).toEqual({ output: 'short', isError: false })
})
