// The sessions this process has taken. One that works or has a process is kept; any other is only remembered, and its
// state goes when nobody uses it any more: whoever asks for it meanwhile still gets the same one.
import type { SessionId } from '@quarterdeck/protocol'
import type { RunningSession } from './running-session.ts'

export interface HeldSessions {
  /** The one there is, or the one `take` makes; whoever asks meanwhile waits for the same. */
  get(sessionId: SessionId, take: () => Promise<RunningSession>): Promise<RunningSession>
  /** Keeps it in memory until `release`. */
  keep(running: RunningSession): void
  release(running: RunningSession): void
  /** It is no longer ours. */
  forget(sessionId: SessionId): void
  has(sessionId: SessionId): boolean
  /** If it is in memory. */
  peek(sessionId: SessionId): RunningSession | null
  retained(): readonly RunningSession[]
  /** Resolves when nothing is being taken any more. */
  settled(): Promise<void>
}

export function createHeldSessions(): HeldSessions {
  const taking = new Map<SessionId, Promise<RunningSession>>()
  const known = new Map<SessionId, WeakRef<RunningSession>>()
  const retained = new Map<SessionId, RunningSession>()
  // Nothing is left to be found under the name of one whose state has gone, unless it was taken again.
  const gone = new FinalizationRegistry<SessionId>((sessionId) => {
    if (known.get(sessionId)?.deref() === undefined) known.delete(sessionId)
  })

  const peek = (sessionId: SessionId) => retained.get(sessionId) ?? known.get(sessionId)?.deref() ?? null

  function take(sessionId: SessionId, make: () => Promise<RunningSession>): Promise<RunningSession> {
    const taken = make().then((running) => {
      known.set(sessionId, new WeakRef(running))
      gone.register(running, sessionId)
      return running
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
    keep: (running) => void retained.set(running.writer.sessionId, running),
    release: (running) => void retained.delete(running.writer.sessionId),
    forget(sessionId) {
      retained.delete(sessionId)
      known.delete(sessionId)
    },
    has: (sessionId) => known.has(sessionId),
    peek,
    retained: () => [...retained.values()],
    async settled() {
      await Promise.allSettled(taking.values())
    },
  }
}
