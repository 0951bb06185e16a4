// Takes sessions for this process, with their leases, and releases them.
import {
  type CreateSession,
  isClosedStatus,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Bus } from '../../ports/bus.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Redactor } from '../../redaction/redact.ts'
import type { EventStore, Holder } from '../../store/ports/event-store.ts'
import type { AskExpiry } from '../asks/ask-expiry.ts'
import type { AgentProcesses } from '../launch/agent-processes.ts'
import { requireSession } from '../rules/invariants.ts'
import type { HeldSessions } from '../state/held-sessions.ts'
import { createRunningSession, type RunningSession } from '../state/running-session.ts'
import type { OpenTextWriter } from '../streaming/open-text-writer.ts'

export interface SessionLeasesOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly logger: Logger
  readonly redactor: Redactor
  readonly holder: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly held: HeldSessions
  readonly openTextWriter: OpenTextWriter
  readonly expiry: Pick<AskExpiry, 'watchAll' | 'observe' | 'forget'>
  readonly processes: Pick<AgentProcesses, 'end' | 'leaveQueue'>
  /** Called with an existing session before anything uses it. */
  readonly onTaken: (running: RunningSession) => void
  /** Called with all durable events of all sessions. Must not throw. */
  readonly onWritten?: (state: SessionState, events: readonly SessionEvent[]) => void
}

export function createSessionLeases(options: SessionLeasesOptions) {
  const { store, bus, logger, redactor, holder, isAlive, held, openTextWriter, expiry, processes, onTaken } = options
  /** Pending releases. Their sessions are no longer held. */
  const releasing = new Set<Promise<void>>()

  /** Takes an existing session, without recovery. */
  function take(sessionId: SessionId): Promise<RunningSession> {
    return held.get(sessionId, async () => {
      const initial = requireSession(await store.load(sessionId), sessionId)
      const fencing = await store.lease(sessionId, holder, isAlive)
      // Read again: the previous holder may have written until the lease was ours.
      const running = make(sessionId, (await store.load(sessionId)) ?? initial, fencing)
      onTaken(running)
      return running
    })
  }

  /** Takes a new session and writes its first event. If that fails, the session is not taken. */
  function create(sessionId: SessionId, beginning: CreateSession): Promise<RunningSession> {
    return held.get(sessionId, async () => {
      const running = make(sessionId, null, await store.lease(sessionId, holder, isAlive))
      try {
        await running.writer.apply(beginning)
        return running
      } catch (error) {
        await store.release(sessionId, holder).catch((cause: unknown) => {
          logger.warn(
            { sessionId, error: cause },
            'the lease of a session that could not be created could not be released',
          )
        })
        throw error
      }
    })
  }

  function make(sessionId: SessionId, initial: SessionState | null, fencing: number): RunningSession {
    const onConflict = () => void checkLease(running)
    const running = createRunningSession({
      sessionId,
      initial,
      store,
      bus,
      openTextWriter,
      redactor,
      fencing,
      onConflict,
      onWritten(state, events) {
        expiry.observe(state, events)
        options.onWritten?.(state, events)
      },
    })
    if (initial !== null) expiry.watchAll(initial)
    return running
  }

  /** Called after a write conflict. If the session was taken or deleted, its turn stops and it is released. */
  async function checkLease(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    try {
      if ((await store.holderOf(sessionId))?.id === holder.id) return
      const isDeleted = (await store.load(sessionId).catch(() => undefined)) === null
      if (isDeleted) logger.info({ sessionId }, 'the session was deleted: releasing it')
      else logger.error({ sessionId }, 'another process has taken this session: releasing it')
      running.phase.lose()
      processes.leaveQueue(running)
      await processes.end(running)
      held.forget(sessionId)
      expiry.forget(sessionId)
    } catch (error) {
      logger.error(
        { sessionId, error },
        'a session that was taken by another process, or deleted, could not be released',
      )
    }
  }

  /** Ends the process and releases the session. The log stays. */
  async function release(running: RunningSession): Promise<void> {
    await processes.end(running)
    await releaseLease(running)
  }

  /** As `release`, for a closed session. Work on it (a fork reads it) finishes first, then releases it. */
  async function releaseIfClosed(running: RunningSession): Promise<void> {
    if (!isClosedStatus(running.writer.state().status) || !running.phase.isResting()) return
    await processes.end(running)
    if (running.phase.isResting()) await releaseLease(running)
  }

  async function releaseLease(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    // It may have been released and taken again meanwhile: the lease then belongs to the other one.
    if (held.peek(sessionId) !== running) return
    held.forget(sessionId)
    expiry.forget(sessionId)
    const pending = store.release(sessionId, holder)
    releasing.add(pending)
    await pending.finally(() => releasing.delete(pending))
  }

  return {
    take,
    create,
    release,
    releaseIfClosed,
    /** Resolves when no release is pending. */
    untilReleased: () => Promise.allSettled(releasing),
  }
}
