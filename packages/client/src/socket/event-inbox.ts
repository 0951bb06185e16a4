// Buffers the events of one subscription for its reader. The buffer is bounded.
import { createWakeSignal } from '@quarterdeck/protocol'
import type { SentEvent } from '../streaming/follow-events.ts'

export type EventInbox = ReturnType<typeof createEventInbox>

export const maxWaitingEvents = 1000

export function createEventInbox(onFull: () => void) {
  const waiting: SentEvent[] = []
  let isFull = false
  let ended: { readonly error: unknown } | null = null
  const wakeSignal = createWakeSignal()

  return {
    isFull: (): boolean => isFull,
    /** Ignored once the inbox is full or ended. */
    put(event: SentEvent) {
      if (isFull || ended !== null) return
      waiting.push(event)
      if (waiting.length >= maxWaitingEvents) {
        isFull = true
        onFull()
      }
      wakeSignal.notify()
    },
    /** Buffered events are still delivered, then the error is thrown, if any. */
    end(error?: unknown) {
      ended ??= { error }
      wakeSignal.notify()
    },
    /** Ends with the inbox. */
    async *events(): AsyncGenerator<SentEvent> {
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
