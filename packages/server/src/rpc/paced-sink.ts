// A sink for the events of one session on a shared connection: events are sent in turns, as capacity allows.
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
  let endTurn: () => void = () => undefined
  let held: Held | null = null
  signal.addEventListener('abort', () => endTurn())

  /** Sends as much as there is capacity for. False: no more before the next turn. */
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

  function turn(): Promise<void> {
    endTurn()
    const done = new Promise<void>((resolve) => {
      endTurn = resolve
    })
    return Promise.race([connection.turn(done), done])
  }

  return {
    take(events) {
      endTurn()
      if (signal.aborted) return true
      held = { events, texts: textsOf(events), at: 0 }
      return sendHeld()
    },
    async drained() {
      while (!signal.aborted) {
        await turn()
        if (signal.aborted || sendHeld()) return
      }
    },
  }
}
