// Replay, then live, with nothing lost and nothing doubled where the two meet.
import {
  type AgentStreamSnapshot,
  isDurable,
  type SessionEvent,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import type { Bus } from '../bus.ts'
import type { EventStore } from '../store/event-store.ts'
import { requireCursor, requireSession } from './invariants.ts'

export interface FollowDependencies {
  readonly store: EventStore
  readonly bus: Bus
  /** Text in progress as this process has shown it, or `null` when it does not hold the session. */
  readonly openTexts: (sessionId: SessionId) => readonly AgentStreamSnapshot[] | null
}

const pageSize = 500
const bufferLimit = 2000
/** How often the log is looked at while another process may be writing it. */
const pollMs = 1000

export async function* followSession(
  dependencies: FollowDependencies,
  from: { readonly sessionId: SessionId; readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<StreamedEvent> {
  const { store } = dependencies
  const { sessionId, signal } = from
  requireCursor(requireSession(await store.load(sessionId)), from.after)
  const inbox = createInbox(dependencies.bus, sessionId)
  let last = from.after
  try {
    for (;;) {
      for await (const event of readAll(store, sessionId, last)) {
        last = event.seq
        yield event
      }
      // No wait between these two lines: the snapshot is exactly what was shown before the inbox starts.
      inbox.reset()
      const texts = dependencies.openTexts(sessionId) ?? (await store.openTexts(sessionId))
      for (const text of texts) yield text
      for await (const event of inbox.read(signal)) {
        if (event === null) {
          if (await isBehind(dependencies, sessionId, last)) break
        } else if (!isDurable(event)) yield event
        else if (event.seq === last + 1) {
          last = event.seq
          yield event
        } else if (event.seq > last) break // something was missed: read the log again
      }
      if (signal.aborted) return
    }
  } finally {
    inbox.close()
  }
}

async function* readAll(store: EventStore, sessionId: SessionId, after: number): AsyncGenerator<SessionEvent> {
  for (let last = after; ; ) {
    const page = await store.read(sessionId, last, pageSize)
    yield* page
    const end = page.at(-1)
    if (end === undefined || page.length < pageSize) return
    last = end.seq
  }
}

/** Another process writes this session: its events are in the log but not on this bus. */
async function isBehind(
  { store, openTexts }: FollowDependencies,
  sessionId: SessionId,
  last: number,
): Promise<boolean> {
  if (openTexts(sessionId) !== null) return false
  return (await store.read(sessionId, last, 1)).length > 0 || (await store.openTexts(sessionId)).length > 0
}

/** What was published meanwhile, bounded: a reader that falls behind goes back to the log. */
function createInbox(bus: Bus, sessionId: SessionId) {
  let events: StreamedEvent[] = []
  let hasOverflowed = false
  let wake: () => void = () => undefined
  const unsubscribe = bus.subscribe(sessionId, (published) => {
    if (events.length + published.length > bufferLimit) hasOverflowed = true
    else events.push(...published)
    wake()
  })

  /**
   * `null` every now and then: time to look whether the log has moved elsewhere. Ends after an overflow: the log has to
   * be read again. One timer and one listener for all of it: a pair per event is what most of a reader's CPU went into.
   */
  async function* read(signal: AbortSignal): AsyncGenerator<StreamedEvent | null> {
    let isLookDue = false
    const poll = setInterval(() => {
      isLookDue = true
      wake()
    }, pollMs)
    const onAbort = () => wake()
    signal.addEventListener('abort', onAbort)
    try {
      while (!signal.aborted) {
        const batch = events
        events = []
        for (const event of batch) yield event
        if (hasOverflowed) return
        if (isLookDue) yield null
        isLookDue = false
        if (events.length === 0) await nextWake(signal)
      }
    } finally {
      clearInterval(poll)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** The caller has just seen that there is nothing: no wait in between, or a wake would be missed. */
  function nextWake(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || hasOverflowed) return resolve()
      wake = resolve
    })
  }

  return {
    reset() {
      events = events.filter(isDurable)
      hasOverflowed = false
    },
    read,
    close: unsubscribe,
  }
}
