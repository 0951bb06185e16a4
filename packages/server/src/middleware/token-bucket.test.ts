import { describe, expect, it } from 'vitest'
import { createTokenBucket } from './token-bucket.ts'

function open(perSecond: number, burst: number) {
  let at = 1_000_000
  const bucket = createTokenBucket({ perSecond, burst }, () => at)
  const wait = (ms: number) => {
    at += ms
  }
  /** How many tokens it gives at once. */
  const drain = () => {
    let given = 0
    while (bucket.take() === 0) given += 1
    return given
  }
  return { bucket, wait, drain }
}

describe('a token bucket', () => {
  it('gives its burst at once and then returns the time to wait', () => {
    const { bucket, drain } = open(4, 10)
    expect(drain()).toBe(10)
    expect(bucket.take()).toBe(250)
  })

  it('gives tokens at its rate after that, however often it is called in between', () => {
    const { bucket, drain, wait } = open(4, 10)
    drain()
    let given = 0
    for (let step = 0; step < 500; step += 1) {
      wait(10)
      if (bucket.take() === 0) given += 1
    }
    expect(given).toBe(20)
  })

  it('never holds more than its burst', () => {
    const { drain, wait } = open(4, 10)
    wait(3_600_000)
    expect(drain()).toBe(10)
  })

  it('keeps its tokens when the clock is set back', () => {
    const { bucket, drain, wait } = open(4, 10)
    drain()
    wait(-3_600_000)
    expect(bucket.take()).toBe(250)
    wait(250)
    expect(bucket.take()).toBe(0)
  })
})
