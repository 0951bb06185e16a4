// Holds the sessions of this process: one writer and at most one running turn each.
import {
  type CreateSession,
  isClosedStatus,
  type SessionEvent,
  type SessionId,
  type SessionState,
  type WakeSession,
} from '@quarterdeck/protocol'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Redactor } from '../../redaction/redact.ts'
import type { EventStore, Holder } from '../../store/ports/event-store.ts'
import { createAskExpiry } from '../asks/ask-expiry.ts'
import { type AgentProcessesOptions, createAgentProcesses } from '../launch/agent-processes.ts'
import { requireOpen, requireSession } from '../rules/invariants.ts'
import { createHeldSessions } from '../state/held-sessions.ts'
import { createRunningSession, type RunningSession } from '../state/running-session.ts'
import { createOpenTextWriter } from '../streaming/open-text-writer.ts'
import { createTurnLoop } from '../turns/turn-loop.ts'
import { bookBegunAnswers } from './begun-answers.ts'
import { closeSessions, drainSessions } from './drain-sessions.ts'
import { createGatewayDecisions } from './gateway-decisions.ts'
import { createRecovery } from './recover-sessions.ts'

/** How long deltas are gathered before they are saved and shown. */
const tokenWindowMs = 25

type ProcessOptions = Pick<AgentProcessesOptions, 'settings' | 'openBackend' | 'openSpare' | 'loadAgent' | 'freeMemory'>

export interface CoordinatorOptions extends ProcessOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly ids: Ids
  readonly clock: Clock
  readonly logger: Logger
  readonly holder: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly redactor: Redactor
  readonly money: SessionSpending
  /** The credential to check when the provider refuses an agent's key. */
  readonly keyVariableOf: (agentName: string) => Promise<string>
  /** Ends processes that dead servers left running. */
  readonly endOrphans: () => Promise<void>
  /** The session has no process any more: its access to the model closes too. */
  readonly onClosed: (sessionId: SessionId) => void
  /** Called with all durable events of all sessions. Must not throw. */
  readonly onWritten?: (state: SessionState, events: readonly SessionEvent[]) => void
}

export type Coordinator = ReturnType<typeof createCoordinator>

export function createCoordinator(options: CoordinatorOptions) {
  const { store, bus, logger, holder } = options
  const held = createHeldSessions()
  const openTextWriter = createOpenTextWriter({ store, bus, windowMs: tokenWindowMs })
  const expiry = createAskExpiry({ ...options, open, onSettled: (running) => turns.kick(running) })
  const processes = createAgentProcesses({ ...options, held, onLeft: options.onClosed })
  /** Pending releases of leases. `close` waits for them, because their sessions are no longer held. */
  const releasing = new Set<Promise<void>>()
  let isDraining = false

  const turns = createTurnLoop({
    ...options,
    processes,
    stopPatienceMs: options.settings.endPatienceMs / 2,
    isDraining: () => isDraining,
    booked: (sessionId) => gatewayDecisions.booked(sessionId),
    onWorking: held.keep,
    onFirstToken(running) {
      const { numTurns, agentName } = running.writer.state()
      if (numTurns === 0) processes.keepSpare(agentName)
    },
    onTurnEnded: processes.recycleIfWorn,
    onRested: async (running) => {
      if (isClosedStatus(running.writer.state().status)) await releaseIfClosed(running)
      else processes.releaseIfResting(running)
    },
  })

  const gatewayDecisions = createGatewayDecisions({
    // Uses `take`: bookings of an interrupted session come before its recovery.
    ...options,
    held,
    open: take,
    releaseIfClosed,
    isDraining: () => isDraining,
    queuePositions: processes.queuePositions,
  })
  const recovery = createRecovery({
    ...options,
    bookBegun: (sessionId) => bookBegunAnswers({ store, book: gatewayDecisions.settle, logger }, sessionId),
    kick: turns.kick,
  })

  /** As `open`, but without recovery. */
  function take(sessionId: SessionId): Promise<RunningSession> {
    return held.get(sessionId, async () => {
      const initial = requireSession(await store.load(sessionId))
      const fencing = await store.lease(sessionId, holder, options.isAlive)
      // Read again: the previous holder may have written until the lease was ours.
      const running = make(sessionId, (await store.load(sessionId)) ?? initial, fencing)
      recovery.note(running)
      return running
    })
  }

  /**
   * Takes the session for this process and recovers it if a dead process left it in the middle of work. Throws
   * `session.not-found` or `session.held-elsewhere`.
   */
  async function open(sessionId: SessionId): Promise<RunningSession> {
    const running = await take(sessionId)
    await recovery.settle(running)
    return running
  }

  /** True if the session was interrupted by a crash. */
  const recover = async (sessionId: SessionId): Promise<boolean> => recovery.settle(await take(sessionId))

  /** Takes a new session and writes its first event. If that fails, the session is not taken. */
  function create(sessionId: SessionId, beginning: CreateSession): Promise<RunningSession> {
    return held.get(sessionId, async () => {
      const running = make(sessionId, null, await store.lease(sessionId, holder, options.isAlive))
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
    const { redactor } = options
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

  /** Called after a write conflict. If another process has taken the session, its turn stops and it is released. */
  async function checkLease(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    try {
      if ((await store.holderOf(sessionId))?.id === holder.id) return
      logger.error({ sessionId }, 'another process has taken this session: releasing it')
      running.phase.lose()
      processes.leaveQueue(running)
      await processes.end(running)
      held.forget(sessionId)
      expiry.forget(sessionId)
    } catch (error) {
      logger.error({ sessionId, error }, 'a session that another process has taken could not be released')
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

  /** Starts the process ahead of work, if there is capacity. Resolves with the logged events. */
  async function wake(sessionId: SessionId, reason: WakeSession['reason']) {
    const running = await open(sessionId)
    requireOpen(running.writer.state())
    if (isDraining || !(await processes.wake(running))) return { running, events: [] }
    void processes.warm(running)
    return { running, events: await running.writer.apply({ type: 'session.wake', reason }) }
  }

  /** Starts no new turns. Running ones get the grace period, then they are interrupted. Their asks stay open. */
  async function drain(graceMs: number): Promise<void> {
    isDraining = true
    await drainSessions({ held, processes, logger }, graceMs)
  }

  async function close(): Promise<void> {
    isDraining = true
    expiry.stop()
    await closeSessions({ held, processes, logger }, release)
    await Promise.allSettled(releasing)
  }

  /** The shown text of messages in progress, if this process holds the session. */
  const openTexts = (sessionId: SessionId) =>
    held.has(sessionId) ? (held.peek(sessionId)?.tokens.openTexts() ?? []) : null

  return {
    open,
    recover,
    create,
    release,
    releaseIfClosed,
    wake,
    drain,
    close,
    openTexts,
    gatewayDecisions,
    kick: turns.kick,
    expiry,
    isDraining: () => isDraining,
    /** Lends the agent's process outside of a turn. */
    useProcess: processes.use,
    /** Ends the agent's process. The next turn starts another. */
    endProcess: processes.end,
    /** The id of a spare process for a new session; `null` if there is none. */
    claimSpare: processes.spares.claim,
    /** Ends a spare that was claimed for a session that could not be created. */
    endSpare: processes.spares.discard,
    /** Keeps a spare ready for the next session of an agent, if there is capacity. True when there is one. */
    warmAgent: processes.spares.ensure,
    queue: processes.queue,
    /** The queue position of the session; `null` if it is not queued. */
    queuePosition: processes.queuePositions.queuePosition,
  }
}
