// Reads ahead of the consumer, because the end of an input is seen only by reading up to it.

import { yieldToEventLoop } from '@quarterdeck/engine'
import { createWakeSignal } from '@quarterdeck/protocol'
import type { Frame } from './frame-queue.ts'

export interface ReadAheadOptions {
  /** Limit of waiting bytes; beyond it the writer is blocked, and an end behind it is not seen. */
  readonly maxBytes: number
  /** Stops taking frames. */
  readonly signal: AbortSignal
}

export function readAhead(input: AsyncIterable<Frame>, { maxBytes, signal }: ReadAheadOptions) {
  const waiting: Frame[] = []
  let bytes = 0
  let over: { readonly error?: unknown } | null = null
  const readerWake = createWakeSignal()
  const takerWake = createWakeSignal()
  let isIdle = false
  let watchers: (() => void)[] = []
  signal.addEventListener('abort', readerWake.notify, { once: true })

  async function read(): Promise<void> {
    for await (const frame of input) {
      waiting.push(frame)
      bytes += sizeOf(frame)
      takerWake.notify()
      while (bytes > maxBytes && !signal.aborted) await readerWake.notified()
    }
  }

  function rest(): void {
    isIdle = true
    for (const watcher of watchers) watcher()
    watchers = []
  }

  /** Resolves when the input has ended, even if frames are left. Never rejects. */
  const ended = read()
    .then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    .then((end) => {
      over = end
      takerWake.notify()
    })

  return {
    ended,
    /** Resolves when every received frame was taken and processed. */
    idle: (): Promise<void> =>
      isIdle && waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve)),
    /** All frames in order. Throws a read error after the frames that came before. */
    async *frames(): AsyncIterable<Frame> {
      for (let given = 1; ; given += 1) {
        isIdle = false
        // Otherwise one input could use the event loop alone for as long as frames wait.
        if (given % framesPerYield === 0) await yieldToEventLoop()
        const frame = waiting.shift()
        if (frame !== undefined) {
          bytes -= sizeOf(frame)
          readerWake.notify()
          yield frame
          continue
        }
        rest()
        if (over === null) await takerWake.notified()
        else if ('error' in over) throw over.error
        else return
      }
    },
  }
}

const framesPerYield = 64

/** A frame has a minimum cost, however short it is. */
const sizeOf = (frame: Frame): number => 100 + (frame.type === 'text' ? frame.text.length : 0)
