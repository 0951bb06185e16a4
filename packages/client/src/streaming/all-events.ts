import type { EventPage, EventsQuery, SessionEvent } from '@quarterdeck/protocol'

/** Every event of a log up to its current end, page by page. */
export async function* allEvents(
  readPage: (query: EventsQuery) => Promise<EventPage>,
): AsyncGenerator<SessionEvent, void> {
  for (let after = 0, hasMore = true; hasMore; ) {
    const page = await readPage({ after: String(after), limit: 1000 })
    yield* page.events
    after = page.events.at(-1)?.seq ?? after
    hasMore = page.hasMore && page.events.length > 0
  }
}
