import { describe, expect, it } from 'vitest'
import { draft, type StreamedEvent } from '../events/session-event.ts'
import {
  approvalId,
  created,
  createRandom,
  cut,
  decided,
  delivered,
  discarded,
  executed,
  invoked,
  logOf,
  queued,
  randomLog,
  recovered,
  requested,
  returned,
  thought,
  turnEnded,
  turnStarted,
} from './sample-log.fixture.ts'
import { emptyTranscript, foldTranscript } from './transcript.ts'

const read = (...drafts: Parameters<typeof logOf>[0]) => foldTranscript(emptyTranscript, logOf(drafts)).items
const token = (text: string, messageId = 'm', kind: 'text' | 'thinking' = 'text'): StreamedEvent => ({
  type: 'AgentStreamToken',
  agent: null,
  data: { text, messageId, kind },
})
const snapshot = (text: string, messageId = 'm'): StreamedEvent => ({
  type: 'AgentStreamSnapshot',
  agent: null,
  data: { text, messageId, kind: 'text' },
})

describe('foldTranscript', () => {
  it('puts a queued message where the agent received it', () => {
    const items = read(queued(1), queued(2), delivered(1), thought('hello', 'm'), delivered(2))
    expect(items.map((item) => (item.type === 'user' ? item.content : item.type))).toEqual([
      'message 1',
      'text',
      'message 2',
    ])
    expect(items.every((item) => item.type !== 'user' || item.isDelivered)).toBe(true)
  })

  it('shows a message that still waits', () => {
    expect(read(queued(1))).toMatchObject([{ type: 'user', isDelivered: false, by: 'ada' }])
  })

  it('queues a returned message until the agent receives it again', () => {
    const items = [queued(1), delivered(1), thought('hello', 'm'), returned(1)] as const
    expect(read(...items)).toMatchObject([{ content: 'message 1', isDelivered: false }, { type: 'text' }])
    expect(read(...items, delivered(1))).toMatchObject([{ type: 'text' }, { content: 'message 1', isDelivered: true }])
  })

  it('keeps a message before its cut-off answer when a resume delivers it again', () => {
    const cutOff = [queued(1), delivered(1), discarded('m'), turnEnded(1), recovered, returned(1)] as const
    const items = read(...cutOff, delivered(1), thought('hello', 'n'))
    expect(items.map(({ type }) => type)).toEqual(['user', 'text', 'turn', 'notice', 'text'])
    expect(items[0]).toMatchObject({ content: 'message 1', isDelivered: true })
  })

  it('joins a result to its call, in any order of results', () => {
    const items = read(invoked('a'), invoked('b'), executed('b', null, true), executed('a'))
    expect(items).toMatchObject([
      { toolUseId: 'a', status: 'done', output: 'out', durationMs: 5 },
      { toolUseId: 'b', status: 'failed' },
    ])
  })

  it('keeps a result without a call', () => {
    expect(read(executed('ghost'))).toMatchObject([{ type: 'tool', toolUseId: 'ghost', toolInput: {}, status: 'done' }])
  })

  it('marks the outcome of a call without a result as unknown', () => {
    expect(read(invoked('a'), turnEnded(1))[0]).toMatchObject({ status: 'unknown' })
    expect(read(invoked('a'), recovered)[0]).toMatchObject({ status: 'unknown' })
    expect(read(invoked('a'), executed('a'), turnEnded(1))[0]).toMatchObject({ status: 'done' })
    expect(read(invoked('a'), turnEnded(1), executed('a'))[0]).toMatchObject({ status: 'done' })
  })

  it('streams text until the message replaces it', () => {
    const streaming = foldTranscript(emptyTranscript, [token('Hel'), token('lo')])
    expect(streaming.items).toMatchObject([{ type: 'text', text: 'Hello', isStreaming: true, seq: null }])
    const settled = foldTranscript(streaming, logOf([thought('Hello!', 'm')]))
    expect(settled.items).toMatchObject([{ type: 'text', text: 'Hello!', isStreaming: false, seq: 1 }])
  })

  it('restarts from a snapshot, and separates thinking from text', () => {
    const items = foldTranscript(emptyTranscript, [
      token('a'),
      snapshot('whole'),
      token('!'),
      token('hm', 'm', 'thinking'),
    ]).items
    expect(items).toMatchObject([
      { type: 'text', text: 'whole!' },
      { type: 'thinking', text: 'hm' },
    ])
  })

  it('keeps discarded text with the reason', () => {
    const streaming = foldTranscript(emptyTranscript, [token('hal'), token('hm', 'm', 'thinking')])
    const items = foldTranscript(streaming, logOf([discarded('m')])).items
    expect(items).toMatchObject([{ type: 'text', text: 'half', discarded: 'the stream broke', isStreaming: false }])
  })

  it('shows an approval with its decision', () => {
    expect(read(requested(1))[0]).toMatchObject({ type: 'approval', decision: null, isExpired: false, settledAt: null })
    const log = logOf([requested(1), decided(1)])
    const [settled] = foldTranscript(emptyTranscript, log).items
    expect(settled).toMatchObject({ decision: { by: 'ada' }, at: log[0]?.at, settledAt: log[1]?.at })
    const expired = draft('ApprovalExpired', { approvalId: approvalId(1) })
    expect(read(requested(1), expired)[0]).toMatchObject({ isExpired: true })
  })

  it('describes events around the agent', () => {
    const texts = read(
      draft('ModelRequestRetrying', { attempt: 1, maxRetries: 10, delayMs: 1200, status: 429, error: 'rate limited' }),
      draft('AgentSessionTurnLimitReached', { numTurns: 50, limit: 50 }),
      recovered,
    ).map((item) => (item.type === 'notice' ? item.text : ''))
    expect(texts).toEqual([
      'The provider did not answer (rate limited). Try 1 of 10 in 1.2 s.',
      'Out of turns: the limit is 50.',
      'The server restarted and recovered this session from the log. The running turn was interrupted. Bash was running: its outcome is unknown. 1 approval is still open.',
    ])
  })

  it('does not change the given transcript', () => {
    const before = foldTranscript(emptyTranscript, [...logOf([queued(1), invoked('a')]), token('x')])
    const frozen = structuredClone(before)
    foldTranscript(before, logOf([delivered(1), executed('a'), thought('x', 'm'), turnEnded(1)], 3))
    expect(before).toEqual(frozen)
    expect(emptyTranscript.items).toEqual([])
  })

  it('continues one version in two directions, as from a copy of it', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const log = randomLog(seed, 300)
      const before = foldTranscript(emptyTranscript, log.slice(0, 200))
      const here = foldTranscript(before, log.slice(200, 250))
      const there = foldTranscript(before, log.slice(250))
      const further = foldTranscript(here, log.slice(250))
      expect(here).toEqual(foldTranscript(emptyTranscript, log.slice(0, 250)))
      expect(there).toEqual(foldTranscript({ items: before.items }, log.slice(250)))
      expect(further).toEqual(foldTranscript(emptyTranscript, log))
    }
  })

  it('computes the same transcript however the log is split into batches', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const log = randomLog(seed, 200)
      const whole = foldTranscript(emptyTranscript, log)
      expect(cut(log, createRandom(seed)).reduce(foldTranscript, emptyTranscript)).toEqual(whole)
      expect(new Set(whole.items.map((item) => item.key)).size).toBe(whole.items.length)
    }
  })

  it('takes time in proportion to the log, folded in pages', () => {
    const transcriptOf = (turns: number) =>
      logOf([created, ...Array.from({ length: turns }, (_, n) => [queued(n), delivered(n), turnStarted(n), invoked(`t${n}`), executed(`t${n}`), turnEnded(n)]).flat()]) // biome-ignore format: one turn
    const time = (log: StreamedEvent[]) => {
      const start = process.cpuUsage() // the load of the machine does not count
      let transcript = emptyTranscript
      for (let at = 0; at < log.length; at += 2000) transcript = foldTranscript(transcript, log.slice(at, at + 2000))
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    }
    const short = transcriptOf(400)
    const long = transcriptOf(3400)
    expect(long.length).toBeGreaterThan(20_000)
    const small = Math.min(...[1, 2, 3, 4].map(() => time(short)))
    // About nine times the log: quadratic work would take about seventy times as long.
    const isProportional = () => time(long) < Math.max(small, 3) * 9 * 4
    expect([1, 2, 3, 4, 5].some(isProportional)).toBe(true)
  })
})
