// A pipe as a connection: one message per line, bounded and with back-pressure in both directions.
import type { Readable, Writable } from 'node:stream'
import { hasErrorCode } from '@quarterdeck/protocol'
import { createDrainWaiters, highWaterMarkBytes } from './drain-waiters.ts'
import type { Frame, Socket } from './socket.ts'

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  /** The longest accepted line. */
  readonly maxLineBytes: number
}

/**
 * The pipe with the interface of a socket. `frames` ends with the input; the output stays open. A line that is not
 * UTF-8 is a `binary` frame. `signal` aborts when the output is closed, or at `close`.
 */
export function createStdioSocket({ input, output, maxLineBytes }: StdioOptions): Socket {
  const over = new AbortController()
  const hasCapacity = () => output.writableLength < highWaterMarkBytes
  const waiters = createDrainWaiters(() => over.signal.aborted || hasCapacity())

  function end(): void {
    if (over.signal.aborted) return
    over.abort()
    output.off('drain', waiters.release)
    output.off('close', end)
    // Never removed: an error may still arrive after closing, and would otherwise be uncaught.
    input.destroy()
    waiters.release()
  }

  output.on('drain', waiters.release)
  output.on('error', end)
  output.on('close', end)
  if (output.destroyed) end()

  return {
    signal: over.signal,
    send(text) {
      if (over.signal.aborted) return true
      output.write(`${text}\n`)
      return hasCapacity()
    },
    drained: waiters.drained,
    async *frames() {
      try {
        yield* framesOf(input, maxLineBytes)
      } catch (error) {
        // A broken pipe counts as ended; a pipe closed here was destroyed on purpose.
        if (!isClosedPipe(error)) throw error
      }
    },
    close: end,
  }
}

const newline = 0x0a

/** Only the length of a line that is too long is kept. */
async function* framesOf(input: Readable, maxLineBytes: number): AsyncGenerator<Frame> {
  let parts: Buffer[] = []
  let length = 0
  const take = (bytes: Buffer) => {
    length += bytes.byteLength
    if (length > maxLineBytes) parts = []
    else if (bytes.byteLength > 0) parts.push(bytes)
  }
  const finish = (): Frame | null => {
    const line = length > maxLineBytes ? ({ type: 'too-large', bytes: length } as const) : frameOf(Buffer.concat(parts))
    parts = []
    length = 0
    return line
  }
  for await (const chunk of input) {
    let rest = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk)
    for (let at = rest.indexOf(newline); at !== -1; at = rest.indexOf(newline)) {
      take(rest.subarray(0, at))
      rest = rest.subarray(at + 1)
      const frame = finish()
      if (frame !== null) yield frame
    }
    take(rest)
  }
  const last = finish()
  if (last !== null) yield last
}

/** `null` for an empty line. A byte order mark is removed. */
function frameOf(bytes: Buffer): Frame | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim()
    return text === '' ? null : { type: 'text', text }
  } catch {
    return { type: 'binary' } // not UTF-8: reported by the reader of the frame
  }
}

const isClosedPipe = (error: unknown): boolean =>
  hasErrorCode(error, 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'EPIPE', 'ECONNRESET', 'EIO')
