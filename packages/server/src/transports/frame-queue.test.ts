import { describe, expect, it } from 'vitest'
import { createFrameQueue, type Frame } from './frame-queue.ts'

function openTap() {
  const source = {
    isPaused: false,
    pause() {
      source.isPaused = true
    },
    resume() {
      source.isPaused = false
    },
  }
  return source
}

const text = (value: string): Frame => ({ type: 'text', text: value })

describe('the frames of a client', () => {
  it.each([
    ['many', 64, 'x'],
    ['large ones', 4, 'x'.repeat(256 * 1024)],
  ])('pause reading when too many wait, and resume it when half are read: %s', async (_, count, value) => {
    const source = openTap()
    const queue = createFrameQueue(source)
    for (let index = 1; index < count; index += 1) queue.push(text(value))
    expect(source.isPaused).toBe(false)
    queue.push(text(value))
    expect(source.isPaused).toBe(true)
    let read = 0
    for await (const _ of queue.frames()) {
      read += 1
      if (!source.isPaused) break
    }
    expect(read).toBe(count / 2 + 1)
  })

  it('yield to the event loop, however fast more of them arrive', async () => {
    const source = { ...openTap(), resume: () => queueMicrotask(flood) }
    const queue = createFrameQueue(source)
    const flood = () => {
      source.isPaused = false
      while (!source.isPaused) queue.push(text('x'))
    }
    source.pause = () => {
      source.isPaused = true
    }
    flood()
    let isServed = false
    setImmediate(() => {
      isServed = true
    })
    let read = 0
    for await (const _ of queue.frames()) if (isServed || ++read === 10_000) break
    expect(read).toBeLessThan(1000)
  })

  it('are delivered to a waiting reader, and end with the connection', async () => {
    const queue = createFrameQueue(openTap())
    const reading = (async () => {
      const read: Frame[] = []
      for await (const frame of queue.frames()) read.push(frame)
      return read
    })()
    await new Promise((resolve) => setImmediate(resolve))
    queue.push(text('a'))
    await new Promise((resolve) => setImmediate(resolve))
    queue.end()
    queue.push(text('b'))
    expect(await reading).toEqual([text('a')])
  })

  it('are read and discarded after the end, so that the close frame is seen', () => {
    const source = openTap()
    const queue = createFrameQueue(source)
    for (let index = 0; index < 64; index += 1) queue.push(text('x'))
    queue.end()
    expect(source.isPaused).toBe(false)
    for (let index = 0; index < 64; index += 1) queue.push(text('x'))
    expect(source.isPaused).toBe(false)
  })
})
