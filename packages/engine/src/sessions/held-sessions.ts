// The sessions this process has taken. One that works or has a process is kept; any other is only remembered, and its
// state goes when nobody uses it any more: whoever asks for it meanwhile still gets the same one.
import type { SessionId } from '@quarterdeck/protocol'
import type { LiveSession } from './live-session.ts'

export interface HeldSessions {
  /** The one there is, or the one `take` makes; whoever asks meanwhile waits for the same. */
  get(sessionId: SessionId, take: () => Promise<LiveSession>): Promise<LiveSession>
  /** Keeps it in memory until `release`. */
  keep(live: LiveSession): void
  release(live: LiveSession): void
  /** It is no longer ours. */
  forget(sessionId: SessionId): void
  has(sessionId: SessionId): boolean
  /** If it is in memory. */
  peek(sessionId: SessionId): LiveSession | null
  kept(): readonly LiveSession[]
  /** Resolves when nothing is being taken any more. */
  settled(): Promise<void>
}

export function createHeldSessions(): HeldSessions {
  const taking = new Map<SessionId, Promise<LiveSession>>()
  const known = new Map<SessionId, WeakRef<LiveSession>>()
  const kept = new Map<SessionId, LiveSession>()
  // Nothing is left to be found under the name of one whose state has gone, unless it was taken again.
  const gone = new FinalizationRegistry<SessionId>((sessionId) => {
    if (known.get(sessionId)?.deref() === undefined) known.delete(sessionId)
  })

  const peek = (sessionId: SessionId) => kept.get(sessionId) ?? known.get(sessionId)?.deref() ?? null

  function take(sessionId: SessionId, make: () => Promise<LiveSession>): Promise<LiveSession> {
    const taken = make().then((live) => {
      known.set(sessionId, new WeakRef(live))
      gone.register(live, sessionId)
      return live
    })
    taking.set(sessionId, taken)
    const done = () => void taking.delete(sessionId)
    taken.then(done, done)
    return taken
  }

  return {
    get(sessionId, make) {
      const there = peek(sessionId)
      return there === null ? (taking.get(sessionId) ?? take(sessionId, make)) : Promise.resolve(there)
    },
    keep: (live) => void kept.set(live.writer.sessionId, live),
    release: (live) => void kept.delete(live.writer.sessionId),
    forget(sessionId) {
      kept.delete(sessionId)
      known.delete(sessionId)
    },
    has: (sessionId) => known.has(sessionId),
    peek,
    kept: () => [...kept.values()],
    async settled() {
      await Promise.allSettled(taking.values())
    },
  }
}
