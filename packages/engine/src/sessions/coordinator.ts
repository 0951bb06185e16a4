// Who works on what: holds the sessions of this process, one writer and at most one running turn each.
import {
  autoModel,
  draft,
  isClosedStatus,
  type SessionEvent,
  type SessionId,
  type SessionState,
  type WakeSession,
} from '@quarterdeck/protocol'
import type { Bus } from '../bus.ts'
import type {
  GatewayDecisions,
  ModelRequest,
  ModelRetry,
  ModelUse,
  ModelVerdict,
  RequestName,
} from '../model-gateway.ts'
import type { MoneyDesk, Purse } from '../money/money-desk.ts'
import { createProcessHouse, type ProcessHouseOptions } from '../processes/process-house.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { Clock, EventStore, Holder, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { within } from '../within.ts'
import { createAskExpiry } from './ask-expiry.ts'
import { createBegunAnswers } from './begun-answers.ts'
import { createHeldSessions } from './held-sessions.ts'
import { requireOpen, requireSession } from './invariants.ts'
import { createLiveSession, isAnswered, type LiveSession } from './live-session.ts'
import { createTurnLoop } from './turn-loop.ts'
import { untilStored } from './until-stored.ts'

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
  /** The session has no process any more: its way to the model closes too. */
  readonly onClosed: (sessionId: SessionId) => void
}

export type Coordinator = ReturnType<typeof createCoordinator>

/** What a stop may take beyond the grace period before the process is left to die with the server. */
const stopBoundMs = 30_000

export function createCoordinator(options: CoordinatorOptions) {
  const { store, bus, logger, holder } = options
  const held = createHeldSessions()
  const expiry = createAskExpiry({ ...options, open, onSettled: (live) => turns.kick(live) })
  const house = createProcessHouse({ ...options, held, onLeft: options.onClosed })
  const begun = createBegunAnswers({ store, logger })
  let isDraining = false

  const turns = createTurnLoop({
    ...options,
    ...house,
    isDraining: () => isDraining,
    onWorking: held.keep,
    onFirstToken(live) {
      const { numTurns, agentName } = live.writer.state()
      if (numTurns === 0) house.keepSpare(agentName)
    },
    onTurnEnded: house.recycleIfWorn,
    onRested: async (live) => {
      if (isClosedStatus(live.writer.state().status)) await letGo(live)
      else house.letRest(live)
    },
  })

  /** Takes the session for this process. Throws `session.not-found` or `session.held-elsewhere`. */
  function open(sessionId: SessionId): Promise<LiveSession> {
    return held.get(sessionId, async () => {
      const initial = requireSession(await store.load(sessionId))
      const fencing = await store.lease(sessionId, holder, options.isAlive)
      // Read again: whoever held it before may have written until the lease was ours.
      return make(sessionId, (await store.load(sessionId)) ?? initial, fencing)
    })
  }

  function create(sessionId: SessionId): Promise<LiveSession> {
    return held.get(sessionId, async () => make(sessionId, null, await store.lease(sessionId, holder, options.isAlive)))
  }

  function make(sessionId: SessionId, initial: SessionState | null, fencing: number): LiveSession {
    const onConflict = () => void checkLease(live)
    const { redactor } = options
    const live = createLiveSession({
      ...{ sessionId, initial, store, bus, redactor, fencing, onConflict },
      onWritten: expiry.hear,
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
    const { sessionId } = live.writer
    await house.end(live)
    held.forget(sessionId)
    expiry.forget(sessionId)
    await store.release(sessionId, holder)
  }

  async function letGoIfClosed(live: LiveSession): Promise<void> {
    if (isClosedStatus(live.writer.state().status) && live.working === null) await letGo(live)
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

  /**
   * Books one model request. Late reports of a session that has closed are booked too; a store that takes nothing is
   * waited out, and the end of the answer waits with it.
   */
  async function book(use: ModelUse): Promise<void> {
    const { sessionId, requestId } = use
    const patience = {
      isGivenUp: () => isDraining,
      onFailure: (error: unknown) =>
        logger.error({ sessionId, requestId, error }, 'a booking cannot be written: trying again'),
    }
    let live: LiveSession
    try {
      await begun.noted(use)
      live = await untilStored(() => open(sessionId), patience)
      const { writer } = live
      // Tried again is the record alone: until it is written the money is held back, and what was learned is learned.
      const record: Purse['record'] = (drafts) => untilStored(() => writer.record(drafts), patience)
      await options.money.book({ ...writer, record }, use)
    } finally {
      // What could not be booked, because its session is gone, must not be held back from the others either.
      await release(use)
    }
    await letGoIfClosed(live)
  }

  function requestBegins(live: LiveSession, requestId: string): void {
    live.requests.add(requestId)
    live.pause.review()
  }

  function requestOver(live: LiveSession, requestId: string): void {
    live.requests.delete(requestId)
    live.pause.review()
  }

  /** May this request be sent? Asked before each one. */
  async function authorize(request: ModelRequest, signal: AbortSignal): Promise<ModelVerdict> {
    const live = await open(request.sessionId)
    requestBegins(live, request.requestId)
    let mayGo = false
    try {
      // A turn that only waited works again: it needs a place for that.
      await live.pause.over()
      const verdict = await options.money.authorize(live.writer, request, signal)
      mayGo = verdict.type === 'go'
      return verdict
    } finally {
      if (!mayGo) requestOver(live, request.requestId)
    }
  }

  /** A request that was let go has ended: booked, or without a message. */
  async function release(request: RequestName): Promise<void> {
    options.money.release(request)
    const live = held.peek(request.sessionId)
    if (live !== null) requestOver(live, request.requestId)
  }

  /** The gateway tries again by itself: whoever watches sees why nothing comes and until when. */
  function onRetrying({ sessionId, requestId: _, ...retry }: ModelRetry): void {
    const live = held.peek(sessionId)
    if (live === null) return
    const turnId = live.writer.state().turn?.turnId
    const retrying = draft(
      'ModelRequestRetrying',
      { ...retry, source: 'gateway' },
      turnId === undefined ? {} : { turnId },
    )
    live.writer
      .record([retrying])
      .catch((error: unknown) => logger.warn({ sessionId, error }, 'a retry is not in the log'))
  }

  /** Trying again would only take longer to say so: the turn ends at once. */
  function onKeyRefused({ sessionId, status }: Parameters<GatewayDecisions['onKeyRefused']>[0]): void {
    const live = held.peek(sessionId)
    if (live === null || live.working === null) return
    live.refusedKey = status
    live.abort?.abort()
  }

  /** A request waits for the provider's rate, and at which place. */
  function onWaiting(request: RequestName, place: { position: number; waiting: number } | null): void {
    const live = held.peek(request.sessionId)
    if (live === null) return
    // Not by its own name: whether it is under way is told by those who let it go and end it.
    const waiting = `waits ${request.requestId}`
    if (place === null) requestOver(live, waiting)
    else requestBegins(live, waiting)
    const { agentName, title } = live.writer.state()
    house.board.showRequest(request, place, () => ({ agentName, title }))
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
    const lineStopped = house.stop()
    const working = held.kept().filter((live) => live.working !== null)
    // One whose answer is on its way goes on with it; from here on the others hear none, and tell it after the restart.
    const busy = working.filter((live) => live.pause.state() !== 'waiting' || isAnswered(live))
    const stopped = stop(working.filter((live) => !busy.includes(live)))
    await within(Promise.all(busy.map((live) => live.working)), graceMs)
    await Promise.all([stopped, stop(busy)])
    const resident = held.kept().filter((live) => live.backend !== null)
    const sleeping = resident.map((live) => house.hibernate(live, 'drain'))
    await within(Promise.all([lineStopped, ...sleeping]), stopBoundMs)
  }

  async function stop(lives: readonly LiveSession[]): Promise<void> {
    for (const live of lives) {
      live.isDetaching = true
      live.abort?.abort()
    }
    const isStopped = (await within(Promise.all(lives.map((live) => live.working)), stopBoundMs)) !== null
    if (!isStopped) logger.error({ sessions: lives.length }, 'turns did not stop in time: the next start recovers them')
  }

  async function close(): Promise<void> {
    isDraining = true
    expiry.stop()
    const stopped = house.stop()
    await held.settled()
    const all = held.kept()
    await stop(all)
    await within(Promise.all([stopped, ...all.map(letGo)]), stopBoundMs)
    await within(house.processes.settled(), stopBoundMs)
  }

  /** What has been shown of messages in progress, when this process holds the session. */
  const openTexts = (sessionId: SessionId) =>
    held.has(sessionId) ? (held.peek(sessionId)?.tokens.openTexts() ?? []) : null

  return {
    ...{
      open,
      create,
      letGo,
      letGoIfClosed,
      tellSettings,
      book,
      onBegun: begun.note,
      authorize,
      release,
      onWaiting,
      onRetrying,
      onKeyRefused,
      wake,
      drain,
      close,
      openTexts,
    },
    kick: turns.kick,
    expiry,
    isDraining: () => isDraining,
    /** Lends the agent's process to somebody who needs it outside of a turn. */
    useProcess: house.use,
    /** Ends the agent's process; the next turn starts another. */
    endProcess: house.end,
    /** The id of a process kept ready that fits a new session; `null` where none does. */
    claimSpare: house.spares.claim,
    /** Keeps a process ready for the next session of an agent, if there is room; true when there is one. */
    warmAgent: house.spares.want,
    queue: house.queue,
    /** Where the session stands in line, if it waits. */
    place: house.board.place,
  }
}
