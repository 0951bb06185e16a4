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
import type { Bus } from '../bus.ts'
import type { MoneyDesk } from '../money/money-desk.ts'
import { createProcessHouse, type ProcessHouseOptions } from '../processes/process-house.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { Clock, EventStore, Holder, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createAskExpiry } from './ask-expiry.ts'
import { bookBegunAnswers } from './begun-answers.ts'
import { closeSessions, drainSessions } from './drain-sessions.ts'
import { createGatewayDecisions } from './gateway-decisions.ts'
import { createHeldSessions } from './held-sessions.ts'
import { requireOpen, requireSession } from './invariants.ts'
import { createLiveSession, type LiveSession } from './live-session.ts'
import { createRecovery } from './recover-sessions.ts'
import { createTextDesk } from './text-desk.ts'
import { createTurnLoop } from './turn-loop.ts'

/** How long deltas are gathered before they are saved and shown. */
const tokenWindowMs = 25

type ProcessOptions = Pick<ProcessHouseOptions, 'settings' | 'openBackend' | 'openSpare' | 'loadAgent' | 'freeMemory'>

export interface CoordinatorOptions extends ProcessOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly ids: Ids
  readonly clock: Clock
  readonly logger: Logger
  readonly holder: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly redactor: Redactor
  readonly money: MoneyDesk
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
  const desk = createTextDesk({ store, bus, windowMs: tokenWindowMs })
  const expiry = createAskExpiry({ ...options, open, onSettled: (live) => turns.kick(live) })
  const house = createProcessHouse({ ...options, held, onLeft: options.onClosed })
  /** Releases of leases that are under way. `close` waits for them, because their sessions are no longer held. */
  const releasing = new Set<Promise<void>>()
  let isDraining = false

  const turns = createTurnLoop({
    ...options,
    ...house,
    stopPatienceMs: options.settings.endPatienceMs / 2,
    isDraining: () => isDraining,
    onWorking: held.keep,
    onFirstToken(live) {
      const { numTurns, agentName } = live.writer.state()
      if (numTurns === 0) house.keepSpare(agentName)
    },
    onTurnEnded: house.recycleIfWorn,
    onRested: async (live) => {
      if (isClosedStatus(live.writer.state().status)) await letGoIfClosed(live)
      else house.letRest(live)
    },
  })

  const gatewayDecisions = createGatewayDecisions({
    // What is booked of a session that was left in the middle comes before its recovery.
    ...{ ...options, held, open: take, letGoIfClosed },
    isDraining: () => isDraining,
    board: house.board,
  })
  const recovery = createRecovery({
    ...options,
    bookBegun: (sessionId) => bookBegunAnswers({ store, book: gatewayDecisions.settle, logger }, sessionId),
    kick: turns.kick,
  })

  /** As `open`, as it was left. */
  function take(sessionId: SessionId): Promise<LiveSession> {
    return held.get(sessionId, async () => {
      const initial = requireSession(await store.load(sessionId))
      const fencing = await store.lease(sessionId, holder, options.isAlive)
      // Read again: whoever held it before may have written until the lease was ours.
      const live = make(sessionId, (await store.load(sessionId)) ?? initial, fencing)
      recovery.note(live)
      return live
    })
  }

  /**
   * Takes the session for this process; one that a dead process left in the middle is recovered first. Throws
   * `session.not-found` or `session.held-elsewhere`.
   */
  async function open(sessionId: SessionId): Promise<LiveSession> {
    const live = await take(sessionId)
    await recovery.settle(live)
    return live
  }

  /** True when the session was cut off in the middle of something. */
  const recover = async (sessionId: SessionId): Promise<boolean> => recovery.settle(await take(sessionId))

  /** Takes a new session with what it begins with. One whose beginning could not be written is not taken. */
  function create(sessionId: SessionId, beginning: CreateSession): Promise<LiveSession> {
    return held.get(sessionId, async () => {
      const live = make(sessionId, null, await store.lease(sessionId, holder, options.isAlive))
      try {
        await live.writer.apply(beginning)
        return live
      } catch (error) {
        await store.release(sessionId, holder).catch((cause: unknown) => {
          logger.warn({ sessionId, error: cause }, 'a session that could not be created could not be given back')
        })
        throw error
      }
    })
  }

  function make(sessionId: SessionId, initial: SessionState | null, fencing: number): LiveSession {
    const onConflict = () => void checkLease(live)
    const { redactor } = options
    const live = createLiveSession({
      ...{ sessionId, initial, store, bus, desk, redactor, fencing, onConflict },
      onWritten(state, events) {
        expiry.hear(state, events)
        options.onWritten?.(state, events)
      },
    })
    if (initial !== null) expiry.watchAll(initial)
    return live
  }

  /** Somebody else wrote to it: if the session was taken from us, its turn stops and it is let go. */
  async function checkLease(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    try {
      if ((await store.holderOf(sessionId))?.id === holder.id) return
      logger.error({ sessionId }, 'another process has taken this session: it is let go')
      live.isLost = true
      live.isDetaching = true
      live.abort?.abort()
      house.leaveLine(live)
      await house.end(live)
      held.forget(sessionId)
      expiry.forget(sessionId)
    } catch (error) {
      logger.error({ sessionId, error }, 'a session that was taken by another process could not be let go')
    }
  }

  /** Ends the process and gives the session back; the log stays. */
  async function letGo(live: LiveSession): Promise<void> {
    await house.end(live)
    await giveBack(live)
  }

  /** As `letGo`, for one that is over. Whoever works on it (a fork reads it) needs it to the end, and lets it go then. */
  async function letGoIfClosed(live: LiveSession): Promise<void> {
    if (!isClosedStatus(live.writer.state().status) || live.working !== null) return
    await house.end(live)
    if (live.working === null) await giveBack(live)
  }

  async function giveBack(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    // It may have been given back and taken again meanwhile: the lease is then of the other one.
    if (held.peek(sessionId) !== live) return
    held.forget(sessionId)
    expiry.forget(sessionId)
    const release = store.release(sessionId, holder)
    releasing.add(release)
    await release.finally(() => releasing.delete(release))
  }

  /** Tells a running process what was changed; one that starts later is started with it. */
  async function tellSettings(live: LiveSession, events: readonly SessionEvent[]): Promise<void> {
    for (const { type, data } of events) {
      // What `auto` means is said when the next turn starts.
      if (type === 'ModelChanged' && data.to !== autoModel) await live.backend?.session.setModel(data.to)
      if (type === 'PermissionModeChanged') await live.backend?.session.setPermissionMode(data.to)
      if (type === 'ThinkingChanged') await live.backend?.session.setThinking(data.to)
    }
  }

  /** Starts the process before there is anything to do, if there is room. Resolves with what the log says of it. */
  async function wake(sessionId: SessionId, reason: WakeSession['reason']) {
    const live = await open(sessionId)
    requireOpen(live.writer.state())
    if (isDraining || !(await house.wake(live))) return { live, events: [] }
    void house.processes.warm(live)
    return { live, events: await live.writer.apply({ type: 'session.wake', reason }) }
  }

  /** No new turns; running ones may end by themselves, then they are interrupted. What they asked stays open. */
  async function drain(graceMs: number): Promise<void> {
    isDraining = true
    await drainSessions({ held, house, logger }, graceMs)
  }

  async function close(): Promise<void> {
    isDraining = true
    expiry.stop()
    await closeSessions({ held, house, logger }, letGo)
    await Promise.allSettled(releasing)
  }

  /** What has been shown of messages in progress, when this process holds the session. */
  const openTexts = (sessionId: SessionId) =>
    held.has(sessionId) ? (held.peek(sessionId)?.tokens.openTexts() ?? []) : null

  return {
    ...{ open, recover, create, letGo, letGoIfClosed, tellSettings, wake, drain, close, openTexts },
    gatewayDecisions,
    kick: turns.kick,
    expiry,
    isDraining: () => isDraining,
    /** Lends the agent's process to somebody who needs it outside of a turn. */
    useProcess: house.use,
    /** Ends the agent's process; the next turn starts another. */
    endProcess: house.end,
    /** The id of a process kept ready that fits a new session; `null` where none does. */
    claimSpare: house.spares.claim,
    /** Ends a process that was claimed for a session that could not be created. */
    endSpare: house.spares.discard,
    /** Keeps a process ready for the next session of an agent, if there is room; true when there is one. */
    warmAgent: house.spares.want,
    queue: house.queue,
    /** Where the session stands in line, if it waits. */
    place: house.board.place,
  }
}
