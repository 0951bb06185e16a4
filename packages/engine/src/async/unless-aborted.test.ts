import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { unlessAborted } from './unless-aborted.ts'

describe('work for as long as somebody wants it', () => {
  it('is what it comes to, well or badly, and leaves nothing at the signal', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(async () => 42, signal)).toBe(42)
    await expect(unlessAborted(() => Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('is left as soon as the signal aborts, and its late failure harms nobody', async () => {
    const abort = new AbortController()
    let fail: (error: Error) => void = () => undefined
    const late = new Promise<never>((_, reject) => {
      fail = reject
    })
    const left = unlessAborted(() => late, abort.signal)
    abort.abort('enough')
    await expect(left).rejects.toBe('enough')
    fail(new Error('late'))
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('is not begun when the signal has aborted before', async () => {
    let isBegun = false
    const work = async () => {
      isBegun = true
    }
    await expect(unlessAborted(work, AbortSignal.abort('enough'))).rejects.toBe('enough')
    expect(isBegun).toBe(false)
  })
})
