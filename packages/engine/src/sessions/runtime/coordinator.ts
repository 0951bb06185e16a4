// Joins the parts that work on the sessions of this process: one writer and at most one running turn each.
import { setMaxListeners } from 'node:events'
import { isClosedStatus, type SessionId, type WakeSession } from '@quarterdeck/protocol'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import { createAskExpiry } from '../asks/ask-expiry.ts'
import { type AgentProcessesOptions, createAgentProcesses } from '../launch/agent-processes.ts'
import { requireOpen } from '../rules/invariants.ts'
import { createHeldSessions } from '../state/held-sessions.ts'
import type { RunningSession } from '../state/running-session.ts'
import { createOpenTextWriter } from '../streaming/open-text-writer.ts'
import { createTurnLoop } from '../turns/turn-loop.ts'
import { bookBegunAnswers } from './begun-answers.ts'
import { closeSessions, drainSessions } from './drain-sessions.ts'
import { createGatewayDecisions } from './gateway-decisions.ts'
import { createRecovery } from './recover-sessions.ts'
import { createSessionLeases, type SessionLeasesOptions } from './session-leases.ts'

type ProcessOptions = Pick<AgentProcessesOptions, 'settings' | 'openBackend' | 'openSpare' | 'loadAgent' | 'freeMemory'>

type LeaseOptions = Pick<
  SessionLeasesOptions,
  'store' | 'bus' | 'logger' | 'redactor' | 'holder' | 'isAlive' | 'onWritten'
>

export interface CoordinatorOptions extends ProcessOptions, LeaseOptions {
  readonly ids: Ids
  readonly clock: Clock
  readonly money: SessionSpending
  /** The credential to check when the provider refuses an agent's key. */
  readonly keyVariableOf: (agentName: string) => Promise<string>
  /** Ends processes that dead servers left running. */
  readonly endOrphans: () => Promise<void>
  /** The session has no process any more: its access to the model closes too. */
  readonly onClosed: (sessionId: SessionId) => void
}

export type Coordinator = ReturnType<typeof createCoordinator>

export function createCoordinator(options: CoordinatorOptions) {
  const { store, bus, logger } = options
  const held = createHeldSessions()
  const openTextWriter = createOpenTextWriter({ store, bus })
  const expiry = createAskExpiry({ ...options, open, onExpired: (running) => turns.kick(running) })
  const processes = createAgentProcesses({ ...options, held, onLeft: options.onClosed })
  const leases = createSessionLeases({
    ...options,
    held,
    openTextWriter,
    expiry,
    processes,
    onTaken: (running) => recovery.note(running),
  })
  const draining = new AbortController()
  setMaxListeners(0, draining.signal) // one listener per session that waits for the store

  const turns = createTurnLoop({
    ...options,
    processes,
    stopTimeoutMs: options.settings.endTimeoutMs / 2,
    draining: draining.signal,
    booked: (sessionId) => gatewayDecisions.booked(sessionId),
    onWorking: held.keep,
    onFirstToken(running) {
      const { numTurns, agentName } = running.writer.state()
      if (numTurns === 0) processes.keepSpare(agentName)
    },
    onTurnEnded: processes.recycleIfWorn,
    onRested: async (running) => {
      if (isClosedStatus(running.writer.state().status)) await leases.releaseIfClosed(running)
      else processes.releaseIfResting(running)
    },
  })

  const gatewayDecisions = createGatewayDecisions({
    // Uses `take`: bookings of an interrupted session come before its recovery.
    ...options,
    held,
    open: leases.take,
    releaseIfClosed: leases.releaseIfClosed,
    draining: draining.signal,
    queuePositions: processes.queuePositions,
  })
  const recovery = createRecovery({
    ...options,
    bookBegun: (sessionId) => bookBegunAnswers({ store, book: gatewayDecisions.settle, logger }, sessionId),
    kick: turns.kick,
  })

  /**
   * Takes the session for this process and recovers it if a dead process left it in the middle of work. Throws
   * `session.not-found` or `session.held-elsewhere`.
   */
  async function open(sessionId: SessionId): Promise<RunningSession> {
    const running = await leases.take(sessionId)
    await recovery.recover(running)
    return running
  }

  /** True if the session was interrupted by a crash. */
  const recover = async (sessionId: SessionId): Promise<boolean> => recovery.recover(await leases.take(sessionId))

  /** Starts the process ahead of work, if there is capacity. Resolves with the logged events. */
  async function wake(sessionId: SessionId, reason: WakeSession['reason']) {
    const running = await open(sessionId)
    requireOpen(running.writer.state())
    if (draining.signal.aborted || !(await processes.wake(running))) return { running, events: [] }
    void processes.warm(running)
    return { running, events: await running.writer.apply({ type: 'session.wake', reason }) }
  }

  /** Starts no new turns. Running ones get the grace period, then they are interrupted. Their asks stay open. */
  async function drain(graceMs: number): Promise<void> {
    draining.abort()
    await drainSessions({ held, processes, logger }, graceMs)
  }

  async function close(): Promise<void> {
    draining.abort()
    expiry.stop()
    await closeSessions({ held, processes, logger }, leases.release)
    await leases.untilReleased()
  }

  /** The shown text of messages in progress, if this process holds the session. */
  const openTexts = (sessionId: SessionId) =>
    held.has(sessionId) ? (held.peek(sessionId)?.tokens.openTexts() ?? []) : null

  return {
    open,
    recover,
    create: leases.create,
    release: leases.release,
    releaseIfClosed: leases.releaseIfClosed,
    wake,
    drain,
    close,
    openTexts,
    gatewayDecisions,
    kick: turns.kick,
    expiry,
    isDraining: () => draining.signal.aborted,
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
