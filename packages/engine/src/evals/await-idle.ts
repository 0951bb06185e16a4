// Follows a session until it rests, and sees to it that it does: nobody is there to answer.
import {
  type EventOfType,
  isBusyStatus,
  isDurable,
  isQuarterdeckError,
  type SessionEvent,
  type SessionId,
  type SessionStatus,
} from '@quarterdeck/protocol'
import type { EvalSessions } from './eval-sessions.ts'

export interface AwaitIdleOptions {
  readonly sessionId: SessionId
  /** The last event that counts as before. */
  readonly after: number
  readonly by: string
  readonly signal: AbortSignal
}

export interface IdleOutcome {
  readonly ended: EventOfType<'TurnEnded'> | null
  /** The agent was there: what went wrong before that says nothing about it. */
  readonly hasStarted: boolean
  /** Why the turn was stopped from here. */
  readonly stopReason: string | null
  readonly status: SessionStatus
  /** Calls that were refused or stopped, by id. */
  readonly withoutResult: ReadonlySet<string>
}

/** Rejects with the signal's reason when it aborts; the session may then still be working. */
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
      if (isInactive(status)) return { ended, hasStarted, stopReason: stopper.reason(), status, withoutResult }
    }
  } finally {
    await stopper.end()
  }
  signal.throwIfAborted()
  throw new Error('the session was no longer told of before it rested')
}

const statusIn = (event: SessionEvent): SessionStatus | null =>
  event.type === 'AgentSessionStatusChanged' ? event.data.to : null

const isInactive = (status: SessionStatus): boolean => status !== 'queued' && !isBusyStatus(status)

/** Nobody will come: the turn is over for the test. */
const waitsFor: Partial<Record<SessionStatus, string>> = {
  waiting_approval: 'it waits for an approval, and nobody decides in a test',
  waiting_user: 'it asks a person, and nobody answers in a test',
  waiting_client: 'it waits for a client’s tool, and no client is attached in a test',
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
        // It came to its end by itself in the same moment.
        if (!isQuarterdeckError(error)) throw error
      },
    )
    // Heard of when the session rests; until then nobody waits for it.
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
