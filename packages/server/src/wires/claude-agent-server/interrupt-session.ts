// An interrupt may arrive before the turn it is meant for. Then that turn is stopped when it starts, and no other.
import type { SessionService } from '@quarterdeck/engine'
import { isQuarterdeckError, type SessionEvent, type SessionId, type SessionStatus } from '@quarterdeck/protocol'

export interface InterruptDeps {
  readonly sessions: Pick<SessionService, 'interrupt' | 'getSession'>
  readonly sessionId: SessionId
  readonly by: string
  readonly fail: (error: unknown) => void
}

/** Queued messages then wait until the session is resumed. */
export const standsStill = (status: SessionStatus): boolean => status === 'paused' || status === 'stopped_budget'

export function createSessionInterrupt({ sessions, sessionId, by, fail }: InterruptDeps) {
  /** The messages that were queued when it arrived. */
  const unwanted = new Set<string>()

  /** False: nothing is running. */
  async function stop(): Promise<boolean> {
    try {
      await sessions.interrupt(sessionId, by)
      return true
    } catch (error) {
      if (isQuarterdeckError(error, 'session.not-running')) return false
      // It is already being stopped.
      if (isQuarterdeckError(error, 'session.busy')) return true
      throw error
    }
  }

  return {
    /** Stops the running or the next turn. Nothing to stop is not an error: the original is silent then. */
    async interrupt() {
      if (await stop()) return
      const { status, queued } = (await sessions.getSession(sessionId)).session
      if (standsStill(status)) return
      for (const { messageId } of queued) unwanted.add(messageId)
      // The turn may have started since the first check.
      if (await stop()) unwanted.clear()
    },
    /** Must be called with every event of the session. */
    note(event: SessionEvent) {
      switch (event.type) {
        case 'TurnStarted':
          if (!event.data.messageIds.some((messageId) => unwanted.has(messageId))) return
          unwanted.clear()
          stop().catch(fail)
          return
        case 'UserMessageDelivered':
        case 'UserMessageCancelled':
          unwanted.delete(event.data.messageId)
          return
        case 'AgentSessionStatusChanged':
          if (standsStill(event.data.to)) unwanted.clear()
          return
        default:
          return
      }
    },
  }
}
