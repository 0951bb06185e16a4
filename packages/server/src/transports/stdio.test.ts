import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Frame } from './socket.ts'
import { createStdioSocket } from './stdio.ts'

const kib = 1024

function openPipe(maxLineBytes = kib) {
  const input = new PassThrough()
  const output = new PassThrough()
  const line = createStdioSocket({ input, output, maxLineBytes })
  return { input, output, line }
}

async function framesOf(...chunks: readonly (string | Buffer)[]): Promise<Frame[]> {
  const { input, line } = openPipe()
  for (const chunk of chunks) input.write(chunk)
  input.end()
  return all(line.frames())
}

async function all(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const taken: Frame[] = []
  for await (const frame of frames) taken.push(frame)
  return taken
}

const text = (words: string): Frame => ({ type: 'text', text: words })

it('reads one message per line, however the bytes arrive', async () => {
  expect(await framesOf('{"a":1}\n{"b"', ':"ü', '"}\r\n\n  \r\n{"c":3}')).toEqual(
    ['{"a":1}', '{"b":"ü"}', '{"c":3}'].map(text),
  )
  const bytes = Buffer.from('{"é":"😀"}\n')
  expect(await framesOf(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual([text('{"é":"😀"}')])
})

it('accepts a byte order mark', async () => {
  expect(await framesOf('\uFEFF{"a":1}\n')).toEqual([text('{"a":1}')])
})

it('reports a line that is not UTF-8 and continues with the next', async () => {
  expect(await framesOf(Buffer.from([0x22, 0xff, 0x22, 0x0a]), '{}\n')).toEqual([{ type: 'binary' }, text('{}')])
})

it('reports the length of a line that is too long and continues with the next', async () => {
  const long = 'x'.repeat(700)
  expect(await framesOf(long, long, `${long}\n{}\n`)).toEqual([{ type: 'too-large', bytes: 2100 }, text('{}')])
  expect(await framesOf(`${'y'.repeat(kib)}\n`, long, long)).toEqual([
    text('y'.repeat(kib)),
    { type: 'too-large', bytes: 1400 },
  ])
})

it('does not read on while the last line is being processed', async () => {
  const { input, line } = openPipe(1024 * kib)
  const flood = `${JSON.stringify({ words: 'z'.repeat(60_000) })}\n`
  for (let sent = 0; sent < 50; sent += 1) input.write(flood)
  const frames = line.frames()[Symbol.asyncIterator]()
  await frames.next()
  await new Promise((resolve) => setImmediate(resolve))
  expect(input.readableLength + input.writableLength).toBeGreaterThan(45 * flood.length)
  await frames.return?.()
})

it('has no capacity for a reader that does not read, and regains it when it does', async () => {
  const { output, line } = openPipe()
  let sent = 0
  while (sent < 1000 && line.send('e'.repeat(10_000))) sent += 1
  expect(sent).toBeLessThan(20)
  let isDrained = false
  const drained = line.drained().then(() => {
    isDrained = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isDrained).toBe(false)
  output.resume()
  await drained
  expect(line.send('more')).toBe(true)
})

it('ends when its reader is gone: waiting resolves, and further output is dropped', async () => {
  const output = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) =>
      void setImmediate(() => done(Object.assign(new Error('gone'), { code: 'EPIPE' }))),
  })
  const input = new PassThrough()
  const line = createStdioSocket({ input, output, maxLineBytes: kib })
  const frames = all(line.frames())
  line.send('x'.repeat(200_000))
  await line.drained()
  expect(line.signal.aborted).toBe(true)
  expect(line.send('nothing')).toBe(true)
  expect(await frames).toEqual([])
})

it('ends when it is closed while it waits for a line', async () => {
  const { input, line } = openPipe()
  const frames = all(line.frames())
  input.write('{"half":')
  line.close(1000, '')
  expect(await frames).toEqual([])
  expect(line.signal.aborted).toBe(true)
})
