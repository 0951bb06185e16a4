// Who waits for what and at which place: a matter of the moment, told to whoever watches and kept nowhere.
import type { Queue, QueuePlace, SessionId } from '@quarterdeck/protocol'
import type { Bus } from '../bus.ts'
import type { RequestName } from '../model-gateway.ts'
import type { Clock } from '../store/event-store.ts'

export type WaitingSession = Queue['waiting'][number]
export type About = Pick<WaitingSession, 'agentName' | 'title'>

export interface QueueBoard {
  /** `null` when the session is through, or gave up. */
  show(sessionId: SessionId, place: QueuePlace | null, about: () => About): void
  /** A model request of the session waits for the provider's rate. */
  showRequest(
    request: RequestName,
    place: { readonly position: number; readonly waiting: number } | null,
    about: () => About,
  ): void
  place(sessionId: SessionId): QueuePlace | null
  waiting(): readonly WaitingSession[]
}

interface Entry {
  own: QueuePlace | null
  /** Several subagents may wait at once: the session stands where the foremost of them does. */
  readonly requests: Map<string, { readonly position: number; readonly waiting: number }>
  readonly since: string
  readonly about: () => About
  shown: QueuePlace | null
}

export function createQueueBoard({ bus, clock }: { readonly bus: Bus; readonly clock: Clock }): QueueBoard {
  const entries = new Map<SessionId, Entry>()

  function entryOf(sessionId: SessionId, about: () => About): Entry {
    const known = entries.get(sessionId)
    if (known !== undefined) return known
    const entry = { own: null, requests: new Map(), since: clock.now().toISOString(), about, shown: null }
    entries.set(sessionId, entry)
    return entry
  }

  function tell(sessionId: SessionId, entry: Entry): void {
    const place = placeOf(entry)
    if (place === null) entries.delete(sessionId)
    if (isSame(entry.shown, place)) return
    entry.shown = place
    bus.publish(sessionId, [{ type: 'QueuePlaceChanged', agent: null, data: { place } }])
  }

  return {
    show(sessionId, place, about) {
      const entry = place === null ? entries.get(sessionId) : entryOf(sessionId, about)
      if (entry === undefined) return
      entry.own = place
      tell(sessionId, entry)
    },
    showRequest({ sessionId, requestId }, place, about) {
      const entry = place === null ? entries.get(sessionId) : entryOf(sessionId, about)
      if (entry === undefined) return
      if (place === null) entry.requests.delete(requestId)
      else entry.requests.set(requestId, place)
      tell(sessionId, entry)
    },
    place: (sessionId) => entries.get(sessionId)?.shown ?? null,
    waiting: () =>
      [...entries].flatMap(([sessionId, { shown, since, about }]) =>
        shown === null ? [] : [{ sessionId, ...about(), place: shown, since }],
      ),
  }
}

function placeOf({ own, requests }: Entry): QueuePlace | null {
  if (own !== null) return own
  const foremost = [...requests.values()].sort((one, other) => one.position - other.position)[0]
  return foremost === undefined ? null : { reason: 'rate', position: foremost.position, waiting: foremost.waiting }
}

const isSame = (one: QueuePlace | null, other: QueuePlace | null): boolean =>
  one?.reason === other?.reason && one?.position === other?.position && one?.waiting === other?.waiting
