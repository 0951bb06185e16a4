import { readSseFrames, type StreamedEvent } from '@quarterdeck/protocol'
import { describe, expect, it, vi } from 'vitest'
import { defaultSseTiming, streamEvents } from './sse.ts'
import { thoughtEvent, tokenEvent } from './streamed-events.fixture.ts'

const timing = { ...defaultSseTiming, coalesceMs: 1 }

/** A source that stays open after what it has to say, until it is told to stop. */
function openSource(events: readonly StreamedEvent[]) {
  const state = { isOpen: false }
  async function* follow(signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    state.isOpen = true
    try {
      yield* events
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    } finally {
      state.isOpen = false
    }
  }
  return { follow, state }
}

const sourceOf = (follow: (signal: AbortSignal) => AsyncIterable<StreamedEvent>, change = {}) => ({
  ...{ follow, signals: [], timing, disconnect: () => undefined, onFailure: () => undefined },
  ...change,
})

describe('the event stream', () => {
  it('gives an id to events of the log only, and no event name', async () => {
    const { follow } = openSource([thoughtEvent(1), tokenEvent('m2', 'hi'), thoughtEvent(2)])
    const ids: (string | null)[] = []
    for await (const frame of readSseFrames(streamEvents(sourceOf(follow)))) {
      ids.push(frame.id)
      expect(frame.event).toBe('message')
      if (ids.length === 3) break
    }
    expect(ids).toEqual(['1', null, '2'])
  })

  it('says at once that it is there, with a hint for reconnecting', async () => {
    const { follow } = openSource([])
    const reader = streamEvents(sourceOf(follow)).getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('retry: 1000\n: connected\n\n')
    await reader.cancel()
  })

  it('sends heartbeats as comments while nothing happens', async () => {
    const { follow } = openSource([])
    const reader = streamEvents(sourceOf(follow, { timing: { ...timing, heartbeatMs: 5 } })).getReader()
    await reader.read()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(': heartbeat\n\n')
    await reader.cancel()
  })

  it('ends cleanly and releases its source when the server goes', async () => {
    const { follow, state } = openSource([thoughtEvent(1)])
    const closing = new AbortController()
    const seen: string[] = []
    for await (const frame of readSseFrames(streamEvents(sourceOf(follow, { signals: [closing.signal] })))) {
      seen.push(frame.data)
      closing.abort()
    }
    expect(seen).toHaveLength(1)
    expect(state.isOpen).toBe(false)
  })

  it('releases its source when the reader leaves', async () => {
    const { follow, state } = openSource([thoughtEvent(1)])
    const reader = streamEvents(sourceOf(follow)).getReader()
    await reader.read()
    await reader.read()
    expect(state.isOpen).toBe(true)
    await reader.cancel()
    await expect.poll(() => state.isOpen).toBe(false)
  })

  it('ends and tells when its source fails', async () => {
    async function* failing(): AsyncGenerator<StreamedEvent> {
      yield thoughtEvent(1)
      throw new Error('the disk is gone')
    }
    const failures: unknown[] = []
    const frames = readSseFrames(
      streamEvents(sourceOf(failing, { onFailure: (error: unknown) => failures.push(error) })),
    )
    const seen = []
    for await (const frame of frames) seen.push(frame)
    expect(seen).toHaveLength(1)
    expect(failures).toEqual([new Error('the disk is gone')])
  })

  it('cuts off a reader that takes nothing, after a while', async () => {
    const { follow, state } = openSource(Array.from({ length: 500 }, (_, index) => thoughtEvent(index + 1)))
    const disconnect = vi.fn()
    const stream = streamEvents(sourceOf(follow, { disconnect, timing: { ...timing, heartbeatMs: 5, stallMs: 20 } }))
    await expect.poll(() => disconnect).toHaveBeenCalledOnce()
    await expect.poll(() => state.isOpen).toBe(false)
    await stream.cancel()
  })
})
