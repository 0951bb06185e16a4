import { describe, expect, it } from 'vitest'
import { createBackoff, wait } from './backoff.ts'

describe('createBackoff', () => {
  it('doubles from a quarter of a second to fifteen seconds, and starts again after a success', () => {
    const backoff = createBackoff(() => 1)
    expect(Array.from({ length: 8 }, () => backoff.next())).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000])
    backoff.reset()
    expect(backoff.next()).toBe(250)
  })

  it('spreads clients over half of the wait', () => {
    expect(createBackoff(() => 0).next()).toBe(125)
  })
})

describe('wait', () => {
  it('ends early when the signal aborts', async () => {
    const controller = new AbortController()
    const waiting = wait(3_600_000, controller.signal)
    controller.abort()
    await waiting
    await wait(3_600_000, controller.signal)
  })
})
