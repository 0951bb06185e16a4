// Every connection starts with a session, and many clients never write to it. An empty session is deleted when the same
// client connects again and no client is in it. Until then it can be joined.
import type { SessionService } from '@quarterdeck/engine'
import { isQuarterdeckError, type Principal, type SessionId } from '@quarterdeck/protocol'

export type EmptySessions = ReturnType<typeof createEmptySessions>

interface Started {
  readonly owner: string
  readonly seq: number
  /** The number of clients in it, including those of other owners: admins see all sessions. */
  present: number
  /** If several connections arrive at once, one of them checks. */
  isBeingSwept: boolean
}

export function createEmptySessions() {
  const started = new Map<SessionId, Started>()

  function enter(one: Started): () => void {
    one.present += 1
    return () => {
      one.present -= 1
    }
  }

  async function removeEmpty(sessionId: SessionId, one: Started, remove: Removing): Promise<void> {
    try {
      const { session } = await remove.sessions.getSession(sessionId)
      // A client may have joined while it was read.
      if (one.present > 0) return
      if (session.seq === one.seq) await remove.sessions.deleteSession(sessionId, remove.by)
      started.delete(sessionId)
    } catch (error) {
      if (!isQuarterdeckError(error)) throw error
      if (error.code === 'session.not-found') started.delete(sessionId)
    }
  }

  return {
    /**
     * Called by its client with its last event so far. Call the returned function when the client leaves; the same for
     * `joined`.
     */
    started({ owner }: Principal, sessionId: SessionId, seq: number): () => void {
      const one: Started = { owner, seq, present: 0, isBeingSwept: false }
      started.set(sessionId, one)
      return enter(one)
    },
    joined(sessionId: SessionId): () => void {
      const one = started.get(sessionId)
      return one === undefined ? () => undefined : enter(one)
    },
    /** Never rejects for a session that is gone or in use. */
    async sweep({ owner, name }: Principal, sessions: SessionService) {
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
