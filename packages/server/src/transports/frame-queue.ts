// What a client sent ahead of what was read. A full queue stops the reading, and with it the client.

/** What a client sent. A frame that is too large was thrown away. */
export type Frame =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'binary' }
  | { readonly type: 'too-large'; readonly bytes: number }

export interface FrameQueue {
  push(frame: Frame): void
  /** Everything in order, until `end`. */
  frames(): AsyncIterable<Frame>
  /** Nothing is given out or kept any more, and reading goes on: an end is only seen by who reads. */
  end(): void
}

/** The connection: reading can be stopped. */
export interface PausableSource {
  readonly isPaused: boolean
  pause(): void
  resume(): void
}

const maxFrames = 64
const maxBytes = 1024 * 1024

export function createFrameQueue(source: PausableSource): FrameQueue {
  let waiting: Frame[] = []
  let bytes = 0
  let isOver = false
  let wake: () => void = () => undefined
  const isFull = (share: number) => waiting.length >= maxFrames * share || bytes >= maxBytes * share

  return {
    push(frame) {
      if (isOver) return
      waiting.push(frame)
      bytes += sizeOf(frame)
      if (isFull(1)) source.pause()
      wake()
    },
    async *frames() {
      for (let given = 1; !isOver; given += 1) {
        if (given % maxFrames === 0) await yieldToEventLoop()
        const frame = waiting.shift()
        if (frame === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          continue
        }
        bytes -= sizeOf(frame)
        if (source.isPaused && !isFull(0.5)) source.resume()
        yield frame
      }
    },
    end() {
      isOver = true
      waiting = []
      if (source.isPaused) source.resume()
      wake()
    },
  }
}

/** Reading, answering and reading again would otherwise go on within one turn of the loop, and nobody else be served. */
const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))

const sizeOf = (frame: Frame): number => (frame.type === 'text' ? frame.text.length : 0)
