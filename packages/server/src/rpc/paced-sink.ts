// A sink for the events of one session, on a line that others use too: they go out as there is room, in turns.
import type { EventSink } from '@quarterdeck/engine'
import type { StreamedEvent } from '@quarterdeck/protocol'
import type { SharedConnection } from './share-connection.ts'

export interface PacedSinkOptions {
  readonly connection: SharedConnection
  readonly textsOf: (events: readonly StreamedEvent[]) => readonly string[]
  /** Told when all of what was taken at once has gone out. */
  readonly onSent: (events: readonly StreamedEvent[]) => void
  /** Nothing is sent or waited for any more. */
  readonly signal: AbortSignal
}

/** Taken, and not sent yet: an event may be hundreds of kilobytes. */
interface Held {
  readonly events: readonly StreamedEvent[]
  readonly texts: readonly string[]
  at: number
}

export function createPacedSink({ connection, textsOf, onSent, signal }: PacedSinkOptions): EventSink {
  let endTurn: () => void = () => undefined
  let held: Held | null = null
  signal.addEventListener('abort', () => endTurn())

  /** Sends what there is room for. False: no more before the next turn. */
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
