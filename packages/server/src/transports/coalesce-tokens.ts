// Tokens of one message that come close together travel as one. Durable events never wait and are never overtaken.
import { type AgentStreamToken, isDurable, type StreamedEvent } from '@quarterdeck/protocol'

/** Bounds what one slow reader can make the server hold: the rest waits in the source. */
const maxBatch = 64

/**
 * Batches of a stream, in order. A batch that holds only tokens is filled for `windowMs`; a durable event closes it at
 * once, together with whatever else is already there. Nothing is read ahead beyond one event while a batch is out. With
 * a window of 0 an event goes out alone unless the next one came while the last batch was out.
 */
export async function* coalesceTokens(
  source: AsyncIterable<StreamedEvent>,
  windowMs: number,
): AsyncGenerator<readonly StreamedEvent[]> {
  const iterator = source[Symbol.asyncIterator]()
  let hasArrived = false
  const arrive = () => {
    hasArrived = true
  }
  const advance = () => {
    hasArrived = false
    const next = iterator.next()
    next.then(arrive, arrive) // it may fail while a batch is out; whoever awaits it next sees it
    return next
  }
  try {
    let next = advance()
    for (;;) {
      const isBurst = hasArrived
      const first = await next
      if (first.done === true) return
      next = advance()
      // The usual case of a live reader: one event, nothing to wait for, and no timer to pay for each of them.
      if (windowMs === 0 && !isBurst) {
        yield [first.value]
        continue
      }
      const batch = createBatch(first.value)
      const window = openWindow(windowMs)
      if (batch.isUrgent()) window.closeSoon()
      while (batch.size() < maxBatch) {
        // A failure waits its turn behind the batch that came before it.
        const arrived = await Promise.race([next.catch(() => 'closed' as const), window.closed])
        if (arrived === 'closed' || arrived.done === true) break
        next = advance()
        batch.add(arrived.value)
        if (batch.isUrgent()) window.closeSoon()
      }
      window.release()
      yield batch.events()
    }
  } finally {
    await iterator.return?.()
  }
}

function openWindow(windowMs: number) {
  let close: (closed: 'closed') => void
  const closed = new Promise<'closed'>((resolve) => {
    close = resolve
  })
  const timer = windowMs > 0 ? setTimeout(() => close('closed'), windowMs) : undefined
  let immediate: NodeJS.Immediate | undefined
  const closeSoon = () => {
    immediate ??= setImmediate(() => close('closed'))
  }
  if (windowMs === 0) closeSoon()
  return {
    closed,
    /** Closes once everything that is already there has had its turn. */
    closeSoon,
    release() {
      clearTimeout(timer)
      clearImmediate(immediate)
    },
  }
}

function createBatch(first: StreamedEvent) {
  const events: StreamedEvent[] = []
  /** Where the open token of each message stands; a durable event or a snapshot closes them all. */
  const places = new Map<string, number>()
  let isUrgent = false

  function add(event: StreamedEvent): void {
    if (event.type !== 'AgentStreamToken') {
      places.clear()
      isUrgent ||= isDurable(event)
      events.push(event)
      return
    }
    const key = `${event.data.kind}\n${event.data.messageId}\n${event.agent?.join('\n') ?? ''}`
    const place = places.get(key)
    const open = place === undefined ? undefined : events[place]
    if (place === undefined || open?.type !== 'AgentStreamToken') {
      places.set(key, events.push(event) - 1)
      return
    }
    events[place] = joined(open, event)
  }

  add(first)
  return { add, size: () => events.length, isUrgent: () => isUrgent, events: (): readonly StreamedEvent[] => events }
}

const joined = (one: AgentStreamToken, other: AgentStreamToken): AgentStreamToken => ({
  ...one,
  data: { ...one.data, text: one.data.text + other.data.text },
})
