// Converts recorded messages of the real SDK to events and back to messages, as a client of claude-agent-server gets
// them. One half is in the engine and the other in the server, so this test is outside of both.
import {
  draft,
  type EventDraft,
  EventId,
  modelCatalog,
  SessionEvent,
  SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import type { BackendEvent } from '../packages/engine/src/backends/backend.ts'
import { readRecording, recordingNames } from '../packages/engine/src/backends/claude/testing/recording.fixture.ts'
import { translateMessage } from '../packages/engine/src/backends/claude/translate/translate-message.ts'
import { beginTurn, startTranslation } from '../packages/engine/src/backends/claude/translate/translation.ts'
import { createSdkMessages } from '../packages/server/src/wires/claude-agent-server/sdk-messages.ts'

interface Message {
  readonly type: string
  readonly subtype?: string
  readonly message?: { readonly id?: string; readonly content: unknown }
  readonly event?: { readonly type: string; readonly index?: number; readonly delta?: Readonly<Record<string, string>> }
  readonly [field: string]: unknown
}
type Content = Readonly<Record<string, unknown>>

const sessionId = SessionId.parse('ses_recorded')
const model = 'claude-sonnet-4-5-20250929'

const recorded = (name: string): readonly Message[] => readRecording(name).map(({ message }) => message as Message)

/** As the engine would log it: numbered, with the start of each turn. */
function eventsOf(name: string): readonly StreamedEvent[] {
  let state = startTranslation({
    sessionId,
    modelSource: 'simulator',
    permissionMode: 'manual',
    model,
    catalog: modelCatalog,
  })
  const events: StreamedEvent[] = []
  let isInTurn = false
  const log = (event: BackendEvent | EventDraft<'TurnStarted'>) => {
    if (event.type === 'AgentStreamToken') return void events.push(event)
    const seq = events.length + 1
    const envelope = { seq, id: EventId.parse(`evt_${String(seq).padStart(6, '0')}`), sessionId, v: 1 }
    events.push(SessionEvent.parse({ ...envelope, at: '2025-01-01T00:00:00.000Z', ...event }))
  }
  for (const { at, message } of readRecording(name)) {
    const next = translateMessage(state, message, at)
    const isEnd = next.events.some(({ type }) => type === 'TurnEnded')
    const isBeginning: boolean = !isInTurn && (message as Message).subtype === 'init'
    if (isBeginning) log(draft('TurnStarted', { messageIds: [], model }))
    isInTurn = (isInTurn || isBeginning) && !isEnd
    next.events.forEach(log)
    state = isEnd ? beginTurn(next.state) : next.state
  }
  return events
}

function sent(name: string, isPartial: boolean): readonly Message[] {
  const messages = createSdkMessages({ isPartial })
  return eventsOf(name).flatMap((event) => messages.of(event)) as unknown as readonly Message[]
}

const resultsIn = ({ message }: Message): readonly Content[] =>
  Array.isArray(message?.content) ? message.content.filter(({ type }: Content) => type === 'tool_result') : []

/** A synthetic message that only shows an API failure is not a message of the model: its text is in the result. */
const isKept = (message: Message): boolean => {
  if (message.type === 'assistant') return message.error === undefined
  if (message.type === 'user') return resultsIn(message).length > 0 && message.isReplay !== true
  return message.type === 'result' || ['init', 'compact_boundary', 'api_retry'].includes(message.subtype ?? '')
}

/** A result is a text or a list of text blocks; the log has the text. */
const textOf = (content: unknown): unknown =>
  Array.isArray(content) ? content.map(({ text }: Content) => text ?? '').join('\n') : content

function shapeOf(message: Message): unknown {
  const { type, subtype } = message
  if (type === 'assistant') {
    const blocks = (message.message?.content ?? []) as Content[]
    const content = blocks.map(({ signature: _, ...block }) => block)
    return { type, id: message.message?.id, parent: message.parent_tool_use_id, content }
  }
  if (type === 'user') {
    const ids = resultsIn(message).map(({ tool_use_id, is_error = false }) => ({ tool_use_id, is_error }))
    return { type, parent: message.parent_tool_use_id, ids }
  }
  return { type, subtype: type === 'result' ? undefined : subtype }
}

/** The SDK reports a failed request as `success` with an error; the log and this wire report a failure. */
const wantedSubtype = (message: Message): unknown =>
  message.subtype === 'success' && message.is_error === true ? 'error_during_execution' : message.subtype

describe.each(recordingNames())('the recording %s', (name) => {
  let before: readonly Message[] = []
  let after: readonly Message[] = []
  beforeAll(() => {
    before = recorded(name)
    after = sent(name, false)
  })

  it('returns with its messages, ids, texts, calls and results in order', () => {
    expect(after.map(shapeOf)).toEqual(before.filter(isKept).map(shapeOf))
  })

  it('returns with the results of its tools', () => {
    const refused = new Set(
      before.flatMap(({ tool_result_meta = [] }) =>
        (tool_result_meta as Content[]).flatMap(({ id, non_execution_kind }) => (non_execution_kind ? [id] : [])),
      ),
    )
    const outputs = (messages: readonly Message[]) =>
      messages
        .filter(isKept)
        .flatMap(resultsIn)
        .filter(({ tool_use_id }) => !refused.has(tool_use_id))
        .map(({ content }) => textOf(content))
    expect(outputs(after)).toEqual(outputs(before))
  })

  it('returns with its results: outcome, text, turns, times, dollars and models', () => {
    const results = after.filter(({ type }) => type === 'result')
    const wanted = before.filter(({ type }) => type === 'result')
    expect(results).toHaveLength(wanted.length)
    wanted.forEach((was, index) => {
      const { subtype, is_error, num_turns, duration_ms, result, permission_denials, total_cost_usd } = was
      const got = results[index]
      expect(got).toMatchObject({ subtype: wantedSubtype(was), is_error, num_turns, duration_ms, permission_denials })
      if (is_error !== true) expect(got?.result).toBe(result)
      if (subtype !== 'success') expect(got?.errors).toHaveLength(1)
      // The ledger counts an interrupted request, the SDK does not.
      if (name === 'interrupted-text') return
      expect(got?.total_cost_usd).toBeCloseTo(Number(total_cost_usd), 8)
      const sums = modelSums(was).map((sum) => ({ ...sum, costUSD: expect.closeTo(sum.costUSD, 8) }))
      expect(modelSums(got)).toEqual(sums)
    })
  })

  it('streams its text in the same deltas and around the same messages', () => {
    const streamed = (messages: readonly Message[]) =>
      messages.flatMap(({ type, event, message }) => {
        if (type === 'assistant') return [`assistant ${message?.id}`]
        return event === undefined
          ? []
          : [[event.type, event.index, event.delta?.text ?? event.delta?.thinking].join(' ')]
      })
    // Here the input of a call arrives as a whole, signatures are missing, and subagents do not stream.
    const isShared = ({ type, event, parent_tool_use_id, error }: Message) =>
      error === undefined &&
      ((type === 'assistant' && parent_tool_use_id === null) ||
        (type === 'stream_event' && !['input_json_delta', 'signature_delta'].includes(event?.delta?.type ?? '')))
    expect(streamed(sent(name, true).filter(isShared))).toEqual(streamed(before.filter(isShared)))
  })
})

const modelSums = (message: Message | undefined) =>
  Object.entries((message?.modelUsage ?? {}) as Record<string, Record<string, number>>).map(([id, use]) => ({
    id,
    inputTokens: use.inputTokens,
    outputTokens: use.outputTokens,
    contextWindow: use.contextWindow,
    cacheRead: use.cacheReadInputTokens,
    cacheCreation: use.cacheCreationInputTokens,
    costUSD: use.costUSD ?? Number.NaN,
  }))
