import {
  type AgentPath,
  draft,
  type EventOfType,
  type EventType,
  modelCatalog,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { listModels } from '../../models/list-models.ts'
import { textOf } from './chat-client.fixture.ts'
import { createEventChunks } from './event-chunks.ts'

const models = listModels(modelCatalog, [])

function translator(model = 'auto') {
  const chunkOf = createEventChunks({ sessionId: 'ses_1', model, models })
  return (events: readonly StreamedEvent[]) => events.map(chunkOf).filter((chunk) => chunk !== null)
}

let seq = 0
/** With the number that the log would give it. */
function event<Type extends EventType>(type: Type, data: EventOfType<Type>['data'], agent: AgentPath = null) {
  seq += 1
  return {
    ...draft(type, data, { agent }),
    seq,
    id: 'evt_000001',
    sessionId: 'ses_000001',
    at: '',
    v: 1,
  } as unknown as StreamedEvent
}
const token = (text: string, messageId = 'm1', kind: 'text' | 'thinking' = 'text'): StreamedEvent => ({
  type: 'AgentStreamToken',
  agent: null,
  data: { text, messageId, kind },
})
const snapshot = (text: string, messageId = 'm1'): StreamedEvent => ({
  type: 'AgentStreamSnapshot',
  agent: null,
  data: { text, messageId, kind: 'text' },
})
const whole = (text: string, messageId = 'm1') => event('AgentThought', { text, messageId })

const ended = (change: Partial<EventOfType<'TurnEnded'>['data']> = {}) =>
  event('TurnEnded', {
    outcome: 'completed',
    result: {
      response: '',
      toolCalls: [],
      toolResults: [],
      tokenUsage: { inputTokens: 7, outputTokens: 3, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
      structuredOutput: null,
      numTurns: 2,
      isError: false,
      errorReason: null,
    },
    durationMs: 12,
    durationApiMs: 0,
    reportedCostUsd: 0.5,
    modelUsage: {},
    permissionDenials: [],
    ...change,
  })
const used = (costUsd: number | null) =>
  event('UsageRecorded', {
    requestId: 'r',
    apiMessageId: 'a',
    model: 'claude-haiku-4-5',
    servedModel: 'claude-haiku-4-5',
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    costUsd,
    source: 'gateway',
  })

describe('streamed text', () => {
  it.each([
    ['piece by piece', [token('There '), token('are 24.'), whole('There are 24.')]],
    ['whole only', [whole('There are 24.')]],
    ['with its end unseen', [token('There '), whole('There are 24.')]],
    ['so far, then on', [snapshot('There '), token('are 24.'), whole('There are 24.')]],
    ['with pieces lost to a slow reader', [token('Th'), snapshot('There are'), token(' 24.'), whole('There are 24.')]],
    ['twice so far', [snapshot('There '), snapshot('There '), whole('There are 24.')]],
    ['in two texts of one message', [token('There '), whole('There '), token('are 24.'), whole('are 24.')]],
  ])('is sent once: %s', (_, events) => {
    expect(textOf(translator()(events))).toBe('There are 24.')
  })

  it('separates thinking and text of one message', () => {
    const received = translator()([
      token('hm', 'm1', 'thinking'),
      token('yes'),
      event('AgentThinking', { text: 'hm', messageId: 'm1' }),
    ])
    expect(received.map(({ type, content }) => [type, content])).toEqual([
      ['thinking', 'hm'],
      ['text', 'yes'],
    ])
  })

  it('omits the text of subagents, but shows their tools', () => {
    const call = { toolName: 'Grep', toolInput: {}, toolUseId: 't2', messageId: 'm2' }
    const received = translator()([
      event('AgentThought', { text: 'inner', messageId: 'm2' }, ['t1']),
      event('AgentInvokedTool', call, ['t1']),
    ])
    expect(received).toMatchObject([{ type: 'tool_use', metadata: { id: 't2', parent_tool_use_id: 't1' } }])
  })
})

describe('the end of a turn', () => {
  const started = event('TurnStarted', { messageIds: [], model: 'claude-haiku-4-5' })

  it('contains the booked usage and the model that the rules chose', () => {
    const translate = translator()
    translate([started, used(1), ended()])
    expect(translate([started, used(0.002), used(0.001), ended()])).toEqual([
      {
        type: 'text',
        content: '',
        completed: true,
        metadata: expect.objectContaining({
          session_id: 'ses_1',
          model: { model: 'automatic', model_display: 'Claude (Automatic Selection)', is_automatic: true },
          model_used: { model: 'claude-haiku-4-5', model_display: 'Claude Haiku 4.5' },
          cost_usd: expect.closeTo(0.003),
          usage: expect.objectContaining({ input_tokens: 7, output_tokens: 3 }),
          num_turns: 2,
        }),
      },
    ])
  })

  it('contains the cost of the backend if nothing was booked', () => {
    expect(translator()([started, used(null), ended()])).toMatchObject([{ metadata: { cost_usd: 0.5 } }])
  })

  it('is an error if the turn failed, but not if it was interrupted', () => {
    expect(translator()([ended({ outcome: 'turn_limit' })])).toMatchObject([
      { type: 'error', content: 'Error processing message: turn_limit', completed: true },
    ])
    expect(translator()([ended({ outcome: 'interrupted' })])).toMatchObject([
      { type: 'text', content: '', completed: true },
    ])
  })

  it('is also sent for a message that no turn takes up any more', () => {
    const queued = event('UserMessageQueued', {
      messageId: 'umsg_000001' as never,
      content: 'hi',
      origin: 'user',
      by: 'a',
    })
    const stopped = event('AgentSessionStatusChanged', { from: 'idle', to: 'stopped_budget', reason: 'no money left' })
    const translate = translator()
    expect(translate([queued, stopped])).toMatchObject([
      { type: 'error', content: 'Error processing message: no money left', completed: true },
    ])
    expect(translate([stopped])).toEqual([])
  })
})
