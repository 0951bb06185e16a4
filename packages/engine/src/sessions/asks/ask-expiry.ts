// Expires asks in time, with one timer for all of them: a waiting session costs only its entries there.
import {
  type Ask,
  type AskId,
  askOpenedBy,
  askSettledBy,
  findAsk,
  isQuarterdeckError,
  type OpenClientCall,
  openAsks,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import { strategyOf } from '../rules/ask-kinds/ask-strategies.ts'
import type { RunningSession } from '../state/running-session.ts'
import { clientDeadlineMs } from './client-tool-caller.ts'
import { createDueTimer, type Due } from './due-timer.ts'

export interface AskExpiryOptions {
  readonly open: (sessionId: SessionId) => Promise<RunningSession>
  /** The agent may have to be woken. */
  readonly onExpired: (running: RunningSession) => void
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export type AskExpiry = ReturnType<typeof createAskExpiry>

/** The delay before a failed write is tried again. */
const retryMs = 5000

export function createAskExpiry(options: AskExpiryOptions) {
  const { clock, ids, logger } = options
  const dues = createDueTimer(clock, (due) => void handle(due).catch((error: unknown) => tryAgain(due, error)))

  /** A deleted session has no asks, and another holder watches its own. Any other failure may be temporary. */
  function tryAgain(due: Due, error: unknown): void {
    const { sessionId, id } = due
    if (isQuarterdeckError(error, 'session.not-found') || isQuarterdeckError(error, 'session.held-elsewhere')) return
    logger.warn({ sessionId, ask: id, error: String(error) }, 'an ask could not be expired: trying again')
    dues.add({ ...due, atMs: clock.now().getTime() + retryMs })
  }

  async function handle({ sessionId, id, action }: Due): Promise<void> {
    const running = await options.open(sessionId)
    if (action === 'hand-over') return handOver(running, id)
    await expire(running, id)
    options.onExpired(running)
  }

  /** A waiting process learns that there was no answer. */
  async function expire({ writer, asks }: RunningSession, id: AskId): Promise<void> {
    if (findAsk(writer.state(), id) === undefined) return
    await writer.apply({ type: 'ask.expire', id, wakeMessageId: ids.next('umsg') })
    asks.answer(id, strategyOf(id).expiredReply)
  }

  /** Gives up on the leading client if another can run the tool. A single client has as long as the call is parked. */
  async function handOver({ writer, clientToolChanges }: RunningSession, id: AskId): Promise<void> {
    const { clientCalls, clients } = writer.state()
    const call = clientCalls.find(({ callId }) => callId === id)
    if (call === undefined || call.leader === null) return
    const able = clients.filter(({ tools }) => tools.some(({ name }) => name === call.toolName))
    if (able.length < 2) return
    await writer.apply({ type: 'client.detach', clientId: call.leader, by: 'clock' })
    clientToolChanges.emit()
  }

  /** The leading client of a call has until `leaderUntil`. A call without a leading client has no such deadline. */
  function watch({ kind, id, expiresAt, request }: Ask, leaderUntil: (call: OpenClientCall) => string): void {
    const { sessionId } = request
    if (expiresAt !== null) dues.add({ sessionId, id, atMs: Date.parse(expiresAt), action: 'expire' })
    if (kind === 'client-call') watchLeader(request, leaderUntil(request))
  }

  function watchLeader({ sessionId, callId: id, leader }: OpenClientCall, until: string): void {
    if (leader !== null) dues.add({ sessionId, id, atMs: Date.parse(until), action: 'hand-over', leader })
  }

  /** The deadline of a client that leads from now on. */
  const deadlineFromNow = () => new Date(clock.now().getTime() + clientDeadlineMs).toISOString()

  /** Clients have attached or detached. A client that still leads keeps its deadline, unless it was checked already. */
  function watchLeaders({ clientCalls }: SessionState): void {
    for (const call of clientCalls) {
      const watched = dues.find({ action: 'hand-over', id: call.callId })
      if (watched?.leader !== call.leader) watchLeader(call, deadlineFromNow())
    }
  }

  return {
    /** Called with new events: watches opened asks, forgets settled ones, and gives a new leading client its full time. */
    observe(state: SessionState, events: readonly SessionEvent[]): void {
      for (const event of events) {
        const opened = askOpenedBy(event)
        const ask = opened === null ? undefined : findAsk(state, opened)
        if (ask !== undefined) watch(ask, ({ deadlineAt }) => deadlineAt)
        const settled = askSettledBy(event)
        if (settled !== null) dues.drop(settled)
        if (event.type === 'ClientAttached' || event.type === 'ClientDetached') watchLeaders(state)
      }
    },
    /** Watches every ask that an earlier process left open. */
    watchAll(state: SessionState): void {
      // Clients reconnect after the server restarts, so their time starts again.
      for (const ask of openAsks(state)) watch(ask, deadlineFromNow)
    },
    /** The session was released. The process that opens it watches its asks. */
    forget: dues.forget,
    stop: dues.stop,
  }
}
