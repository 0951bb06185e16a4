import { describe, expect, it } from 'vitest'
import { createChannel } from './channel.ts'

const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('createChannel', () => {
  it('delivers items in order and ends', async () => {
    const channel = createChannel<number>(10)
    await channel.push(1)
    await channel.push(2)
    channel.end()
    const seen: number[] = []
    for await (const item of channel) seen.push(item)
    expect(seen).toEqual([1, 2])
  })

  it('makes the producer wait while it is full', async () => {
    const channel = createChannel<number>(2)
    await channel.push(1)
    let isThrough = false
    const pushed = channel.push(2)?.then(() => {
      isThrough = true
    })
    await soon()
    expect(isThrough).toBe(false)
    await channel[Symbol.asyncIterator]().next()
    await pushed
    expect(isThrough).toBe(true)
  })

  it('gives an item at once to a waiting reader', async () => {
    const channel = createChannel<number>(1)
    const waiting = channel[Symbol.asyncIterator]().next()
    expect(channel.push(7)).toBeNull()
    expect(await waiting).toEqual({ done: false, value: 7 })
    const last = channel[Symbol.asyncIterator]().next()
    channel.end()
    expect(await last).toEqual({ done: true, value: undefined })
  })

  it('accepts every item once the bound is lifted', async () => {
    const channel = createChannel<number>(1)
    const pushed = channel.push(1)
    channel.liftBound()
    await pushed
    await channel.push(2)
    await channel.push(3)
  })
})
