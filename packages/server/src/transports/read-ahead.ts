// Reads on while nobody takes what came: the end of an input is only seen by who reads that far.
import type { Frame } from './frame-queue.ts'

export interface ReadAhead {
  /** Everything in order. Throws what the reading threw, behind what came before. */
  frames(): AsyncIterable<Frame>
  /** Resolves when the input has ended, also with what is not taken yet. Never rejects. */
  readonly ended: Promise<void>
  /** Resolves when everything that came so far was taken, and whoever took it is done with it. */
  idle(): Promise<void>
}

export interface ReadAheadOptions {
  /** What may wait; beyond it the writer waits, and an end behind it is not seen. */
  readonly maxBytes: number
  /** Nobody takes anything any more. */
  readonly signal: AbortSignal
}

export function readAhead(input: AsyncIterable<Frame>, { maxBytes, signal }: ReadAheadOptions): ReadAhead {
  const waiting: Frame[] = []
  let bytes = 0
  let over: { readonly error?: unknown } | null = null
  let wakeReader: () => void = () => undefined
  let wakeTaker: () => void = () => undefined
  let isIdle = false
  let watchers: (() => void)[] = []
  signal.addEventListener('abort', () => wakeReader(), { once: true })

  async function read(): Promise<void> {
    for await (const frame of input) {
      waiting.push(frame)
      bytes += sizeOf(frame)
      wakeTaker()
      while (bytes > maxBytes && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve
        })
      }
    }
  }

  function rest(): void {
    isIdle = true
    for (const watcher of watchers) watcher()
    watchers = []
  }

  const ended = read()
    .then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    .then((end) => {
      over = end
      wakeTaker()
    })

  return {
    ended,
    idle: () => (isIdle && waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve))),
    async *frames() {
      for (let given = 1; ; given += 1) {
        isIdle = false
        if (given % framesInOneGo === 0) await yieldToEventLoop()
        const frame = waiting.shift()
        if (frame !== undefined) {
          bytes -= sizeOf(frame)
          wakeReader()
          yield frame
          continue
        }
        rest()
        if (over === null) {
          await new Promise<void>((resolve) => {
            wakeTaker = resolve
          })
        } else if ('error' in over) throw over.error
        else return
      }
    },
  }
}

const framesInOneGo = 64

/** What was read ahead would otherwise be answered within one turn of the loop, and nobody else be served. */
const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))

/** A frame costs something however short it is. */
const sizeOf = (frame: Frame): number => 100 + (frame.type === 'text' ? frame.text.length : 0)
