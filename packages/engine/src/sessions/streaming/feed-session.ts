// Replays the log, then continues live, without losing or repeating an event in between.

import {
  type AgentStreamSnapshot,
  createWakeSignal,
  isDurable,
  type SessionId,
  type StreamedEvent,
  unknownId,
} from '@quarterdeck/protocol'
import { yieldToEventLoop } from '../../async/yield-to-event-loop.ts'
import type { Bus } from '../../ports/bus.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { requireCursor, requireSession } from '../rules/invariants.ts'
import type { EventSink } from '../session-service.ts'

export interface FeedDependencies {
  readonly store: EventStore
  readonly bus: Bus
  /** Text in progress as this process has shown it, or `null` when it does not hold the session. */
  readonly openTexts: (sessionId: SessionId) => readonly AgentStreamSnapshot[] | null
}

export interface FeedFrom {
  readonly sessionId: SessionId
  readonly after: number
  readonly signal: AbortSignal
}

/** An event may have hundreds of kilobytes: the first page limits the memory cost of a slow reader. */
const firstPageSize = 10
/** Pages grow to this size while the sink takes them whole. */
const largestPage = 500
/** How often the log is read while another process may be writing it. */
const pollMs = 1000

/**
 * Live events go from the bus into the sink within one call: with many readers, a promise per reader and event would
 * take most of the CPU. Resolves when the signal aborts; rejects when the session is deleted.
 */
export async function feedSession(dependencies: FeedDependencies, from: FeedFrom, sink: EventSink): Promise<void> {
  const { sessionId, signal } = from
  requireCursor(requireSession(await dependencies.store.load(sessionId), sessionId), from.after)
  const reader: Reader = { ...dependencies, ...from, sink, last: from.after, published: 0, isLive: false }
  const wakeSignal = createWakeSignal()
  let isGone = false
  const unsubscribe = dependencies.bus.subscribe(sessionId, (events) => {
    if (events === null) isGone = true
    else receive(reader, events)
    if (isGone || !reader.isLive) wakeSignal.notify()
  })
  const poll = setInterval(() => {
    if (dependencies.openTexts(sessionId) === null) wakeSignal.notify()
  }, pollMs)
  signal.addEventListener('abort', wakeSignal.notify)
  try {
    while (!signal.aborted) {
      await catchUp(reader)
      if (isGone) throw unknownId('sessionId', sessionId)
      while (reader.isLive && !signal.aborted) {
        await wakeSignal.notified()
        if (isGone) throw unknownId('sessionId', sessionId)
        if (reader.isLive && (await isBehind(reader))) reader.isLive = false
      }
      if (!signal.aborted) await sink.drained()
    }
  } finally {
    clearInterval(poll)
    signal.removeEventListener('abort', wakeSignal.notify)
    unsubscribe()
  }
}

interface Reader extends FeedDependencies, FeedFrom {
  readonly sink: EventSink
  /** The last event that the sink has. */
  last: number
  /** The latest event that the bus has published, taken or not. */
  published: number
  isLive: boolean
}

function receive(reader: Reader, events: readonly StreamedEvent[]): void {
  const end = events.findLast(isDurable)?.seq ?? 0
  reader.published = Math.max(reader.published, end)
  if (!reader.isLive) return
  const fresh = unseen(events, reader.last)
  if (fresh?.length === 0) return
  reader.last = fresh === null ? reader.last : Math.max(reader.last, end)
  // An event was skipped, or the sink is full: continue from the log.
  reader.isLive = fresh !== null && reader.sink.take(fresh)
}

/** The events that come next; `null` if one in between is missing. Returns the same array if it needs all of it. */
function unseen(events: readonly StreamedEvent[], last: number): readonly StreamedEvent[] | null {
  let expected = last + 1
  let isWhole = true
  for (const event of events) {
    if (!isDurable(event)) continue
    if (event.seq > expected) return null
    if (event.seq === expected) expected += 1
    else isWhole = false // already read from the log
  }
  return isWhole ? events : events.filter((event) => !isDurable(event) || event.seq > last)
}

/** Hands over the rest of the log and then the text in progress. Everything after that is live. */
async function catchUp(reader: Reader): Promise<void> {
  const { store, sessionId, signal, sink, openTexts } = reader
  let size = firstPageSize
  while (!signal.aborted) {
    const { count, isTaken } = await handPage(reader, size)
    if (!isTaken) {
      await sink.drained()
      size = firstPageSize
      continue
    }
    if (count === size) {
      size = Math.min(2 * size, largestPage)
      continue
    }
    // The last message may have been committed a moment ago: let its writer close its text.
    if (count > 0) await yieldToEventLoop()
    const held = openTexts(sessionId)
    const texts = held ?? (await store.openTexts(sessionId))
    const isTakenOver = held === null && openTexts(sessionId) !== null
    if (signal.aborted || isTakenOver || reader.published > reader.last) continue
    // No await since the last read: the texts are exactly those before the first live event.
    reader.isLive = texts.length === 0 || sink.take(texts)
    return
  }
}

/** A refused page is read again later. The page is local to this call, so that no memory is held for a slow reader. */
async function handPage(reader: Reader, size: number): Promise<{ count: number; isTaken: boolean }> {
  const page = await reader.store.read(reader.sessionId, reader.last, size)
  const count = page.length
  for (let at = 0; at < count && !reader.signal.aborted; at += firstPageSize) {
    const events = page.slice(at, at + firstPageSize)
    reader.last = events.at(-1)?.seq ?? reader.last
    if (!reader.sink.take(events)) return { count, isTaken: false }
  }
  return { count, isTaken: true }
}

/** Another process writes this session: its events are in the log but not on this bus. */
async function isBehind({ store, openTexts, sessionId, last }: Reader): Promise<boolean> {
  if (openTexts(sessionId) !== null) return false
  return (await store.read(sessionId, last, 1)).length > 0 || (await store.openTexts(sessionId)).length > 0
}
