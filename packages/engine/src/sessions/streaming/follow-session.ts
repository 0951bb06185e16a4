// Follows a session at the reader's own pace, with a bounded buffer.
import { createWakeSignal, type StreamedEvent } from '@quarterdeck/protocol'
import { type FeedDependencies, type FeedFrom, feedSession } from './feed-session.ts'

const bufferLimit = 2000

export async function* followSession(dependencies: FeedDependencies, from: FeedFrom): AsyncGenerator<StreamedEvent> {
  const left = new AbortController()
  const leave = () => left.abort()
  from.signal.addEventListener('abort', leave)
  if (from.signal.aborted) leave()
  const inbox = createInbox(left.signal)
  const feeding = feedSession(dependencies, { ...from, signal: left.signal }, inbox).then(
    () => inbox.end(null),
    (error: unknown) => inbox.end({ error }),
  )
  try {
    for (;;) {
      const batch = await inbox.next()
      if (batch === null) return
      for (const event of batch) {
        if (left.signal.aborted) return
        yield event
      }
    }
  } finally {
    leave()
    from.signal.removeEventListener('abort', leave)
    await feeding
  }
}

function createInbox(left: AbortSignal) {
  const filled = createWakeSignal()
  const emptied = createWakeSignal()
  left.addEventListener('abort', emptied.notify)
  let events: StreamedEvent[] = []
  let isOver = false
  let failure: { readonly error: unknown } | null = null
  return {
    take(published: readonly StreamedEvent[]) {
      for (const event of published) events.push(event)
      filled.notify()
      return events.length < bufferLimit
    },
    async drained() {
      while (events.length > 0 && !left.aborted) await emptied.notified()
    },
    end(reason: typeof failure) {
      isOver = true
      failure = reason
      filled.notify()
    },
    /** All buffered events, or `null` at the end. Throws the error that ended the feed. */
    async next(): Promise<readonly StreamedEvent[] | null> {
      while (events.length === 0) {
        if (failure !== null) throw failure.error
        if (isOver) return null
        await filled.notified()
      }
      const batch = events
      events = []
      emptied.notify()
      return batch
    },
  }
}
