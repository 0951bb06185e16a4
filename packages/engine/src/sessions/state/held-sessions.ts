// The sessions that this process has taken. Working sessions and those with a process are retained. Others are held by
// weak references: while anything still uses one, every caller gets the same object.
import type { SessionId } from '@quarterdeck/protocol'
import type { RetainedSessions } from '../../processes/session-with-process.ts'
import type { RunningSession } from './running-session.ts'

export interface HeldSessions extends RetainedSessions<RunningSession> {
  /** The held session, or the one that `take` makes. Concurrent callers get the same one. */
  get(sessionId: SessionId, take: () => Promise<RunningSession>): Promise<RunningSession>
  /** The session was released or lost. */
  forget(sessionId: SessionId): void
  has(sessionId: SessionId): boolean
  /** The session if it is in memory. */
  peek(sessionId: SessionId): RunningSession | null
  /** Resolves when no session is being taken. */
  settled(): Promise<void>
}

export function createHeldSessions(): HeldSessions {
  const taking = new Map<SessionId, Promise<RunningSession>>()
  const known = new Map<SessionId, WeakRef<RunningSession>>()
  const retained = new Map<SessionId, RunningSession>()
  // Removes the entry of a collected session, unless it was taken again.
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
