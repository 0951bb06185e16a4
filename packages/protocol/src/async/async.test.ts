import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { unlessAborted, untilAborted } from './abort.ts'
import { backoffDelay, sleep, withTimeout } from './timing.ts'
import { createWakeSignal } from './wake-signal.ts'

const never = new Promise<never>(() => undefined)

describe('sleep', () => {
  it('resolves after the time', async () => {
    const start = performance.now()
    await sleep(20)
    expect(performance.now() - start).toBeGreaterThan(15)
  })

  it('resolves early when the signal aborts, and at once when it has aborted before', async () => {
    const stop = new AbortController()
    const sleeping = sleep(60_000, stop.signal)
    stop.abort()
    await sleeping
    await sleep(60_000, stop.signal)
  })

  it('removes its listener from the signal', async () => {
    const { signal } = new AbortController()
    const sleeping = sleep(1, signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await sleeping
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('keeps the process running, except with `ref: false`', () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = timers()
    const stop = new AbortController()
    void sleep(60_000, stop.signal, { ref: false })
    expect(timers()).toBe(before)
    void sleep(60_000, stop.signal)
    expect(timers()).toBe(before + 1)
    stop.abort()
    expect(timers()).toBe(before)
  })
})

describe('unlessAborted', () => {
  it('settles as the work does and removes its listener from the signal', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve(42), signal)).toBe(42)
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('rejects with the reason as soon as the signal aborts, and ignores a later failure of the work', async () => {
    const abort = new AbortController()
    let fail: (error: Error) => void = () => undefined
    const late = new Promise<never>((_, reject) => {
      fail = reject
    })
    const left = unlessAborted(late, abort.signal)
    abort.abort('enough')
    await expect(left).rejects.toBe('enough')
    fail(new Error('late'))
    await sleep(0)
  })

  it('rejects at once when the signal has aborted before', async () => {
    await expect(unlessAborted(never, AbortSignal.abort('enough'))).rejects.toBe('enough')
  })
})

describe('withTimeout', () => {
  it('resolves with the result, or with null when the work takes longer', async () => {
    expect(await withTimeout(Promise.resolve(42), 60_000)).toBe(42)
    expect(await withTimeout(never, 5)).toBeNull()
    await expect(withTimeout(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no')
  })
})

describe('backoffDelay', () => {
  it('doubles from the first delay to the longest', () => {
    const bounds = { firstMs: 250, longestMs: 1500 }
    expect([1, 2, 3, 4, 5, 5000].map((attempt) => backoffDelay(attempt, bounds))).toEqual([
      250, 500, 1000, 1500, 1500, 1500,
    ])
  })
})

describe('untilAborted', () => {
  it('resolves when the signal aborts, and at once when it has aborted before', async () => {
    const stop = new AbortController()
    const waiting = untilAborted(stop.signal)
    stop.abort()
    await waiting
    await untilAborted(stop.signal)
  })
})

describe('createWakeSignal', () => {
  it('wakes the reader that waits, and the next one that comes', async () => {
    const signal = createWakeSignal()
    const waiting = signal.notified()
    signal.notify()
    await waiting
    signal.notify()
    signal.notify()
    await signal.notified()
    expect(await withTimeout(signal.notified(), 5)).toBeNull()
  })
})
