// Buffers the events of one subscription for its reader. The buffer is bounded.
import { createWakeSignal } from '@quarterdeck/protocol'
import type { SentEvent } from '../streaming/follow-events.ts'

export interface EventInbox {
  /** Ignored once the inbox is full or ended. */
  put(event: SentEvent): void
  /** Buffered events are still delivered, then the error is thrown, if any. */
  end(error?: unknown): void
  readonly isFull: () => boolean
  /** Ends with the inbox. */
  events(): AsyncGenerator<SentEvent>
}

export const maxWaitingEvents = 1000

export function createEventInbox(onFull: () => void): EventInbox {
  const waiting: SentEvent[] = []
  let isFull = false
  let ended: { readonly error: unknown } | null = null
  const wakeSignal = createWakeSignal()

  return {
    isFull: () => isFull,
    put(event) {
      if (isFull || ended !== null) return
      waiting.push(event)
      if (waiting.length >= maxWaitingEvents) {
        isFull = true
        onFull()
      }
      wakeSignal.notify()
    },
    end(error) {
      ended ??= { error }
      wakeSignal.notify()
    },
    async *events() {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (ended !== null && ended.error !== undefined) throw ended.error
        else if (ended !== null || isFull) return
        else await wakeSignal.notified()
      }
    },
  }
}
