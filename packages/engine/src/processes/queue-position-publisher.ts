// The current queue positions. They are shown to followers and never stored.
import type { Queue, QueuePosition, RequestName, SessionId } from '@quarterdeck/protocol'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'

export type WaitingSession = Queue['waiting'][number]
export type About = Pick<WaitingSession, 'agentName' | 'title'>

export type QueuePositionPublisher = ReturnType<typeof createQueuePositionPublisher>

interface Entry {
  own: QueuePosition | null
  /** Several subagents may wait at once: the position of the foremost counts. */
  readonly requests: Map<string, { readonly position: number; readonly waiting: number }>
  readonly since: string
  readonly about: () => About
  published: QueuePosition | null
}

export function createQueuePositionPublisher({ bus, clock }: { readonly bus: Bus; readonly clock: Clock }) {
  const entries = new Map<SessionId, Entry>()

  function entryOf(sessionId: SessionId, about: () => About): Entry {
    const known = entries.get(sessionId)
    if (known !== undefined) return known
    const entry = { own: null, requests: new Map(), since: clock.now().toISOString(), about, published: null }
    entries.set(sessionId, entry)
    return entry
  }

  function publishChange(sessionId: SessionId, entry: Entry): void {
    const queuePosition = positionOf(entry)
    if (queuePosition === null) entries.delete(sessionId)
    if (isSame(entry.published, queuePosition)) return
    entry.published = queuePosition
    bus.publish(sessionId, [{ type: 'QueuePlaceChanged', agent: null, data: { queuePosition } }])
  }

  return {
    /** `null` when the session has been admitted or has given up. */
    show(sessionId: SessionId, queuePosition: QueuePosition | null, about: () => About) {
      const entry = queuePosition === null ? entries.get(sessionId) : entryOf(sessionId, about)
      if (entry === undefined) return
      entry.own = queuePosition
      publishChange(sessionId, entry)
    },
    /** A model request of the session waits for the provider's rate limit. */
    showRequest(
      { sessionId, requestId }: RequestName,
      queuePosition: { readonly position: number; readonly waiting: number } | null,
      about: () => About,
    ) {
      const entry = queuePosition === null ? entries.get(sessionId) : entryOf(sessionId, about)
      if (entry === undefined) return
      if (queuePosition === null) entry.requests.delete(requestId)
      else entry.requests.set(requestId, queuePosition)
      publishChange(sessionId, entry)
    },
    queuePosition: (sessionId: SessionId): QueuePosition | null => entries.get(sessionId)?.published ?? null,
    waiting: (): readonly WaitingSession[] =>
      [...entries].flatMap(([sessionId, { published, since, about }]) =>
        published === null ? [] : [{ sessionId, ...about(), queuePosition: published, since }],
      ),
  }
}

function positionOf({ own, requests }: Entry): QueuePosition | null {
  if (own !== null) return own
  const first = [...requests.values()].sort((one, other) => one.position - other.position)[0]
  return first === undefined ? null : { reason: 'rate', position: first.position, waiting: first.waiting }
}

const isSame = (one: QueuePosition | null, other: QueuePosition | null): boolean =>
  one?.reason === other?.reason && one?.position === other?.position && one?.waiting === other?.waiting
