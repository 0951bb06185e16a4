import { type CatalogModel, modelCatalog, SessionEvent, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { BackendEvent } from '../../backend.ts'
import { ended, find, tokensOf, types } from '../../contract/backend-events.contract.ts'
import { readRecording, recordingNames } from '../testing/recording.fixture.ts'
import { translateMessage } from './translate-message.ts'
import { beginTurn, startTranslation, type Translation } from './translation.ts'

const fresh = startTranslation({
  sessionId: SessionId.parse('ses_recorded'),
  modelSource: 'simulator',
  permissionMode: 'manual',
  model: 'claude-sonnet-4-5-20250929',
  catalog: modelCatalog,
})

/** Replays a recording. A result ends a turn, as in the adapter. */
function replay(name: string): readonly BackendEvent[] {
  let state = fresh
  const events: BackendEvent[] = []
  for (const { at, message } of readRecording(name)) {
    const next = translateMessage(state, message, at)
    events.push(...next.events)
    state = next.events.some((event) => event.type === 'TurnEnded') ? beginTurn(next.state) : next.state
  }
  return events
}

const translate = (state: Translation, ...messages: readonly object[]) => {
  const events: BackendEvent[] = []
  let current = state
  for (const message of messages) {
    const next = translateMessage(current, message, 1000)
    current = next.state
    events.push(...next.events)
  }
  return { state: current, events }
}

const envelope = { seq: 1, id: 'evt_000001', sessionId: 'ses_000001', at: '2025-01-01T00:00:00.000Z', v: 1 }

describe.each(recordingNames())('the recording %s', (name) => {
  const events = replay(name)

  it('produces only events of the catalogue', () => {
    for (const event of events) {
      if (event.type === 'AgentStreamToken') continue
      expect(SessionEvent.safeParse({ ...envelope, ...event }).error).toBeUndefined()
    }
  })

  it('leaves no message untranslated', () => {
    expect(events.filter((event) => event.type === 'RawBackendMessage')).toEqual([])
  })

  it('accounts for every streamed token, in a message or as discarded', () => {
    const streamed = events.flatMap((event) => (event.type === 'AgentStreamToken' ? [event.data] : []))
    for (const messageId of new Set(streamed.map((token) => token.messageId))) {
      const recorded = events.flatMap((event) =>
        event.type === 'AgentThought' || event.type === 'AgentThinking' || event.type === 'AgentStreamDiscarded'
          ? [event.data]
          : [],
      )
      const text = recorded.filter((data) => data.messageId === messageId).map((data) => data.text)
      expect(text.join('')).toBe(tokensOf(events, messageId, 'thinking') + tokensOf(events, messageId, 'text'))
    }
  })

  it('has one result for every call', () => {
    const calls = events.flatMap((event) => (event.type === 'AgentInvokedTool' ? [event.data.toolUseId] : []))
    const results = events.flatMap((event) => (event.type === 'ToolExecuted' ? [event.data.toolUseId] : []))
    expect(new Set(results).size).toBe(results.length)
    for (const id of results) expect(calls).toContain(id)
  })

  it('books each API message once', () => {
    const booked = events.flatMap((event) => (event.type === 'UsageRecorded' ? [event.data.apiMessageId] : []))
    expect(new Set(booked).size).toBe(booked.length)
  })

  it('books exactly the tokens that the SDK counted for a turn', () => {
    let booked = 0
    for (const event of events) {
      if (event.type === 'UsageRecorded') booked += event.data.tokens.input + event.data.tokens.output
      if (event.type !== 'TurnEnded') continue
      const counted = Object.values(event.data.modelUsage).reduce(
        (sum, use) => sum + use.inputTokens + use.outputTokens,
        0,
      )
      // The tokens of an interrupted request appear only in the stream that was cut.
      if (counted > 0) expect(booked).toBe(counted)
      booked = 0
    }
  })
})

describe('translateMessage', () => {
  it('emits AgentSessionStarted once although the CLI sends init in every turn', () => {
    const events = replay('compaction')
    expect(types(events).filter((type) => type === 'AgentSessionStarted')).toHaveLength(1)
    expect(find(events, 'AgentSessionStarted').data.permissionMode).toBe('manual')
    expect(find(events, 'AgentSessionStarted').data.tools).toContain('Agent')
  })

  it('never emits a prompt, a summary or a replayed message', () => {
    const texts = replay('compaction').flatMap((event) => (event.type === 'AgentThought' ? [event.data.text] : []))
    expect(texts).toEqual(['a long answer', 'a long answer'])
  })

  it('reports each turn of a process separately although the SDK’s totals accumulate', () => {
    const costs = replay('compaction').flatMap((event) => (event.type === 'TurnEnded' ? [event.data] : []))
    expect(costs).toHaveLength(3)
    const sum = costs.reduce((total, turn) => total + (turn.reportedCostUsd ?? 0), 0)
    const last = readRecording('compaction').map((line) => line.message as { type: string; total_cost_usd?: number })
    const total = last.filter((message) => message.type === 'result').at(-1)?.total_cost_usd
    expect(sum).toBeCloseTo(total ?? Number.NaN, 10)
  })

  it('continues from the usage of a resumed session', () => {
    const usage = { inputTokens: 100, outputTokens: 10, costUSD: 0.5, contextWindow: 200_000 }
    const resumed = startTranslation(fresh, { modelUsage: { model: usage }, costUsd: 0.5, apiMs: 0 })
    const { events } = translate(resumed, {
      ...result,
      total_cost_usd: 0.7,
      modelUsage: { model: { ...usage, inputTokens: 130, outputTokens: 15, costUSD: 0.7 } },
    })
    expect(ended(events).data.modelUsage).toEqual({
      model: { inputTokens: 30, outputTokens: 5, costUSD: expect.closeTo(0.2), contextWindow: 200_000 },
    })
    expect(ended(events).data.reportedCostUsd).toBeCloseTo(0.2)
  })

  it('uses the prices of the config file for messages and for the remainder', () => {
    const own = startTranslation({ ...fresh, model: 'own-model', catalog: [...modelCatalog, ownModel] })
    const { events } = translate(
      own,
      assistant([{ type: 'text', text: 'hi' }], 'msg_a', { input_tokens: 1_000_000, output_tokens: 0 }),
      { ...result, modelUsage: { 'own-model': { inputTokens: 1_000_000, outputTokens: 500_000 } } },
    )
    expect(usages(events)).toMatchObject([
      { model: 'own-model', tokens: { input: 1_000_000, output: 0 }, costUsd: 2 },
      { model: 'own-model', tokens: { input: 0, output: 500_000 }, costUsd: 4 },
    ])
  })

  it('books a model served under another priced name once, at the price of the requested model', () => {
    const own = startTranslation({ ...fresh, model: 'own-model', catalog: [...modelCatalog, ownModel] })
    const { message, ...sent } = assistant([{ type: 'text', text: 'hi' }], 'msg_a', { input_tokens: 1_000_000 })
    const { events } = translate(
      own,
      { ...sent, message: { ...message, model: 'claude-haiku-4-5' } },
      { ...result, modelUsage: { 'own-model': { inputTokens: 1_000_000, outputTokens: 0 } } },
    )
    expect(usages(events)).toMatchObject([{ model: 'own-model', servedModel: 'claude-haiku-4-5', costUsd: 2 }])
  })

  it('takes a failure from is_error, regardless of the subtype', () => {
    const { events } = translate(fresh, { ...result, is_error: true, result: 'API Error: 500 boom' })
    expect(ended(events).data).toMatchObject({ outcome: 'failed', result: { errorReason: 'API Error: 500 boom' } })
  })

  it('keeps a subagent with an unknown parent, on its own path', () => {
    const { events } = translate(fresh, {
      ...assistant([{ type: 'text', text: 'who am I' }]),
      parent_tool_use_id: 'toolu_x',
    })
    expect(find(events, 'SubagentThought')).toMatchObject({ agent: ['toolu_x'], data: { parentToolUseId: 'toolu_x' } })
  })

  it('keeps a tool result without a call as unattached', () => {
    const content = [{ type: 'tool_result', tool_use_id: 'toolu_lost', content: 'found' }]
    const { events } = translate(fresh, { type: 'user', parent_tool_use_id: null, message: { role: 'user', content } })
    expect(find(events, 'ToolExecuted').data).toMatchObject({ output: 'found', unattached: true, durationMs: null })
  })

  it('drops replayed results', () => {
    const content = [{ type: 'tool_result', tool_use_id: 'toolu_old', content: 'again' }]
    const replayed = { type: 'user', isReplay: true, parent_tool_use_id: null, message: { role: 'user', content } }
    expect(translate(fresh, replayed).events).toEqual([])
  })

  it('keeps unknown messages and truncates large ones', () => {
    const { events } = translate(
      fresh,
      { type: 'system', subtype: 'brand_new', text: 'x'.repeat(50_000) },
      { type: 'odd' },
    )
    const [big, odd] = events.filter((event) => event.type === 'RawBackendMessage')
    expect(big?.data).toMatchObject({ kind: 'system/brand_new', message: { truncated: true } })
    expect(JSON.stringify(big).length).toBeLessThan(20_000)
    expect(odd?.data).toEqual({ kind: 'odd', message: { type: 'odd' } })
  })

  it('discards an open message when the process repeats the request without streaming', () => {
    const started = [
      {
        type: 'stream_event',
        parent_tool_use_id: null,
        event: { type: 'message_start', message: { id: 'msg_1', model: 'm' } },
      },
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text' } }),
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half a' } }),
    ]
    const { events } = translate(fresh, ...started, assistant([{ type: 'text', text: 'a whole answer' }], 'msg_2'))
    expect(types(events)).toEqual(['AgentStreamToken', 'AgentStreamDiscarded', 'AgentThought'])
    expect(find(events, 'AgentStreamDiscarded').data).toMatchObject({ text: 'half a', messageId: 'msg_1' })
  })

  it('reports a change of an MCP server but not its first state', () => {
    const { events } = translate(fresh, init('connected'), init('connected'), init('failed'))
    expect(types(events)).toEqual(['AgentSessionStarted', 'McpServerStatusChanged'])
    expect(find(events, 'McpServerStatusChanged').data).toEqual({ name: 'files', status: 'failed', error: null })
  })
})

const stream = (event: object) => ({ type: 'stream_event', parent_tool_use_id: null, event })

const assistant = (content: readonly object[], id = 'msg_a', usage = {}) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, model: 'simulator', content, usage },
})

const ownModel: CatalogModel = {
  id: 'own-model',
  aliases: [],
  label: 'own',
  tier: 'high',
  contextWindow: 200_000,
  use: 'from config.yaml',
  price: { input: 2, output: 8, cacheRead: 0, cacheWrite: 0 },
}

const usages = (events: readonly BackendEvent[]) =>
  events.flatMap((event) => (event.type === 'UsageRecorded' ? [event.data] : []))

const init = (status: string) => ({
  type: 'system',
  subtype: 'init',
  session_id: 'one',
  cwd: '/recorded',
  tools: [],
  mcp_servers: [{ name: 'files', status }],
  model: 'claude-sonnet-4-5-20250929',
  slash_commands: [],
  apiKeySource: 'none',
  output_style: 'default',
})

const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  num_turns: 1,
  duration_ms: 5,
  duration_api_ms: 5,
  total_cost_usd: 0,
  modelUsage: {},
  permission_denials: [],
  result: 'fine',
}
