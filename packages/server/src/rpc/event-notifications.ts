import type { SessionId, StreamedEvent } from '@quarterdeck/protocol'

/** Every reader of a live event is handed the same array: it is written out once for all of them. */
const written = new WeakMap<readonly StreamedEvent[], readonly string[]>()

/** One `session.event` for each. */
export function notificationsOf(sessionId: SessionId, events: readonly StreamedEvent[]): readonly string[] {
  const known = written.get(events)
  if (known !== undefined) return known
  const texts = events.map((event) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'session.event', params: { sessionId, event } }),
  )
  written.set(events, texts)
  return texts
}
