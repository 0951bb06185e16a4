import { modelCatalog, SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createTranslator } from './translator.ts'

const sonnet = 'claude-sonnet-4-5-20250929'
const haiku = 'claude-haiku-4-5'
const usage = { input_tokens: 1_000_000, output_tokens: 0 }
const counted = { inputTokens: 1_000_000, outputTokens: 0 }

const start = (id: string, model: string) => ({
  ...{ type: 'stream_event', session_id: 's', uuid: 'u', parent_tool_use_id: null },
  event: { type: 'message_start', message: { id, model, usage } },
})
const stop = {
  ...{ type: 'stream_event', session_id: 's', uuid: 'u', parent_tool_use_id: null },
  event: { type: 'message_stop' },
}
const result = {
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'done', num_turns: 2, session_id: 's', uuid: 'u' },
  ...{ duration_ms: 1, duration_api_ms: 1, total_cost_usd: 0, usage: {}, permission_denials: [] },
  modelUsage: { [sonnet]: counted, [haiku]: counted },
}

it('books each request once, on the model it asked for, when the model changes in the middle of a turn', () => {
  const session = {
    sessionId: SessionId.parse('ses_000001'),
    modelSource: 'simulator',
    permissionMode: 'manual',
  } as const
  const translator = createTranslator({ ...session, model: sonnet, catalog: modelCatalog }, () => 0)
  translator.beginTurn()
  const messages = [start('msg_a', sonnet), 'choose', stop, start('msg_b', haiku), stop, result]
  const events = messages.flatMap((message) => {
    if (message !== 'choose') return translator.translate(message)
    translator.choose(haiku)
    return []
  })
  const booked = events.flatMap((event) => (event.type === 'UsageRecorded' ? [event.data] : []))
  expect(booked.map(({ model, tokens }) => [model, tokens.input])).toEqual([
    [sonnet, 1_000_000],
    [haiku, 1_000_000],
  ])
})
