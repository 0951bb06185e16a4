// Who works on what: holds the sessions of this process, one writer and at most one running turn each.
import {
  type ApprovalId,
  type CatalogModel,
  draft,
  type EventDraft,
  isClosedStatus,
  isQuarterdeckError,
  type SessionId,
  type SessionState,
  type TurnId,
} from '@quarterdeck/protocol'
import type { Bus } from '../bus.ts'
import type { ModelUse } from '../model-gateway.ts'
import { priceUsage } from '../money/price-usage.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { Clock, EventStore, Holder, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { requireSession } from './invariants.ts'
import { createLiveSession, type LiveSession } from './live-session.ts'
import { failedTurn, runTurn } from './run-turn.ts'
import { turnLine } from './turn-line.ts'
import { startWorkTimer } from './work-timer.ts'

export interface CoordinatorOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly ids: Ids
  readonly clock: Clock
  readonly logger: Logger
  readonly holder: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly redactor: Redactor
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (live: LiveSession) => Promise<NonNullable<LiveSession['backend']>>
  /** Prices as the agent's configuration has them. */
  readonly catalogOf: (agentName: string) => Promise<readonly CatalogModel[]>
  /** The session has closed: its way to the model closes too. */
  readonly onClosed: (sessionId: SessionId) => void
}

export type Coordinator = ReturnType<typeof createCoordinator>

export function createCoordinator(options: CoordinatorOptions) {
  const { store, bus, ids, logger, holder } = options
  const sessions = new Map<SessionId, Promise<LiveSession>>()
  const held = new Map<SessionId, LiveSession>()
  let isDraining = false

  /** Takes the session for this process. Throws `session.not-found` or `session.held-elsewhere`. */
  function open(sessionId: SessionId): Promise<LiveSession> {
    return hold(sessionId, async () => {
      const initial = requireSession(await store.load(sessionId))
      await store.lease(sessionId, holder, options.isAlive)
      // Read again: whoever held it before may have written until the lease was ours.
      return make(sessionId, (await store.load(sessionId)) ?? initial)
    })
  }

  function create(sessionId: SessionId): Promise<LiveSession> {
    return hold(sessionId, async () => {
      await store.lease(sessionId, holder, options.isAlive)
      return make(sessionId, null)
    })
  }

  function hold(sessionId: SessionId, take: () => Promise<LiveSession>): Promise<LiveSession> {
    const earlier = sessions.get(sessionId)
    if (earlier !== undefined) return earlier
    const taken = take()
    sessions.set(sessionId, taken)
    taken.then(
      (live) => held.set(sessionId, live),
      () => sessions.delete(sessionId),
    )
    return taken
  }

  function make(sessionId: SessionId, initial: SessionState | null): LiveSession {
    const live = createLiveSession({ sessionId, initial, store, bus, redactor: options.redactor })
    for (const { approvalId, expiresAt } of initial?.approvals ?? []) expireAt(live, approvalId, expiresAt)
    return live
  }

  /** Lets a question lapse when nobody answered it in time; a process that waits for it hears a denial. */
  function expireAt(live: LiveSession, approvalId: ApprovalId, expiresAt: string | null): void {
    if (expiresAt === null) return
    const left = Date.parse(expiresAt) - options.clock.now().getTime()
    // A timer holds 24 days at most: a longer wait is taken in steps.
    const step = Math.min(Math.max(0, left), 2 ** 31 - 1)
    setTimeout(() => {
      if (step < left) return expireAt(live, approvalId, expiresAt)
      if (!live.writer.state().approvals.some((open) => open.approvalId === approvalId)) return
      live.writer
        .apply({ type: 'approval.expire', approvalId })
        .then(() => live.waiters.answer(approvalId, { type: 'deny', message: 'Nobody answered in time.' }))
        .catch((error: unknown) => logger.warn({ approvalId, error }, 'approval could not expire'))
    }, step).unref()
  }

  /** Starts on queued messages unless a turn runs already. */
  function kick(live: LiveSession): void {
    if (isDraining || live.working !== null || live.writer.state().queued.length === 0) return
    if (isClosedStatus(live.writer.state().status)) return
    live.working = work(live)
      .catch((error: unknown) => logger.error({ sessionId: live.writer.sessionId, error }, 'session loop failed'))
      .finally(() => {
        live.working = null
      })
  }

  async function work(live: LiveSession): Promise<void> {
    while (!isDraining && !isClosedStatus(live.writer.state().status)) {
      const message = live.writer.state().queued[0]
      if (message === undefined) return
      const turnId = ids.next('trn') as TurnId // ids are made here, so the brand is too
      live.abort = new AbortController()
      const events = await live.writer.apply({ type: 'turn.start', turnId })
      if (!events.some((event) => event.type === 'TurnStarted')) return
      await takeTurn(live, { turnId, input: message.content })
    }
  }

  async function takeTurn(live: LiveSession, turn: { turnId: TurnId; input: string }): Promise<void> {
    const abort = live.abort ?? new AbortController()
    const { limits, durationMs } = live.writer.state()
    let isTimedOut = false
    live.timer = startWorkTimer(limits.maxDurationMs - durationMs, () => {
      isTimedOut = true
      abort.abort()
    })
    const ended = await attempt(live, { ...turn, signal: abort.signal, isTimedOut: () => isTimedOut })
    live.timer.stop()
    live.timer = null
    live.abort = null
    await finishTurn(live, ended)
  }

  async function attempt(
    live: LiveSession,
    turn: { turnId: TurnId; input: string; signal: AbortSignal; isTimedOut: () => boolean },
  ): Promise<EventDraft<'TurnEnded'>> {
    try {
      live.backend ??= await options.openBackend(live)
      const { session, isMetered } = live.backend
      const { writer, tokens, timer } = live
      if (timer === null) throw new Error('a turn runs without its timer')
      return await runTurn(session, { ...turn, writer, tokens, timer, isMetered })
    } catch (error) {
      logger.error({ sessionId: live.writer.sessionId, turnId: turn.turnId, error }, 'turn could not run')
      // What the configuration says can be mended by its writer; anything else is the backend's failure.
      const outcome = isQuarterdeckError(error) ? 'failed' : 'crashed'
      return failedTurn(error instanceof Error ? error.message : String(error), outcome)
    }
  }

  async function finishTurn(live: LiveSession, ended: EventDraft<'TurnEnded'>): Promise<void> {
    const isGone = ended.data.outcome === 'crashed'
    if (isGone) await closeBackend(live)
    const events = await live.writer.apply({ type: 'turn.end', ended, keepsApprovals: isGone || live.isDetaching })
    logger.info(turnLine(live.writer.state(), events), 'turn ended')
    if (live.writer.state().status === 'cancelling') await live.writer.apply({ type: 'session.confirm-cancel' })
    if (isClosedStatus(live.writer.state().status)) await letGo(live)
  }

  async function closeBackend(live: LiveSession): Promise<void> {
    const backend = live.backend
    live.backend = null
    await backend?.session.close()
  }

  /** Ends the process and gives the session back; the log stays. */
  async function letGo(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    await closeBackend(live)
    options.onClosed(sessionId)
    sessions.delete(sessionId)
    held.delete(sessionId)
    await store.release(sessionId, holder)
  }

  /** Books one model request. Late reports of a session that has closed are booked too. */
  async function settle(use: ModelUse): Promise<void> {
    const live = await open(use.sessionId)
    const catalog = await options.catalogOf(live.writer.state().agentName)
    await live.writer.record([draft('UsageRecorded', priceUsage(use, catalog))])
    if (isClosedStatus(live.writer.state().status)) await letGo(live)
  }

  async function drain(graceMs: number): Promise<void> {
    isDraining = true
    const working = [...held.values()].filter((live) => live.working !== null)
    const isWaiting = (live: LiveSession) => live.writer.state().status === 'waiting_approval'
    const all = Promise.all(working.filter((live) => !isWaiting(live)).map((live) => live.working))
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, graceMs).unref())])
    for (const live of working) detach(live)
    await Promise.all(working.map((live) => live.working))
  }

  function detach(live: LiveSession): void {
    live.isDetaching = true
    live.abort?.abort()
  }

  async function close(): Promise<void> {
    isDraining = true
    await Promise.allSettled(sessions.values())
    const all = [...held.values()]
    for (const live of all) detach(live)
    await Promise.all(all.map((live) => live.working))
    await Promise.all(all.map(letGo))
  }

  /** What has been shown of messages in progress, when this process holds the session. */
  const openTexts = (sessionId: SessionId) => held.get(sessionId)?.tokens.openTexts() ?? null

  return { open, create, kick, letGo, settle, drain, close, openTexts, expireAt, isDraining: () => isDraining }
}
