import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { openTestTerminal } from './terminal.fixture.ts'
import { writeLines } from './write-lines.ts'

async function* lines(count: number, onLine: () => void = () => undefined) {
  for (let n = 1; n <= count; n += 1) {
    onLine()
    yield `line ${n}\n`
  }
}

/** A pipe whose reader leaves after the first chunk. */
function brokenPipe() {
  const pipe = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      setImmediate(() => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })))
    },
  })
  return pipe.on('error', () => undefined) // as the command does
}

it('ends quickly and without an error when the reader has left', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  let made = 0
  const all = lines(100_000, () => {
    made += 1
  })
  await writeLines({ ...terminal, stdout: brokenPipe() }, all)
  expect(made).toBeLessThan(10)
})

it('writes everything, no faster than it is read', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  const stdout = new PassThrough({ highWaterMark: 10 })
  let made = 0
  const writing = writeLines(
    { ...terminal, stdout },
    lines(50, () => {
      made += 1
    }),
  ).then(() => stdout.end())
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(made).toBeLessThan(10)
  let text = ''
  for await (const piece of stdout) text += piece
  await writing
  expect(text.trimEnd().split('\n')).toHaveLength(50)
  expect(stdout.listenerCount('drain')).toBe(0)
})
