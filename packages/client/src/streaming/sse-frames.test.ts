import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../protocol/src/projections/sample-log.fixture.ts'
import { readSseFrames, type SseFrame } from './sse-frames.ts'

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

async function framesOf(chunks: readonly Uint8Array[]): Promise<SseFrame[]> {
  const frames: SseFrame[] = []
  for await (const frame of readSseFrames(streamOf(chunks))) frames.push(frame)
  return frames
}

const bytes = (text: string) => new TextEncoder().encode(text)
const framesOfText = (text: string) => framesOf([bytes(text)])

describe('readSseFrames', () => {
  it('reads id, event and data, with defaults where they are missing', async () => {
    expect(await framesOfText('id: 7\nevent: note\ndata: {"a":1}\n\ndata: b\n\n')).toEqual([
      { id: '7', event: 'note', data: '{"a":1}' },
      { id: null, event: 'message', data: 'b' },
    ])
  })

  it('joins several data lines and strips only one space', async () => {
    expect(await framesOfText('data: a\ndata:  b\ndata\n\n')).toEqual([{ id: null, event: 'message', data: 'a\n b\n' }])
  })

  it('skips comments, unknown fields and frames without data', async () => {
    expect(await framesOfText(': heartbeat\n\nretry: 5\n\n: x\ndata: a\n\n')).toMatchObject([{ data: 'a' }])
  })

  it('drops a frame that was cut off', async () => {
    expect(await framesOfText('data: a\n\ndata: b\n')).toMatchObject([{ data: 'a' }])
  })

  it('yields the same frames wherever the bytes are split, for every kind of line end', async () => {
    const text = 'id: 1\ndata: é😀 one\n\n: beat\n\nid: 2\ndata: two\ndata: lines\n\nevent: x\ndata: three\n\n'
    for (const end of ['\n', '\r\n', '\r']) {
      const whole = bytes(`${text.replaceAll('\n', end)}: end${end}${end}`)
      const expected = await framesOf([whole])
      expect(expected.map((frame) => frame.data)).toEqual(['é😀 one', 'two\nlines', 'three'])
      expect(await framesOf(Array.from(whole, (byte) => Uint8Array.of(byte)))).toEqual(expected)
      for (let seed = 1; seed <= 100; seed += 1) {
        const random = createRandom(seed)
        const chunks: Uint8Array[] = []
        for (let at = 0; at < whole.length; ) {
          const size = 1 + random(9)
          chunks.push(whole.slice(at, at + size))
          at += size
        }
        expect(await framesOf(chunks)).toEqual(expected)
      }
    }
  })

  it('takes time in proportion to the size of a frame that arrives in many chunks', async () => {
    const chunk = bytes('x'.repeat(256))
    const time = async (count: number) => {
      const start = process.cpuUsage() // the load of the machine does not count
      const frames = await framesOf([bytes('data: '), ...Array.from({ length: count }, () => chunk), bytes('\n\n')])
      expect(frames[0]?.data).toHaveLength(count * 256)
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    }
    // Sixteen times the chunks: quadratic work takes 256 times as long in every attempt, garbage collection only in some.
    const growth = async () => {
      const small = Math.min(await time(500), await time(500), await time(500))
      return (await time(8000)) / Math.max(small, 3)
    }
    await expect.poll(growth).toBeLessThan(16 * 5)
  })

  it('ends when no bytes arrive for too long, and cancels the stream', async () => {
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes('data: a\n\n')),
      cancel: () => {
        isCancelled = true
      },
    })
    const frames: SseFrame[] = []
    for await (const frame of readSseFrames(stream, 20)) frames.push(frame)
    expect(frames).toHaveLength(1)
    expect(isCancelled).toBe(true)
  })

  it('cancels the stream when the reader stops early', async () => {
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes('data: a\n\n')),
      cancel: () => {
        isCancelled = true
      },
    })
    for await (const frame of readSseFrames(stream)) if (frame.data === 'a') break
    expect(isCancelled).toBe(true)
  })
})
