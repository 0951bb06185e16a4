// An interrupt may come before the turn it is meant for. Then that turn is stopped as it begins, and no other one.
import type { SessionService } from '@quarterdeck/engine'
import { isQuarterdeckError, type SessionEvent, type SessionId, type SessionStatus } from '@quarterdeck/protocol'

export interface InterruptDeps {
  readonly sessions: Pick<SessionService, 'interrupt' | 'snapshot'>
  readonly sessionId: SessionId
  readonly by: string
  readonly fail: (error: unknown) => void
}

export interface SessionInterrupt {
  /** Stops what runs, or what is about to. Nothing to stop is no error: the original says nothing then. */
  interrupt(): Promise<void>
  /** Has to see the session's events. */
  note(event: SessionEvent): void
}

/** What waits then waits until somebody lets the session go on. */
export const standsStill = (status: SessionStatus): boolean => status === 'paused' || status === 'stopped_budget'

export function createSessionInterrupt({ sessions, sessionId, by, fail }: InterruptDeps): SessionInterrupt {
  /** The messages that waited when it came. */
  const unwanted = new Set<string>()

  /** False: nothing runs. */
  async function stop(): Promise<boolean> {
    try {
      await sessions.interrupt(sessionId, by)
      return true
    } catch (error) {
      if (isQuarterdeckError(error, 'session.not-running')) return false
      // It is being stopped already.
      if (isQuarterdeckError(error, 'session.busy')) return true
      throw error
    }
  }

  return {
    async interrupt() {
      if (await stop()) return
      const { status, queued } = (await sessions.snapshot(sessionId)).session
      if (standsStill(status)) return
      for (const { messageId } of queued) unwanted.add(messageId)
      // It may have begun since the first look.
      if (await stop()) unwanted.clear()
    },
    note(event) {
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
