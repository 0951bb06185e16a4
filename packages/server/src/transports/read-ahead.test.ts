import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Frame } from './frame-queue.ts'
import { readAhead } from './read-ahead.ts'

const never = new AbortController().signal
const text = (value: string): Frame => ({ type: 'text', text: value })

async function* framesOf(values: readonly string[], onRead: () => void = () => undefined): AsyncGenerator<Frame> {
  for (const value of values) {
    await sleep(0)
    onRead()
    yield text(value)
  }
}

async function all(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const taken: Frame[] = []
  for await (const frame of frames) taken.push(frame)
  return taken
}

it('sees the end of unread input, and returns the frames in order', async () => {
  const values = Array.from({ length: 200 }, (_, index) => String(index))
  const ahead = readAhead(framesOf(values), { maxBytes: 1e6, signal: never })
  await ahead.ended
  expect(await all(ahead.frames())).toEqual(values.map(text))
})

it('blocks the writer at its limit, and continues as frames are taken', async () => {
  let read = 0
  const values = Array.from({ length: 50 }, () => 'x'.repeat(900))
  const ahead = readAhead(
    framesOf(values, () => {
      read += 1
    }),
    { maxBytes: 4500, signal: never },
  )
  await expect.poll(() => read).toBe(5)
  await sleep(20)
  expect(read).toBe(5)
  expect(await all(ahead.frames())).toHaveLength(50)
})

it('is idle when the consumer asks for more', async () => {
  let letGo: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const endless = async function* (): AsyncGenerator<Frame> {
    yield text('one')
    yield text('two')
    await new Promise(() => undefined)
  }
  const ahead = readAhead(endless(), { maxBytes: 1e6, signal: never })
  const taken: Frame[] = []
  void (async () => {
    for await (const frame of ahead.frames()) {
      await gate
      taken.push(frame)
    }
  })()
  await sleep(20)
  let isIdle = false
  void ahead.idle().then(() => {
    isIdle = true
  })
  await sleep(20)
  expect(isIdle).toBe(false)
  letGo()
  await ahead.idle()
  expect(taken).toEqual([text('one'), text('two')])
})

it('throws an error after the frames that came before it', async () => {
  async function* failing(): AsyncGenerator<Frame> {
    yield text('one')
    throw new Error('the pipe broke')
  }
  const ahead = readAhead(failing(), { maxBytes: 1e6, signal: never })
  await ahead.ended
  const taken: Frame[] = []
  const take = async () => {
    for await (const frame of ahead.frames()) taken.push(frame)
  }
  await expect(take()).rejects.toThrow('the pipe broke')
  expect(taken).toEqual([text('one')])
})

it('ends with its connection, however full it is', async () => {
  const over = new AbortController()
  const ahead = readAhead(framesOf(['x'.repeat(100), 'y']), { maxBytes: 10, signal: over.signal })
  await sleep(5)
  over.abort()
  await ahead.ended
})
