// Who works on what: holds the sessions of this process, one writer and at most one running turn each.
import {
  autoModel,
  type CreateSession,
  isClosedStatus,
  type SessionEvent,
  type SessionId,
  type SessionState,
  type WakeSession,
} from '@quarterdeck/protocol'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Logger } from '../../ports/logger.ts'
import { createProcessManager, type ProcessManagerOptions } from '../../processes/process-manager.ts'
import type { Redactor } from '../../redaction/redact.ts'
import type { Clock, EventStore, Holder, Ids } from '../../store/ports/event-store.ts'
import { createAskExpiry } from '../asks/ask-expiry.ts'
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

type ProcessOptions = Pick<ProcessManagerOptions, 'settings' | 'openBackend' | 'openSpare' | 'loadAgent' | 'freeMemory'>

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
  /** What to check when the provider refuses an agent's key. */
  readonly keyVariableOf: (agentName: string) => Promise<string>
  /** Ends what dead processes left running. */
  readonly endOrphans: () => Promise<void>
  /** The session has no process any more: its way to the model closes too. */
  readonly onClosed: (sessionId: SessionId) => void
  /** Hears everything that is durable now, of all sessions. Must not throw. */
  readonly onWritten?: (state: SessionState, events: readonly SessionEvent[]) => void
}

export type Coordinator = ReturnType<typeof createCoordinator>

export function createCoordinator(options: CoordinatorOptions) {
  const { store, bus, logger, holder } = options
  const held = createHeldSessions()
  const openTextWriter = createOpenTextWriter({ store, bus, windowMs: tokenWindowMs })
  const expiry = createAskExpiry({ ...options, open, onSettled: (running) => turns.kick(running) })
  const processManager = createProcessManager({ ...options, held, onLeft: options.onClosed })
  /** Releases of leases that are under way. `close` waits for them, because their sessions are no longer held. */
  const releasing = new Set<Promise<void>>()
  let isDraining = false

  const turns = createTurnLoop({
    ...options,
    ...processManager,
    stopPatienceMs: options.settings.endPatienceMs / 2,
    isDraining: () => isDraining,
    onWorking: held.keep,
    onFirstToken(running) {
      const { numTurns, agentName } = running.writer.state()
      if (numTurns === 0) processManager.keepSpare(agentName)
    },
    onTurnEnded: processManager.recycleIfWorn,
    onRested: async (running) => {
      if (isClosedStatus(running.writer.state().status)) await letGoIfClosed(running)
      else processManager.letRest(running)
    },
  })

  const gatewayDecisions = createGatewayDecisions({
    // What is booked of a session that was left in the middle comes before its recovery.
    ...options,
    held,
    open: take,
    letGoIfClosed,
    isDraining: () => isDraining,
    queuePositions: processManager.queuePositions,
  })
  const recovery = createRecovery({
    ...options,
    bookBegun: (sessionId) => bookBegunAnswers({ store, book: gatewayDecisions.settle, logger }, sessionId),
    kick: turns.kick,
  })

  /** As `open`, as it was left. */
  function take(sessionId: SessionId): Promise<RunningSession> {
    return held.get(sessionId, async () => {
      const initial = requireSession(await store.load(sessionId))
      const fencing = await store.lease(sessionId, holder, options.isAlive)
      // Read again: whoever held it before may have written until the lease was ours.
      const running = make(sessionId, (await store.load(sessionId)) ?? initial, fencing)
      recovery.note(running)
      return running
    })
  }

  /**
   * Takes the session for this process; one that a dead process left in the middle is recovered first. Throws
   * `session.not-found` or `session.held-elsewhere`.
   */
  async function open(sessionId: SessionId): Promise<RunningSession> {
    const running = await take(sessionId)
    await recovery.settle(running)
    return running
  }

  /** True when the session was cut off in the middle of something. */
  const recover = async (sessionId: SessionId): Promise<boolean> => recovery.settle(await take(sessionId))

  /** Takes a new session with what it begins with. One whose beginning could not be written is not taken. */
  function create(sessionId: SessionId, beginning: CreateSession): Promise<RunningSession> {
    return held.get(sessionId, async () => {
      const running = make(sessionId, null, await store.lease(sessionId, holder, options.isAlive))
      try {
        await running.writer.apply(beginning)
        return running
      } catch (error) {
        await store.release(sessionId, holder).catch((cause: unknown) => {
          logger.warn({ sessionId, error: cause }, 'a session that could not be created could not be given back')
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

  /** Somebody else wrote to it: if the session was taken from us, its turn stops and it is let go. */
  async function checkLease(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    try {
      if ((await store.holderOf(sessionId))?.id === holder.id) return
      logger.error({ sessionId }, 'another process has taken this session: it is let go')
      running.isLost = true
      running.isDetaching = true
      running.abort?.abort()
      processManager.leaveQueue(running)
      await processManager.end(running)
      held.forget(sessionId)
      expiry.forget(sessionId)
    } catch (error) {
      logger.error({ sessionId, error }, 'a session that was taken by another process could not be let go')
    }
  }

  /** Ends the process and gives the session back; the log stays. */
  async function letGo(running: RunningSession): Promise<void> {
    await processManager.end(running)
    await giveBack(running)
  }

  /** As `letGo`, for one that is over. Whoever works on it (a fork reads it) needs it to the end, and lets it go then. */
  async function letGoIfClosed(running: RunningSession): Promise<void> {
    if (!isClosedStatus(running.writer.state().status) || running.working !== null) return
    await processManager.end(running)
    if (running.working === null) await giveBack(running)
  }

  async function giveBack(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    // It may have been given back and taken again meanwhile: the lease is then of the other one.
    if (held.peek(sessionId) !== running) return
    held.forget(sessionId)
    expiry.forget(sessionId)
    const release = store.release(sessionId, holder)
    releasing.add(release)
    await release.finally(() => releasing.delete(release))
  }

  /** Tells a running process what was changed; one that starts later is started with it. */
  async function applySettings(running: RunningSession, events: readonly SessionEvent[]): Promise<void> {
    for (const { type, data } of events) {
      // What `auto` means is said when the next turn starts.
      if (type === 'ModelChanged' && data.to !== autoModel) await running.backend?.session.setModel(data.to)
      if (type === 'PermissionModeChanged') await running.backend?.session.setPermissionMode(data.to)
      if (type === 'ThinkingChanged') await running.backend?.session.setThinking(data.to)
    }
  }

  /** Starts the process before there is anything to do, if there is room. Resolves with what the log says of it. */
  async function wake(sessionId: SessionId, reason: WakeSession['reason']) {
    const running = await open(sessionId)
    requireOpen(running.writer.state())
    if (isDraining || !(await processManager.wake(running))) return { running, events: [] }
    void processManager.processes.warm(running)
    return { running, events: await running.writer.apply({ type: 'session.wake', reason }) }
  }

  /** No new turns; running ones may end by themselves, then they are interrupted. What they asked stays open. */
  async function drain(graceMs: number): Promise<void> {
    isDraining = true
    await drainSessions({ held, processManager, logger }, graceMs)
  }

  async function close(): Promise<void> {
    isDraining = true
    expiry.stop()
    await closeSessions({ held, processManager, logger }, letGo)
    await Promise.allSettled(releasing)
  }

  /** What has been shown of messages in progress, when this process holds the session. */
  const openTexts = (sessionId: SessionId) =>
    held.has(sessionId) ? (held.peek(sessionId)?.tokens.openTexts() ?? []) : null

  return {
    open,
    recover,
    create,
    letGo,
    letGoIfClosed,
    applySettings,
    wake,
    drain,
    close,
    openTexts,
    gatewayDecisions,
    kick: turns.kick,
    expiry,
    isDraining: () => isDraining,
    /** Lends the agent's process to somebody who needs it outside of a turn. */
    useProcess: processManager.use,
    /** Ends the agent's process; the next turn starts another. */
    endProcess: processManager.end,
    /** The id of a process kept ready that fits a new session; `null` where none does. */
    claimSpare: processManager.spares.claim,
    /** Ends a process that was claimed for a session that could not be created. */
    endSpare: processManager.spares.discard,
    /** Keeps a process ready for the next session of an agent, if there is room; true when there is one. */
    warmAgent: processManager.spares.want,
    queue: processManager.queue,
    /** Where the session stands in line, if it waits. */
    queuePosition: processManager.queuePositions.queuePosition,
  }
}
