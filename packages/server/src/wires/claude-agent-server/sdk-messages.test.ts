import {
  draft,
  EventId,
  type EventOfType,
  type EventType,
  SessionEvent,
  SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { SdkMessage } from './sdk-message.ts'
import { createSdkMessages } from './sdk-messages.ts'

let seq = 0

/** `scripts/sdk-round-trip.test.ts` also tests this with recorded traffic of the real SDK. */
function event<Type extends EventType>(
  type: Type,
  data: EventOfType<Type>['data'],
  agent: string[] | null = null,
): SessionEvent {
  seq += 1
  const envelope = { seq, id: EventId.parse(`evt_${String(seq).padStart(6, '0')}`), v: 1 }
  const place = { sessionId: SessionId.parse('ses_000001'), at: '2025-01-01T00:00:00.000Z' }
  return SessionEvent.parse({ ...envelope, ...place, ...draft(type, data, { agent }) })
}

const turn = (model = 'claude-one') => event('TurnStarted', { messageIds: [], model })
const started = (change: object = {}) =>
  event('AgentSessionStarted', {
    sessionId: 'ses_000001',
    model: 'claude-one',
    tools: ['Read'],
    cwd: '/work',
    permissionMode: 'manual',
    mcpServers: [],
    slashCommands: [],
    apiKeySource: 'none',
    outputStyle: 'default',
    backendSessionId: 'one',
    modelSource: 'simulator',
    ...change,
  } as EventOfType<'AgentSessionStarted'>['data'])
const said = (text: string, messageId = 'msg_1') => event('AgentThought', { text, messageId })
const text = (
  type: 'AgentStreamToken' | 'AgentStreamSnapshot',
  words: string,
  kind: 'text' | 'thinking' = 'text',
): StreamedEvent => ({ type, agent: null, data: { text: words, messageId: 'msg_1', kind } })

const translateAll = (events: readonly StreamedEvent[], isPartial = false): readonly SdkMessage[] => {
  const messages = createSdkMessages({ isPartial })
  return events.flatMap(messages.of)
}
const inits = (messages: readonly SdkMessage[]) => messages.filter(({ subtype }) => subtype === 'init')
const deltas = (messages: readonly SdkMessage[]) =>
  messages.flatMap((message) => {
    const { delta } = (message.event ?? {}) as { delta?: { text?: string; thinking?: string } }
    const words = delta?.text ?? delta?.thinking
    return words === undefined ? [] : [words]
  })
const contents = (messages: readonly SdkMessage[]) =>
  messages.flatMap(({ type, message }) => (type === 'assistant' ? [(message as { content: unknown }).content] : []))
const streamTypes = (messages: readonly SdkMessage[]) =>
  messages.map(({ type, event: part }) => (part === undefined ? type : (part as { type: string }).type))

describe('the init message of a session', () => {
  it('is sent at the start of each turn, with the model of the turn and all changes', () => {
    const changes = [
      event('PermissionModeChanged', { from: 'manual', to: 'acceptAll', by: 'ana' }),
      event('McpServerStatusChanged', { name: 'docs', status: 'failed', error: null }),
    ]
    const [first, second, ...more] = inits(translateAll([turn(), started(), said('a'), ...changes, turn('claude-two')]))
    expect(first).toMatchObject({ model: 'claude-one', permissionMode: 'default', mcp_servers: [] })
    expect(second).toMatchObject({
      model: 'claude-two',
      permissionMode: 'bypassPermissions',
      mcp_servers: [{ name: 'docs', status: 'failed' }],
    })
    expect(more).toEqual([])
  })

  it('comes from the new process, not from the one that is gone', () => {
    const asleep = event('AgentSessionHibernated', { reason: 'idle' })
    const sent = inits(translateAll([turn(), started(), asleep, turn(), started({ tools: ['Read', 'Bash'] })]))
    expect(sent.map(({ tools }) => tools)).toEqual([['Read'], ['Read', 'Bash']])
  })
})

describe('messages', () => {
  it('have the same ids on every read', () => {
    const events = [turn(), started(), said('a'), said('b', 'msg_2')]
    expect(translateAll(events)).toEqual(translateAll(events))
    expect(new Set(translateAll(events).map(({ uuid }) => uuid)).size).toBe(3)
    for (const { uuid } of translateAll(events))
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
  })

  it('of a subagent name the call that started it', () => {
    const path = ['toolu_1', 'toolu_2']
    const [thought, thinking, call, result] = translateAll([
      event('SubagentThought', { parentToolUseId: 'toolu_2', text: 'deep', messageId: 'msg_2' }, path),
      event('AgentThinking', { text: 'hm', messageId: 'msg_3' }, path),
      event('AgentInvokedTool', { toolName: 'Bash', toolInput: {}, toolUseId: 'toolu_3', messageId: 'msg_3' }, path),
      event(
        'ToolExecuted',
        { toolName: 'Bash', toolUseId: 'toolu_3', output: 'no', isError: true, durationMs: 1 },
        path,
      ),
    ])
    for (const message of [thought, thinking, call, result]) expect(message?.parent_tool_use_id).toBe('toolu_2')
    expect(result).toMatchObject({ type: 'user', message: { content: [{ is_error: true, content: 'no' }] } })
  })

  it('name the model that answers after a fallback', () => {
    const fallback = event('ModelFellBack', { from: 'claude-one', to: 'claude-small', reason: 'busy' })
    expect(translateAll([turn(), started(), fallback, said('a')]).at(-1)).toMatchObject({
      message: { model: 'claude-small' },
    })
  })
})

describe('partial text', () => {
  it('is complete for a reader that missed some: the rest comes with the end of its block', () => {
    const sent = translateAll([turn(), started(), text('AgentStreamToken', 'Hel'), said('Hello there')], true)
    expect(deltas(sent)).toEqual(['Hel', 'lo there'])
  })

  it('is not repeated after a snapshot', () => {
    const events = [
      text('AgentStreamToken', 'Hel'),
      text('AgentStreamSnapshot', 'Hello'),
      text('AgentStreamToken', '!'),
    ]
    expect(deltas(translateAll([turn(), started(), ...events, said('Hello!')], true))).toEqual(['Hel', 'lo', '!'])
  })

  it('of a block that was replaced by another kind stays as sent, and its message is complete', () => {
    const events = [text('AgentStreamToken', 'Hel', 'thinking'), text('AgentStreamToken', 'So')]
    const thought = event('AgentThinking', { text: 'Hello', messageId: 'msg_1' })
    const sent = translateAll([turn(), started(), ...events, thought, said('So be it')], true)
    expect(deltas(sent)).toEqual(['Hel', 'So', ' be it'])
    expect(contents(sent)).toMatchObject([[{ thinking: 'Hello' }], [{ text: 'So be it' }]])
    const blocks = ['content_block_start', 'content_block_delta', 'content_block_stop']
    expect(streamTypes(sent).filter((type) => blocks.includes(type))).toEqual([
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
    ])
  })

  it('that differs from the log stays as sent, and its message has the text of the log', () => {
    const sent = translateAll([turn(), started(), text('AgentStreamToken', 'Helo'), said('Hello')], true)
    expect(deltas(sent)).toEqual(['Helo'])
    expect(contents(sent)).toMatchObject([[{ text: 'Hello' }]])
    expect(streamTypes(sent).at(-1)).toBe('content_block_stop')
  })

  it('starts again for a reader that joins in the middle', () => {
    const messages = createSdkMessages({ isPartial: true })
    for (const one of [turn(), started(), text('AgentStreamToken', 'Hel')]) messages.of(one)
    expect(messages.join()).toMatchObject([{ subtype: 'init' }])
    expect(streamTypes([text('AgentStreamSnapshot', 'Hello'), said('Hello')].flatMap(messages.of))).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'assistant', 'content_block_stop'],
    ])
  })

  it('that breaks off ends without a message', () => {
    const broken = event('AgentStreamDiscarded', { text: 'Hel', messageId: 'msg_1', reason: 'broke' })
    expect(streamTypes(translateAll([turn(), text('AgentStreamToken', 'Hel'), broken], true))).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_stop'],
    ])
  })
})
