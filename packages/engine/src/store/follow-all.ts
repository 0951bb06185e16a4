// Replays the log of all streams, then continues live, without losing or repeating an event in between.
import { createWakeSignal } from '@quarterdeck/protocol'
import type { LogPage, LogQuery, LogStore } from './ports/streams.ts'

export interface FollowAllFrom extends Omit<LogQuery, 'limit'> {
  readonly signal: AbortSignal
}

/** An event may have hundreds of kilobytes: a page limits the memory cost of a slow reader. */
const pageSize = 100
/** How often the log is read for events of other processes. */
const pollMs = 1000

/**
 * Pages with at least one event. Reads the next page only when the reader asks for it, so a slow reader delays no
 * writer. Ends when the signal aborts, which must happen before the store closes.
 */
export async function* followAll(
  store: Pick<LogStore, 'readAll' | 'onAppended'>,
  { signal, ...from }: FollowAllFrom,
): AsyncGenerator<LogPage> {
  const wakeSignal = createWakeSignal()
  // Before the first read: an append after that read wakes the reader.
  const unsubscribe = store.onAppended(wakeSignal.notify)
  const poll = setInterval(wakeSignal.notify, pollMs)
  signal.addEventListener('abort', wakeSignal.notify)
  try {
    for (let { after } = from; !signal.aborted; ) {
      const page = await store.readAll({ ...from, after, limit: pageSize })
      if (signal.aborted) return
      after = page.next
      if (page.events.length > 0) yield page
      else await wakeSignal.notified()
    }
  } catch (error) {
    // The store may have closed during the last read.
    if (!signal.aborted) throw error
  } finally {
    clearInterval(poll)
    signal.removeEventListener('abort', wakeSignal.notify)
    unsubscribe()
  }
}
