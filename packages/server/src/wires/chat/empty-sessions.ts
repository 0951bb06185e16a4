// Every connection begins with a session, and many a client connects, looks and goes: what nobody wrote to is deleted
// when the same client comes again. Until then it can be joined, as any other.
import type { SessionService } from '@quarterdeck/engine'
import { isQuarterdeckError, type Principal, type SessionId } from '@quarterdeck/protocol'

export interface EmptySessions {
  left(principal: Principal, sessionId: SessionId, seq: number): void
  /** Somebody is there again. What it returns is called when they leave. */
  joined(principal: Principal, sessionId: SessionId): () => void
  /** Never rejects for a session that is gone or in use. */
  sweep(principal: Principal, sessions: SessionService): Promise<void>
}

export function createEmptySessions(): EmptySessions {
  const byOwner = new Map<string, Map<SessionId, number>>()

  function left({ owner }: Principal, sessionId: SessionId, seq: number): void {
    const own = byOwner.get(owner) ?? new Map<SessionId, number>()
    byOwner.set(owner, own.set(sessionId, seq))
  }

  return {
    left,
    joined(principal, sessionId) {
      const seq = byOwner.get(principal.owner)?.get(sessionId)
      byOwner.get(principal.owner)?.delete(sessionId)
      return () => {
        if (seq !== undefined) left(principal, sessionId, seq)
      }
    },
    async sweep(principal, sessions) {
      const own = byOwner.get(principal.owner)
      byOwner.delete(principal.owner)
      for (const [sessionId, seq] of own ?? []) {
        try {
          const { session } = await sessions.snapshot(sessionId)
          if (session.seq === seq) await sessions.remove(sessionId, principal.name)
        } catch (error) {
          if (!isQuarterdeckError(error)) throw error
        }
      }
    },
  }
}
