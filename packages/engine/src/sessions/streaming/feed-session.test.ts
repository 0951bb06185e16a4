import {
  type AgentStreamSnapshot,
  type AgentStreamToken,
  draft,
  isDurable,
  SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createInProcessBus } from '../../system/in-process-bus.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import { created } from '../rules/given-session.fixture.ts'
import { feedSession } from './feed-session.ts'

const sessionId = SessionId.parse('ses_feedsession')

const token = (text: string): AgentStreamToken => ({
  type: 'AgentStreamToken',
  agent: null,
  data: { text, messageId: 'm1', kind: 'text' },
})

/** A session that the test writes, and a reader that takes everything until the test marks it as full. */
async function openHarness() {
  const bus = createInProcessBus()
  const store = await openTestStore()
  let seq = (await store.append(sessionId, 0, [created()])).length
  let text = ''
  const isHeld = { here: true }
  const onCatchUp: { follows: () => void } = { follows: () => undefined }
  const snapshot = (): AgentStreamSnapshot => ({ ...token(text), type: 'AgentStreamSnapshot' })
  const openTexts = () => {
    queueMicrotask(onCatchUp.follows)
    return isHeld.here ? (text === '' ? [] : [snapshot()]) : null
  }

  async function commit(): Promise<readonly StreamedEvent[]> {
    const events = await store.append(sessionId, seq, [draft('RawBackendMessage', { kind: 'test', message: {} })])
    seq += events.length
    return events
  }

  function open(after = 0) {
    const reading = new AbortController()
    const batches: (readonly StreamedEvent[])[] = []
    const state: { isFull: boolean; hasCapacity: () => void } = { isFull: false, hasCapacity: () => undefined }
    const fed = feedSession(
      { store, bus, openTexts },
      { sessionId, after, signal: reading.signal },
      {
        take(events) {
          batches.push(events)
          return !state.isFull
        },
        drained: () =>
          new Promise((resolve) => {
            state.hasCapacity = resolve
            if (!state.isFull || reading.signal.aborted) resolve()
            reading.signal.addEventListener('abort', () => resolve())
          }),
      },
    )
    onTestFinished(async () => {
      reading.abort()
      await Promise.allSettled([fed])
    })
    const seqs = () =>
      batches
        .flat()
        .filter(isDurable)
        .map((event) => event.seq)
    return { batches, state, fed, reading, seqs }
  }

  return {
    bus,
    store,
    isHeld,
    onCatchUp,
    open,
    commit,
    seq: () => seq,
    text: () => text,
    async write() {
      const events = await commit()
      bus.publish(sessionId, events)
      return events
    },
    streamText(piece: string) {
      text += piece
      bus.publish(sessionId, [token(piece)])
    },
  }
}

/** The open text that a reader has after these events. */
const textOf = (batches: readonly (readonly StreamedEvent[])[]): string =>
  batches.flat().reduce((text, event) => {
    if (event.type === 'AgentStreamSnapshot') return event.data.text
    return event.type === 'AgentStreamToken' ? text + event.data.text : text
  }, '')

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('feedSession', () => {
  it('hands over a live event before the publish returns, as the same array for all readers', async () => {
    const harness = await openHarness()
    const readers = [harness.open(), harness.open()]
    await expect.poll(() => readers.map(({ seqs }) => seqs().length)).toEqual([1, 1])
    const events = await harness.commit()
    harness.streamText('hello')
    harness.bus.publish(sessionId, events)
    for (const { batches } of readers) expect(batches.at(-1)).toBe(events)
  })

  it('loses and repeats no event between replay and live while events are written', async () => {
    for (let round = 0; round < 60; round += 1) {
      const harness = await openHarness()
      for (let index = 0; index < 5; index += 1) await harness.write()
      const reader = harness.open(round % 4)
      for (let step = 0; step < round; step += 1) {
        if (step % 3 === 0) await harness.write()
        else harness.streamText(`${step} `)
      }
      await harness.write()
      await expect.poll(() => reader.seqs().at(-1)).toBe(harness.seq())
      expect(reader.seqs()).toEqual(numbers(harness.seq()).slice(round % 4))
      harness.streamText('end')
      await expect.poll(() => textOf(reader.batches)).toBe(harness.text())
      reader.reading.abort()
    }
  })

  it('takes events that are published right after the last read', async () => {
    const harness = await openHarness()
    const [first] = await harness.store.read(sessionId, 0, 1)
    if (first === undefined) throw new Error('the log is empty')
    harness.onCatchUp.follows = () => {
      harness.onCatchUp.follows = () => undefined
      harness.streamText('hello')
      harness.bus.publish(sessionId, [{ ...first, seq: 2 }])
    }
    const reader = harness.open()
    await expect.poll(() => reader.seqs()).toEqual([1, 2])
    expect(textOf(reader.batches)).toBe('hello')
  })

  it('serves a full reader from the log again: it loses tokens, never events', async () => {
    const harness = await openHarness()
    const reader = harness.open()
    await expect.poll(() => reader.seqs()).toEqual([1])
    reader.state.isFull = true
    await harness.write()
    harness.streamText('lost ')
    for (let index = 0; index < 600; index += 1) await harness.write()
    harness.streamText('and lost')
    expect(reader.seqs()).toEqual([1, 2])
    reader.state.isFull = false
    reader.state.hasCapacity()
    await expect.poll(() => reader.seqs()).toEqual(numbers(602))
    await expect.poll(() => textOf(reader.batches)).toBe('lost and lost')
  })

  it('delivers events that another process writes', async () => {
    const harness = await openHarness()
    harness.isHeld.here = false
    const reader = harness.open()
    await expect.poll(() => reader.seqs()).toEqual([1])
    await harness.commit()
    await expect.poll(() => reader.seqs(), { timeout: 20_000 }).toEqual([1, 2])
  })

  it('takes from the bus only events that it has not read from the log', async () => {
    const harness = await openHarness()
    const early = await harness.commit()
    const reader = harness.open()
    await expect.poll(() => reader.seqs()).toEqual([1, 2])
    harness.bus.publish(sessionId, early)
    const late = await harness.commit()
    harness.bus.publish(sessionId, [...early, ...late])
    expect(reader.seqs()).toEqual([1, 2, 3])
  })

  it('reads the log when the bus skipped an event', async () => {
    const harness = await openHarness()
    const reader = harness.open()
    await expect.poll(() => reader.seqs()).toEqual([1])
    await harness.commit()
    await harness.write()
    await expect.poll(() => reader.seqs()).toEqual([1, 2, 3])
  })

  it('ends with its signal and leaves no listener behind', async () => {
    const harness = await openHarness()
    const reader = harness.open()
    await expect.poll(() => reader.seqs()).toEqual([1])
    reader.reading.abort()
    await reader.fed
    expect(harness.bus.listenerCount()).toBe(0)
  })
})
