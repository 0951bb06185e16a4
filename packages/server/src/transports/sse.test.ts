import { readSseFrames } from '@quarterdeck/client'
import type { EventSink } from '@quarterdeck/engine'
import type { StreamedEvent } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { openConnection } from './connection.fixture.ts'
import { type SseSource, streamEvents } from './sse.ts'
import { defaultStreamTiming } from './stream-deps.ts'
import { thoughtEvent, tokenEvent } from './streamed-events.fixture.ts'

/** A source that stays open after its events, until it is stopped. */
function openSource(batches: readonly (readonly StreamedEvent[])[]) {
  const state = { isOpen: false, taken: 0 }
  async function feed(sink: EventSink, signal: AbortSignal): Promise<void> {
    state.isOpen = true
    for (const batch of batches) {
      state.taken += 1
      if (!sink.take(batch)) await sink.drained()
      if (signal.aborted) break
    }
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    state.isOpen = false
  }
  return { feed, state }
}

const sourceOf = (feed: SseSource['feed'], change: Partial<SseSource> = {}): SseSource => ({
  feed,
  signals: [],
  timing: defaultStreamTiming,
  connection: null,
  onFailure: () => undefined,
  ...change,
})

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

describe('the event stream', () => {
  it('sends ids for durable events only, and no event name', async () => {
    const { feed } = openSource([[thoughtEvent(1)], [tokenEvent('m2', 'hi'), thoughtEvent(2)]])
    const ids: (string | null)[] = []
    for await (const frame of readSseFrames(streamEvents(sourceOf(feed)))) {
      ids.push(frame.id)
      expect(frame.event).toBe('message')
      if (ids.length === 3) break
    }
    expect(ids).toEqual(['1', null, '2'])
  })

  it('sends a first comment at once, with a hint for reconnecting', async () => {
    const reader = streamEvents(sourceOf(openSource([]).feed)).getReader()
    expect(textOf((await reader.read()).value)).toBe('retry: 1000\n: connected\n\n')
    await reader.cancel()
  })

  it('sends heartbeats as comments while idle', async () => {
    const timing = { ...defaultStreamTiming, heartbeatMs: 5 }
    const reader = streamEvents(sourceOf(openSource([]).feed, { timing })).getReader()
    await reader.read()
    expect(textOf((await reader.read()).value)).toBe(': heartbeat\n\n')
    await reader.cancel()
  })

  it('ends and releases its source when the server stops', async () => {
    const { feed, state } = openSource([[thoughtEvent(1)]])
    const closing = new AbortController()
    const seen: string[] = []
    for await (const frame of readSseFrames(streamEvents(sourceOf(feed, { signals: [closing.signal] })))) {
      seen.push(frame.data)
      closing.abort()
    }
    expect(seen).toHaveLength(1)
    await expect.poll(() => state.isOpen).toBe(false)
  })

  it('never opens for a reader that is already gone', async () => {
    const { feed, state } = openSource([[thoughtEvent(1)]])
    const reader = streamEvents(sourceOf(feed, { signals: [AbortSignal.abort()] })).getReader()
    expect(textOf((await reader.read()).value)).toContain('connected')
    expect((await reader.read()).done).toBe(true)
    await expect.poll(() => state.isOpen).toBe(false)
  })

  it('releases its source when the reader leaves', async () => {
    const { feed, state } = openSource([[thoughtEvent(1)]])
    const reader = streamEvents(sourceOf(feed)).getReader()
    await reader.read()
    await reader.read()
    expect(state.isOpen).toBe(true)
    await reader.cancel()
    await expect.poll(() => state.isOpen).toBe(false)
  })

  it('ends and reports when its source fails', async () => {
    async function failing(sink: EventSink): Promise<void> {
      sink.take([thoughtEvent(1)])
      throw new Error('the disk is gone')
    }
    const failures: unknown[] = []
    const frames = readSseFrames(streamEvents(sourceOf(failing, { onFailure: (error) => failures.push(error) })))
    const seen = []
    for await (const frame of frames) seen.push(frame)
    expect(seen).toHaveLength(1)
    expect(failures).toEqual([new Error('the disk is gone')])
  })

  it('buffers little for a reader that does not read, and disconnects it after a while', async () => {
    const large = Array.from({ length: 100 }, (_, index) => [thoughtEvent(index + 1, 'x'.repeat(10_000))])
    const { feed, state } = openSource(large)
    const connection = openConnection()
    streamEvents(sourceOf(feed, { connection, timing: { ...defaultStreamTiming, heartbeatMs: 5, stallMs: 20 } }))
    await expect.poll(() => connection.socket.destroyed).toBe(true)
    await expect.poll(() => state.isOpen).toBe(false)
    expect(state.taken).toBeLessThan(20)
  })

  it('delivers everything to a slow reader, at its pace', async () => {
    const events = Array.from({ length: 100 }, (_, index) => [thoughtEvent(index + 1, 'x'.repeat(10_000))])
    const { feed } = openSource(events)
    const ids: (string | null)[] = []
    for await (const frame of readSseFrames(streamEvents(sourceOf(feed)))) {
      ids.push(frame.id)
      await new Promise((resolve) => setImmediate(resolve))
      if (ids.length === 100) break
    }
    expect(ids).toEqual(events.map((_, index) => String(index + 1)))
  })
})
