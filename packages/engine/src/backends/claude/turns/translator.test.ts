import { modelCatalog, SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { brokenFormat, createOutputCheck, type OutputCheck } from '../../driver/structured-output.ts'
import { createTranslator } from './translator.ts'

const sonnet = 'claude-sonnet-4-5-20250929'
const haiku = 'claude-haiku-4-5'
const usage = { input_tokens: 1_000_000, output_tokens: 0 }
const counted = { inputTokens: 1_000_000, outputTokens: 0 }

const start = (id: string, model: string) => ({
  type: 'stream_event',
  session_id: 's',
  uuid: 'u',
  parent_tool_use_id: null,
  event: { type: 'message_start', message: { id, model, usage } },
})
const stop = {
  type: 'stream_event',
  session_id: 's',
  uuid: 'u',
  parent_tool_use_id: null,
  event: { type: 'message_stop' },
}
const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'done',
  num_turns: 2,
  session_id: 's',
  uuid: 'u',
  duration_ms: 1,
  duration_api_ms: 1,
  total_cost_usd: 0,
  usage: {},
  permission_denials: [],
  modelUsage: { [sonnet]: counted, [haiku]: counted },
}

function openTranslator(outputCheck: OutputCheck | null = null) {
  const session = {
    sessionId: SessionId.parse('ses_000001'),
    modelSource: 'simulator',
    permissionMode: 'manual',
  } as const
  const translator = createTranslator({ ...session, model: sonnet, catalog: modelCatalog, outputCheck }, () => 0)
  translator.beginTurn()
  return translator
}

it('books each request once, on its requested model, when the model changes during a turn', () => {
  const translator = openTranslator()
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

it.each([
  ['a text of the CLI', [{ id: 'toolu_1', non_execution_kind: 'user-rejected' }], true],
  ['a text about another call', [{ id: 'toolu_2', non_execution_kind: 'user-rejected' }], undefined],
  ['the tool’s own, with a remark', [{ id: 'toolu_1', remedy: {} }], undefined],
  ['the tool’s own', undefined, undefined],
  ['the tool’s own, with unknown metadata', 'news', undefined],
])('reports a result that is %s', (_, tool_result_meta, withoutResult) => {
  const block = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no', is_error: true }
  const sent = { type: 'user', session_id: 's', uuid: 'u', parent_tool_use_id: null, tool_result_meta }
  const [executed] = openTranslator().translate({ ...sent, message: { role: 'user', content: [block] } })
  expect(executed).toMatchObject({ type: 'ToolExecuted', data: { output: 'no', isError: true } })
  expect(executed?.type === 'ToolExecuted' && executed.data.withoutResult).toBe(withoutResult)
})

it.each([
  ['PreToolUse:mcp__every__echo hook error: Denied: no.', 'Denied: no.'],
  ["The user doesn't want to proceed with this tool use. STOP.", 'The call was stopped with its turn.'],
])('replaces %j of the CLI by the engine’s text', (content, output) => {
  const block = { type: 'tool_result', tool_use_id: 'toolu_1', content, is_error: true }
  const tool_result_meta = [{ id: 'toolu_1', non_execution_kind: 'permission-rule' }]
  const sent = { type: 'user', session_id: 's', uuid: 'u', parent_tool_use_id: null, tool_result_meta }
  const message = { role: 'user', content: [block] }
  expect(openTranslator().translate({ ...sent, message })).toMatchObject([{ data: { output } }])
  // A tool may return the same text.
  expect(openTranslator().translate({ ...sent, tool_result_meta: [], message })).toMatchObject([
    { data: { output: content } },
  ])
})

it.each([
  ['matches the schema', { structured_output: { city: 'Ulm' } }, null],
  ['does not match it', { structured_output: { city: 3 } }, brokenFormat('city must be string')],
  ['has no object', {}, brokenFormat('the agent ended without giving one')],
  ['belongs to a command without a model request', { num_turns: 0 }, null],
  ['belongs to a turn that failed anyway', { is_error: true, result: 'overloaded' }, 'overloaded'],
])('validates an answer that %s', (_, change, errorReason) => {
  const check = createOutputCheck({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] })
  const ended = openTranslator(check)
    .translate({ ...result, ...change })
    .at(-1)
  const outcome = errorReason === null ? 'completed' : 'failed'
  expect(ended).toMatchObject({ type: 'TurnEnded', data: { outcome, result: { errorReason } } })
})
