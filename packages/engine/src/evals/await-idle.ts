// Follows a session until it is idle, and stops turns that wait for a person: no person is present in a test.
import {
  type EventOfType,
  isDurable,
  isQuarterdeckError,
  isUnfinishedStatus,
  type SessionEvent,
  type SessionId,
  type SessionStatus,
} from '@quarterdeck/protocol'
import type { SessionService } from '../sessions/session-service.ts'

/** The session operations that evaluations use, the same as for any client. */
export type EvalSessions = Pick<
  SessionService,
  'createSession' | 'sendMessage' | 'interrupt' | 'cancel' | 'close' | 'getSession' | 'follow'
>

export interface AwaitIdleOptions {
  readonly sessionId: SessionId
  /** Events up to this sequence number are ignored. */
  readonly after: number
  readonly by: string
  readonly signal: AbortSignal
}

export interface IdleOutcome {
  readonly ended: EventOfType<'TurnEnded'> | null
  /** Whether the agent process started; failures before that say nothing about the agent. */
  readonly hasStarted: boolean
  /** Why the test stopped the turn. */
  readonly stopReason: string | null
  readonly status: SessionStatus
  /** Ids of calls that were refused or stopped. */
  readonly withoutResult: ReadonlySet<string>
}

/** Rejects with the signal's reason when it aborts; the session may still be working then. */
export async function awaitIdle(sessions: EvalSessions, options: AwaitIdleOptions): Promise<IdleOutcome> {
  const { sessionId, after, signal } = options
  const stopper = createStopper(sessions, options)
  let ended: IdleOutcome['ended'] = null
  let hasStarted = false
  const withoutResult = new Set<string>()
  try {
    for await (const event of sessions.follow(sessionId, after, signal)) {
      if (!isDurable(event)) continue
      if (event.type === 'AgentSessionStarted' || event.type === 'AgentThought') hasStarted = true
      if (event.type === 'TurnEnded') ended = event
      if (event.type === 'ToolExecuted' && event.data.withoutResult === true) withoutResult.add(event.data.toolUseId)
      const status = statusIn(event)
      if (status === null) continue
      stopper.stopWaiting(status)
      if (!isUnfinishedStatus(status)) return { ended, hasStarted, stopReason: stopper.reason(), status, withoutResult }
    }
  } finally {
    await stopper.end()
  }
  signal.throwIfAborted()
  throw new Error('the event stream of the session ended before the session was idle')
}

const statusIn = (event: SessionEvent): SessionStatus | null =>
  event.type === 'AgentSessionStatusChanged' ? event.data.to : null

/** The test stops a turn that waits for a person or a client. */
const waitsFor: Partial<Record<SessionStatus, string>> = {
  waiting_approval: 'the session waits for an approval, and a test has no person to decide',
  waiting_user: 'the session asks a question, and a test has no person to answer',
  waiting_client: 'the session waits for a client tool, and a test has no client',
}

function createStopper(sessions: EvalSessions, { sessionId, by }: AwaitIdleOptions) {
  let reason: string | null = null
  let stopping: Promise<void> = Promise.resolve()

  function stop(why: string): void {
    if (reason !== null) return
    reason = why
    stopping = sessions.interrupt(sessionId, by).then(
      () => undefined,
      (error: unknown) => {
        // The turn ended by itself in the meantime.
        if (!isQuarterdeckError(error)) throw error
      },
    )
    // Rethrown by end(); until then the rejection is not unhandled.
    stopping.catch(() => undefined)
  }

  return {
    reason: () => reason,
    stopWaiting(status: SessionStatus) {
      const why = waitsFor[status]
      if (why !== undefined) stop(why)
    },
    end: () => stopping,
  }
}
