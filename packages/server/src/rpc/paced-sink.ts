// A sink for the events of one session on a shared connection: events are sent in slots, as capacity allows.
import type { EventSink } from '@quarterdeck/engine'
import type { StreamedEvent } from '@quarterdeck/protocol'
import type { SharedConnection } from './share-connection.ts'

export interface PacedSinkOptions {
  readonly connection: SharedConnection
  readonly textsOf: (events: readonly StreamedEvent[]) => readonly string[]
  /** Called when a whole batch of events was sent. */
  readonly onSent: (events: readonly StreamedEvent[]) => void
  /** Aborts sending and waiting. */
  readonly signal: AbortSignal
}

/** Taken but not sent yet: an event may have hundreds of kilobytes. */
interface Held {
  readonly events: readonly StreamedEvent[]
  readonly texts: readonly string[]
  at: number
}

export function createPacedSink({ connection, textsOf, onSent, signal }: PacedSinkOptions): EventSink {
  let endSlot: () => void = () => undefined
  let held: Held | null = null
  signal.addEventListener('abort', () => endSlot())

  /** Sends as much as there is capacity for. False: no more before the next slot. */
  function sendHeld(): boolean {
    while (held !== null && connection.hasCapacity()) {
      const text = held.texts[held.at]
      if (text !== undefined) connection.send(text)
      held.at += 1
      if (held.at < held.texts.length) continue
      const { events } = held
      held = null
      onSent(events)
    }
    return connection.hasCapacity()
  }

  function waitForSlot(): Promise<void> {
    endSlot()
    const done = new Promise<void>((resolve) => {
      endSlot = resolve
    })
    return Promise.race([connection.waitForSlot(done), done])
  }

  return {
    take(events) {
      endSlot()
      if (signal.aborted) return true
      held = { events, texts: textsOf(events), at: 0 }
      return sendHeld()
    },
    async drained() {
      while (!signal.aborted) {
        await waitForSlot()
        if (signal.aborted || sendHeld()) return
      }
    },
  }
}
