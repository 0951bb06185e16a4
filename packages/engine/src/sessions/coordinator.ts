// Who works on what: holds the sessions of this process, one writer and at most one running turn each.
import { type CatalogModel, draft, isClosedStatus, type SessionId, type SessionState } from '@quarterdeck/protocol'
import type { Bus } from '../bus.ts'
import type { ModelRequest, ModelUse, ModelVerdict } from '../model-gateway.ts'
import { judgeRequest } from '../money/judge-request.ts'
import { priceUsage } from '../money/price-usage.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { Clock, EventStore, Holder, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createApprovalExpiry } from './approval-expiry.ts'
import { requireSession } from './invariants.ts'
import { createLiveSession, type LiveSession } from './live-session.ts'
import { createTurnLoop } from './turn-loop.ts'
import { within } from './within.ts'

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
  /** How many agent processes may rest between turns; the longest idle ones end, and resume when they are needed. */
  readonly maxResting: number
}

export type Coordinator = ReturnType<typeof createCoordinator>

/** What a stop may take beyond the grace period before the process is left to die with the server. */
const stopBoundMs = 30_000

export function createCoordinator(options: CoordinatorOptions) {
  const { store, bus, logger, holder } = options
  const sessions = new Map<SessionId, Promise<LiveSession>>()
  const held = new Map<SessionId, LiveSession>()
  const expiry = createApprovalExpiry(options)
  let isDraining = false

  const turns = createTurnLoop({
    ...options,
    isDraining: () => isDraining,
    onRested: (live) => (isClosedStatus(live.writer.state().status) ? letGo(live) : boundResting()),
  })

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
    for (const { approvalId, expiresAt } of initial?.approvals ?? []) expiry.watch(live, approvalId, expiresAt)
    return live
  }

  /** A session costs a process while it works and a little while after; then only its log. */
  async function boundResting(): Promise<void> {
    const resting = [...held.values()].filter((live) => live.backend !== null && live.working === null)
    resting.sort((one, other) => one.restingSince - other.restingSince)
    await Promise.all(resting.slice(0, Math.max(0, resting.length - options.maxResting)).map(turns.closeBackend))
  }

  /** Ends the process and gives the session back; the log stays. */
  async function letGo(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    await turns.closeBackend(live)
    options.onClosed(sessionId)
    sessions.delete(sessionId)
    held.delete(sessionId)
    await store.release(sessionId, holder)
  }

  /** Books one model request. Late reports of a session that has closed are booked too. */
  async function book(use: ModelUse): Promise<void> {
    const live = await open(use.sessionId)
    const catalog = await options.catalogOf(live.writer.state().agentName)
    await live.writer.record([draft('UsageRecorded', priceUsage(use, catalog))])
    if (isClosedStatus(live.writer.state().status) && live.working === null) await letGo(live)
  }

  /** May this request be sent? Asked before each one. */
  async function authorize(request: ModelRequest): Promise<ModelVerdict> {
    const { writer } = await open(request.sessionId)
    return judgeRequest(request, writer.state(), await options.catalogOf(writer.state().agentName))
  }

  /** No new turns; running ones may end by themselves, then they are interrupted. What they asked stays open. */
  async function drain(graceMs: number): Promise<void> {
    isDraining = true
    const working = [...held.values()].filter((live) => live.working !== null)
    const busy = working.filter((live) => live.writer.state().status !== 'waiting_approval')
    await within(graceMs, Promise.all(busy.map((live) => live.working)))
    await stop(working)
  }

  async function stop(lives: readonly LiveSession[]): Promise<void> {
    for (const live of lives) {
      live.isDetaching = true
      live.abort?.abort()
    }
    const isStopped = await within(stopBoundMs, Promise.all(lives.map((live) => live.working)))
    if (!isStopped) logger.error({ sessions: lives.length }, 'turns did not stop in time: the next start recovers them')
  }

  async function close(): Promise<void> {
    isDraining = true
    await Promise.allSettled(sessions.values())
    const all = [...held.values()]
    await stop(all)
    await within(stopBoundMs, Promise.all(all.map(letGo)))
  }

  /** What has been shown of messages in progress, when this process holds the session. */
  const openTexts = (sessionId: SessionId) => held.get(sessionId)?.tokens.openTexts() ?? null

  return {
    ...{ open, create, letGo, book, authorize, drain, close, openTexts },
    kick: turns.kick,
    expireAt: expiry.watch,
    isDraining: () => isDraining,
  }
}
