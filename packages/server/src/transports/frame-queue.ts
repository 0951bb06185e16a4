// Frames that were received but not read. A full queue pauses reading, and with it the client.

import { yieldToEventLoop } from '@quarterdeck/engine'
import { createWakeSignal } from '@quarterdeck/protocol'

/** A received frame. A frame that is too large was discarded. */
export type Frame =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'binary' }
  | { readonly type: 'too-large'; readonly bytes: number }

/** The connection, whose reading can be paused. */
export interface PausableSource {
  readonly isPaused: boolean
  pause(): void
  resume(): void
}

const maxFrames = 64
const maxBytes = 1024 * 1024

export function createFrameQueue(source: PausableSource) {
  let waiting: Frame[] = []
  let bytes = 0
  let isOver = false
  const wakeSignal = createWakeSignal()
  const isFull = (share: number) => waiting.length >= maxFrames * share || bytes >= maxBytes * share

  return {
    push(frame: Frame) {
      if (isOver) return
      waiting.push(frame)
      bytes += sizeOf(frame)
      if (isFull(1)) source.pause()
      wakeSignal.notify()
    },
    /** All frames in order, until `end`. */
    async *frames(): AsyncIterable<Frame> {
      for (let given = 1; !isOver; given += 1) {
        // Otherwise one connection could use the event loop alone for as long as frames arrive.
        if (given % maxFrames === 0) await yieldToEventLoop()
        const frame = waiting.shift()
        if (frame === undefined) {
          await wakeSignal.notified()
          continue
        }
        bytes -= sizeOf(frame)
        if (source.isPaused && !isFull(0.5)) source.resume()
        yield frame
      }
    },
    /** Discards everything from now on but keeps reading: the end of a connection is seen only by reading. */
    end() {
      isOver = true
      waiting = []
      if (source.isPaused) source.resume()
      wakeSignal.notify()
    },
  }
}

const sizeOf = (frame: Frame): number => (frame.type === 'text' ? frame.text.length : 0)
