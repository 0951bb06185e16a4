// Every connection begins with a session, and many a client connects, looks and goes: what nobody wrote to is deleted
// when the same client comes again and nobody is in it. Until then it can be joined, as any other.
import type { SessionService } from '@quarterdeck/engine'
import { isQuarterdeckError, type Principal, type SessionId } from '@quarterdeck/protocol'

export interface EmptySessions {
  /** By a client that is in it, with its last event so far. What this and `joined` return is called when it leaves. */
  started(principal: Principal, sessionId: SessionId, seq: number): () => void
  joined(sessionId: SessionId): () => void
  /** Never rejects for a session that is gone or in use. */
  sweep(principal: Principal, sessions: SessionService): Promise<void>
}

interface Started {
  readonly owner: string
  readonly seq: number
  /** How many clients are in it: those of other owners too, admins see all. */
  present: number
  /** Several connections may come at once: one of them looks. */
  isBeingSwept: boolean
}

export function createEmptySessions(): EmptySessions {
  const started = new Map<SessionId, Started>()

  function enter(one: Started): () => void {
    one.present += 1
    return () => {
      one.present -= 1
    }
  }

  async function removeEmpty(sessionId: SessionId, one: Started, remove: Removing): Promise<void> {
    try {
      const { session } = await remove.sessions.snapshot(sessionId)
      // Somebody may have come while it was read.
      if (one.present > 0) return
      if (session.seq === one.seq) await remove.sessions.remove(sessionId, remove.by)
      started.delete(sessionId)
    } catch (error) {
      if (!isQuarterdeckError(error)) throw error
      if (error.code === 'session.not-found') started.delete(sessionId)
    }
  }

  return {
    started({ owner }, sessionId, seq) {
      const one: Started = { owner, seq, present: 0, isBeingSwept: false }
      started.set(sessionId, one)
      return enter(one)
    },
    joined(sessionId) {
      const one = started.get(sessionId)
      return one === undefined ? () => undefined : enter(one)
    },
    async sweep({ owner, name }, sessions) {
      const left = [...started].filter(([, one]) => one.owner === owner && one.present === 0 && !one.isBeingSwept)
      for (const [, one] of left) one.isBeingSwept = true
      try {
        for (const [sessionId, one] of left) await removeEmpty(sessionId, one, { sessions, by: name })
      } finally {
        for (const [, one] of left) one.isBeingSwept = false
      }
    },
  }
}

interface Removing {
  readonly sessions: SessionService
  readonly by: string
}
