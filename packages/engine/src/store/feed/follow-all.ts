// Replays the log of all streams, then continues live, without losing or repeating an event in between.
import { createWakeSignal } from '@quarterdeck/protocol'
import type { LogPage, LogQuery, LogStore } from '../ports/streams.ts'

export interface FollowAllFrom extends Omit<LogQuery, 'limit'> {
  readonly signal: AbortSignal
}

/** An event may have hundreds of kilobytes: a page limits the memory cost of a slow reader. */
const pageSize = 100
/** How often the log is read for events of other processes. */
const pollMs = 1000

/**
 * Pages with at least one event. Reads the next page only when the reader asks for it, so a slow reader delays no
 * writer. Ends when a signal aborts.
 * @param closing aborts before the store closes.
 */
export async function* followAll(
  store: Pick<LogStore, 'readAll' | 'onAppended'>,
  { signal, ...from }: FollowAllFrom,
  closing = signal,
): AsyncGenerator<LogPage> {
  const wakeSignal = createWakeSignal()
  const hasEnded = () => signal.aborted || closing.aborted
  // Before the first read: an append after that read wakes the reader.
  const unsubscribe = store.onAppended(wakeSignal.notify)
  const poll = setInterval(wakeSignal.notify, pollMs)
  for (const ending of [signal, closing]) ending.addEventListener('abort', wakeSignal.notify)
  try {
    for (let { after } = from; !hasEnded(); ) {
      const page = await store.readAll({ ...from, after, limit: pageSize })
      if (hasEnded()) return
      after = page.next
      if (page.events.length > 0) yield page
      else await wakeSignal.notified()
    }
  } catch (error) {
    // The store may have closed during the last read.
    if (!hasEnded()) throw error
  } finally {
    clearInterval(poll)
    for (const ending of [signal, closing]) ending.removeEventListener('abort', wakeSignal.notify)
    unsubscribe()
  }
}
