// The events of one subscription until somebody takes them. A reader that dawdles costs no more than this holds.
import type { SentEvent } from '../streaming/follow-events.ts'

export interface EventInbox {
  /** Nothing more is taken once it is full or ended. */
  put(event: SentEvent): void
  /** No more will come: what is there is still given out, then this error is thrown, if any. */
  end(error?: unknown): void
  readonly isFull: () => boolean
  /** Until the end. */
  events(): AsyncGenerator<SentEvent>
}

export const maxWaitingEvents = 1000

export function createEventInbox(onFull: () => void): EventInbox {
  const waiting: SentEvent[] = []
  let isFull = false
  let ended: { readonly error: unknown } | null = null
  let wake: () => void = () => undefined

  return {
    isFull: () => isFull,
    put(event) {
      if (isFull || ended !== null) return
      waiting.push(event)
      if (waiting.length >= maxWaitingEvents) {
        isFull = true
        onFull()
      }
      wake()
    },
    end(error) {
      ended ??= { error }
      wake()
    },
    async *events() {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (ended !== null && ended.error !== undefined) throw ended.error
        else if (ended !== null || isFull) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    },
  }
}
