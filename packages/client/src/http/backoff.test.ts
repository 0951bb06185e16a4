import { describe, expect, it } from 'vitest'
import { createBackoff } from './backoff.ts'

describe('createBackoff', () => {
  it('doubles from 250 ms to 15 s, and starts again after a success', () => {
    const backoff = createBackoff(() => 1)
    expect(Array.from({ length: 8 }, () => backoff.next())).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000])
    backoff.reset()
    expect(backoff.next()).toBe(250)
  })

  it('spreads clients over half of the delay', () => {
    expect(createBackoff(() => 0).next()).toBe(125)
  })
})
