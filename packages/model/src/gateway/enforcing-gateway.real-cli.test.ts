// Limits of the gateway as the real CLI sees them.

import type { ModelRequest } from '@quarterdeck/protocol'
import { loadScenario } from '@quarterdeck/simulator'
import { describe, expect, it } from 'vitest'
import { allow, openCliHarness, runCli } from './cli-harness.fixture.ts'

const script = (yaml: string) => ({ mode: { script: loadScenario(yaml, 'test.yaml') } })

describe('the real CLI behind an enforcing gateway', () => {
  it('runs seven sessions at once within a small rate limit: no 429, and queue positions are reported', async () => {
    const limits = { requests: 3, inputTokens: 30_000, outputTokens: 8_000, windowMs: 2_000 }
    const { simulator, reported, optionsOf, totals } = await openCliHarness({ rate: limits }, { rate: limits })
    const sessions = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
    const running = sessions.map((sessionId) =>
      runCli('list the files', { ...optionsOf(sessionId), tools: ['Bash'], canUseTool: allow }),
    )
    const ended = await Promise.all(running)
    for (const { result, text } of ended) {
      expect(result).toMatchObject({ subtype: 'success', is_error: false })
      expect(text).toContain('package.json')
    }
    const served = simulator.served()
    expect(served.requests.map((request) => request.status)).toEqual(Array.from({ length: 14 }, () => 200))
    expect(
      ended.flatMap(({ messages }) =>
        messages.filter((each) => each.type === 'system' && each.subtype === 'api_retry'),
      ),
    ).toEqual([])
    expect(totals()).toEqual(served.usage)
    expect([reported.released, reported.retrying]).toEqual([[], []])
    const waited = new Set(
      reported.waiting.flatMap(({ sessionId, queuePosition }) => (queuePosition ? [sessionId] : [])),
    )
    expect(waited.size).toBeGreaterThan(1)
  })

  it('sees no temporary overload, and the retries are reported', async () => {
    const { reported, shared } = await openCliHarness(
      { faults: [{ fault: { type: 'status', status: 529 }, on: { first: 3 } }] },
      { retry: { firstDelayMs: 20 } },
    )
    const { messages, text } = await runCli('hi', { ...shared, tools: [] })
    expect(text).toContain('local simulator')
    expect(messages.filter((each) => each.type === 'system' && each.subtype === 'api_retry')).toEqual([])
    expect(reported.retrying.map((each) => [each.attempt, each.status])).toEqual([
      [1, 529],
      [2, 529],
      [3, 529],
    ])
  })

  it('is expected to read its earlier messages from the cache', async () => {
    const asked: ModelRequest[] = []
    const { settled, shared } = await openCliHarness(
      {},
      {
        authorize: async (request) => {
          asked.push(request)
          return { type: 'go' }
        },
      },
    )
    await runCli('list the files', { ...shared, tools: ['Bash'], canUseTool: allow })
    const [first, second] = asked
    expect([asked.length, first?.cachedInputTokens, first?.maxOutputTokens]).toEqual([2, 0, 32_000])
    const { inputTokens = 0, cachedInputTokens = 0 } = second ?? {}
    const { cacheReadInputTokens = 0 } = settled[1]?.usage ?? {}
    expect(cacheReadInputTokens).toBeGreaterThan(1000)
    expect(Math.abs(cachedInputTokens - cacheReadInputTokens) / inputTokens).toBeLessThan(0.1)
  })

  it.each([401, 403])('stops at once when the key is refused with %i', async (status) => {
    const { simulator, reported, shared } = await openCliHarness({
      faults: [{ fault: { type: 'status', status }, on: 'every' }],
    })
    const { result } = await runCli('hi', { ...shared, tools: [] })
    expect(result).toMatchObject({ is_error: true })
    expect(simulator.served().requests).toHaveLength(1)
    expect(reported.refused).toEqual([{ sessionId: 's1', status }])
    expect(reported.released).toHaveLength(1)
  })

  it('reads the same text from merged deltas', async () => {
    const words = Array.from({ length: 80 }, (_, n) => `word${n}`).join(' ')
    const { shared, totals, simulator } = await openCliHarness(
      { ...script(`steps: [{ then: { text: ${words} } }]`), paceMs: 2 },
      { mergeWindowMs: 60_000 },
    )
    const { messages, text } = await runCli('hi', { ...shared, tools: [], includePartialMessages: true })
    expect(text).toBe(words)
    const deltas = messages.flatMap((each) =>
      each.type === 'stream_event' &&
      each.event.type === 'content_block_delta' &&
      each.event.delta.type === 'text_delta'
        ? [each.event.delta.text]
        : [],
    )
    expect(deltas.join('')).toBe(words)
    expect(deltas).toHaveLength(2)
    expect(totals()).toEqual(simulator.served().usage)
  })

  it('books five concurrent subagents with their own calls to the token', async () => {
    const usage =
      '{ input_tokens: 2000, output_tokens: 400, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }'
    const helper = (n: number) =>
      `{ name: Agent, input: { subagent_type: helper, description: part ${n}, prompt: do part ${n}, run_in_background: false } }`
    const { simulator, shared, totals, settled } = await openCliHarness(
      script(`
steps:
  - when: { subagent: false, calls: 0 }
    then: { text: I hand it out, tools: [${[1, 2, 3, 4, 5].map(helper).join(', ')}] }
  - when: { subagent: true, calls: 0 }
    then: { tools: [{ name: Read, input: { file_path: package.json } }], usage: ${usage} }
    repeat: true
  - when: { subagent: true, calls: 1 }
    then: { text: part done, usage: ${usage} }
    repeat: true
  - when: { subagent: false, tool_result: { name: Agent } }
    then: { text: all done }
`),
    )
    const agents = { helper: { description: 'Does a part', prompt: 'You help.', tools: ['Read'] } }
    const { text } = await runCli('go', { ...shared, tools: ['Agent', 'Read'], agents, canUseTool: allow })
    expect(text).toBe('all done')
    expect(simulator.served().requests.filter((request) => request.isSubagent)).toHaveLength(10)
    expect(totals()).toEqual(simulator.served().usage)
    expect(settled).toHaveLength(12)
  })

  it('asks the person a question of the model and gets the answer', async () => {
    const { shared } = await openCliHarness()
    const asked: unknown[] = []
    const { text } = await runCli('ask me which colour: red or blue', {
      ...shared,
      tools: ['AskUserQuestion'],
      canUseTool: async (tool, input) => {
        asked.push([tool, input])
        return { behavior: 'allow', updatedInput: { ...input, answers: { 'Which colour?': 'blue' } } }
      },
    })
    expect(asked).toMatchObject([['AskUserQuestion', { questions: [{ question: 'Which colour?' }] }]])
    expect(text).toContain('blue')
  })
})
