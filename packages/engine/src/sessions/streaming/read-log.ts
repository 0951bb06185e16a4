import type { SessionEvent, SessionId } from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'

const pageSize = 1000

/** A session's events from the first to `lastSeq`, page by page. */
export async function* readLog(
  store: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  lastSeq = Number.POSITIVE_INFINITY,
): AsyncGenerator<SessionEvent> {
  let after = 0
  for (;;) {
    const page = await store.read(sessionId, after, pageSize)
    for (const event of page) {
      if (event.seq > lastSeq) return
      yield event
      after = event.seq
    }
    if (page.length < pageSize) return
  }
}
