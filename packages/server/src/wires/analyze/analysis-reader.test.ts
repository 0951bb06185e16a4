import {
  type AnalysisEvent,
  draft,
  type EventDraft,
  foldSession,
  formatAnalysisCursor,
  modelCatalog,
  parseAnalysisCursor,
  type SessionEvent,
  type SessionState,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { openAnalysisApp, query } from './analysis.fixture.ts'
import { createAnalysisReader } from './analysis-reader.ts'

const tokens = { input: 100, output: 20, cacheRead: 1000, cacheWrite: 10 }
const booked = (requestId: string, costUsd: number | null) =>
  draft('UsageRecorded', {
    requestId,
    apiMessageId: requestId,
    model: 'claude-haiku-4-5',
    servedModel: 'x',
    tokens,
    costUsd,
    source: 'gateway',
  })
const result = { response: '', toolCalls: [], toolResults: [], structuredOutput: null, numTurns: 1, isError: false }
const tokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
const ended = draft('TurnEnded', {
  outcome: 'completed',
  result: { ...result, tokenUsage, errorReason: null, response: 'So.' },
  durationMs: 0,
  durationApiMs: 0,
  reportedCostUsd: null,
  modelUsage: {},
  permissionDenials: [],
})
const token = (text: string, messageId: string, kind: 'text' | 'thinking' = 'text'): StreamedEvent => ({
  type: 'AgentStreamToken',
  agent: null,
  data: { text, messageId, kind },
})
const moved = (from: SessionState['status'], to: SessionState['status']) =>
  draft('AgentSessionStatusChanged', { from, to, reason: null })

/** A real start, followed by the stream of a model. */
async function someLog() {
  const app = await openAnalysisApp([[query('SELECT 1')]])
  const started = await app.start()
  await (await app.stream(started.streamUrl)).untilType('tool_call')
  const page = await (await app.call(`/v1/sessions/${started.sessionId}/events`)).json()
  const events: SessionEvent[] = page.events
  const last = events.at(-1)
  if (last === undefined) throw new Error('there is no log')
  let { seq } = last
  const durable = (one: EventDraft): SessionEvent => {
    seq += 1
    return { ...last, ...one, seq } as SessionEvent // an envelope around a draft is an event
  }
  const call = events.find((event) => event.type === 'ClientToolCalled')
  if (call?.type !== 'ClientToolCalled') throw new Error('nothing is called')
  const { callId } = call.data
  const streamed: StreamedEvent[] = [
    durable(draft('ClientToolReturned', { callId, output: '1', isError: false, by: 'tab', wasLive: true })),
    durable(booked('one', 0.25)),
    ...[token('Let me ', 'm1', 'thinking'), token('see', 'm1', 'thinking'), token('One ', 'm1'), token('row', 'm1')],
    durable(draft('AgentThinking', { text: 'Let me see', messageId: 'm1' })),
    token(' it is', 'm1'),
    durable(draft('AgentThought', { text: 'One row it is.', messageId: 'm1' })),
    ...[token('bro', 'm2'), token('ken', 'm2')],
    durable(draft('AgentStreamDiscarded', { text: 'broken', messageId: 'm2', reason: 'the stream broke' })),
    ...[token('whole', 'm3')],
    durable(draft('AgentThought', { text: 'whole', messageId: 'm3' })),
    durable(booked('two', 0.25)),
    durable(ended),
    durable(moved('running', 'idle')),
  ]
  return { sequence: [...events, ...streamed] as StreamedEvent[], events }
}

const isDurable = (event: StreamedEvent): event is SessionEvent => 'seq' in event

/** The session after some events, and its open text, as a new connection gets them. */
function replayOf(sequence: readonly StreamedEvent[]): readonly StreamedEvent[] {
  const open = new Map<string, Extract<StreamedEvent, { type: 'AgentStreamToken' }>>()
  for (const event of sequence) {
    if (event.type === 'AgentStreamToken') {
      const key = `${event.data.kind} ${event.data.messageId}`
      const text = (open.get(key)?.data.text ?? '') + event.data.text
      open.set(key, { ...event, data: { ...event.data, text } })
    }
    if (event.type === 'AgentThought') open.delete(`text ${event.data.messageId}`)
    if (event.type === 'AgentThinking') open.delete(`thinking ${event.data.messageId}`)
    if (event.type === 'AgentStreamDiscarded') open.delete(`text ${event.data.messageId}`)
  }
  const texts = [...open.values()].map((one) => ({ ...one, type: 'AgentStreamSnapshot' as const }))
  return [...sequence.filter(isDurable), ...texts]
}

const stateOf = (sequence: readonly StreamedEvent[]): SessionState => {
  const state = foldSession(null, sequence.filter(isDurable))
  if (state === null) throw new Error('there is no session')
  return state
}

const wordsOf = (events: readonly AnalysisEvent[]) =>
  events.flatMap((event) => (event.type === 'thinking' ? [event.content] : [])).join('')
const othersOf = (events: readonly AnalysisEvent[]) =>
  events.filter(({ type }) => type !== 'thinking').map((event) => ({ ...event, answered: undefined }))

it('sends the rest to a reader that returns at any moment, every character and every event once', async () => {
  const { sequence, events } = await someLog()
  const first = { cursor: { seq: 0, textLength: 0 }, session: stateOf(events), catalog: modelCatalog }
  const whole = createAnalysisReader(first)
  const expected = sequence.flatMap((event) => whole.read(event)).flatMap(({ event }) => event ?? [])
  expect(wordsOf(expected)).toBe('Let me seeOne row it is.brokenwhole')
  for (let cut = events.length; cut < sequence.length; cut += 1) {
    const before = createAnalysisReader(first)
    const seen = sequence.slice(0, cut).flatMap((event) => before.read(event))
    const cursor = parseAnalysisCursor(seen.findLast(({ id }) => id !== null)?.id ?? '0')
    if (cursor === undefined) throw new Error('no cursor')
    const session = stateOf(sequence.slice(0, cut))
    const after = createAnalysisReader({ ...first, cursor, session })
    const again = [...replayOf(sequence.slice(0, cut)), ...sequence.slice(cut)].flatMap((event) => after.read(event))
    const sent = [...seen, ...again].flatMap(({ event }) => event ?? [])
    expect(wordsOf(sent), `cut at ${cut}`).toBe(wordsOf(expected))
    expect(othersOf(sent), `cut at ${cut}`).toEqual(othersOf(expected))
  }
})

it('sums up the cost of the question with weighted cached tokens, and has no price if one is missing', async () => {
  const { sequence, events } = await someLog()
  const read = (log: readonly StreamedEvent[]) => {
    const reader = createAnalysisReader({
      cursor: { seq: 0, textLength: 0 },
      session: stateOf(events),
      catalog: modelCatalog,
    })
    return log.flatMap((event) => reader.read(event)).find(({ event }) => event?.type === 'answer')?.event
  }
  expect(read(sequence)).toMatchObject({
    result: {
      answer: 'So.',
      chartType: 'table',
      usage: { inputTokens: 2220, outputTokens: 40, cachedInputTokens: 2000, units: 260, costUsd: 0.5 },
    },
  })
  const unpriced = sequence.map((event) =>
    event.type === 'UsageRecorded' ? { ...event, data: { ...event.data, costUsd: null } } : event,
  )
  expect(read(unpriced)).toMatchObject({ result: { usage: { costUsd: null } } })
})

it('follows an interrupted and woken question to its real end, and ends for one that was not woken', async () => {
  const { events } = await someLog()
  const last = events.at(-1)
  if (last === undefined) throw new Error('there is no log')
  const cut = draft('TurnEnded', {
    outcome: 'interrupted',
    result: { ...result, isError: true, tokenUsage, errorReason: 'the server stopped' },
    durationMs: 0,
    durationApiMs: 0,
    reportedCostUsd: null,
    modelUsage: {},
    permissionDenials: [],
  })
  const asked = draft('UserMessageQueued', { messageId: 'umsg_9' as never, content: 'And?', origin: 'user', by: 'me' })
  const log = (drafts: readonly EventDraft[]) =>
    [...events, ...drafts.map((one, index) => ({ ...last, ...one, seq: last.seq + 1 + index }))] as SessionEvent[]
  const read = (sequence: readonly SessionEvent[], isAtRest: boolean) => {
    const session = {
      ...stateOf(events),
      seq: sequence.at(-1)?.seq ?? 0,
      status: isAtRest ? 'idle' : 'running',
    } as const
    const reader = createAnalysisReader({ cursor: { seq: 0, textLength: 0 }, session, catalog: modelCatalog })
    return sequence.flatMap((event) => reader.read(event)).flatMap(({ event }) => event ?? [])
  }
  const rest = [cut, moved('running', 'interrupted')]
  const woken = [...rest, moved('interrupted', 'resuming'), moved('resuming', 'queued'), moved('queued', 'running')]
  const ends = (sent: readonly AnalysisEvent[]) => sent.map(({ type }) => type).filter((type) => type !== 'tool_call')
  expect(ends(read(log(rest), true))).toEqual(['error', 'done'])
  expect(ends(read(log([...rest, booked('late', 0)]), true))).toEqual(['error', 'done'])
  expect(ends(read(log(woken), false))).toEqual([])
  expect(ends(read(log([...woken, ended, moved('running', 'idle')]), true))).toEqual(['answer', 'done'])
  // The result of another question goes to its own readers.
  expect(ends(read(log([...rest, asked, ended, moved('running', 'idle')]), true))).toEqual(['error', 'done'])
})

it('accepts only its own cursors', () => {
  for (const cursor of [
    { seq: 0, textLength: 0 },
    { seq: 12, textLength: 345 },
  ]) {
    expect(parseAnalysisCursor(formatAnalysisCursor(cursor))).toEqual(cursor)
  }
  for (const text of ['', '-1', '1.', '.5', '1e3', 'x', '1.2.3', ' 1'])
    expect(parseAnalysisCursor(text)).toBeUndefined()
})
