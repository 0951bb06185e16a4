// Expires asks in time, with one timer for all of them: a waiting session costs only its entry here.
import {
  type ApprovalId,
  isQuarterdeckError,
  lateResult,
  type QuestionId,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { AskId } from '../../store/ports/event-store.ts'
import type { RunningSession } from '../state/running-session.ts'
import { type CallTimes, clientDeadlineMs } from './client-tool-caller.ts'

export interface AskExpiryOptions {
  readonly open: (sessionId: SessionId) => Promise<RunningSession>
  /** The agent may have to be woken. */
  readonly onSettled: (running: RunningSession) => void
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export interface AskExpiry {
  /** `null` waits forever. */
  watch(sessionId: SessionId, id: ApprovalId | QuestionId, expiresAt: string | null): void
  watchCall(sessionId: SessionId, times: CallTimes): void
  /** Watches every ask that an earlier process left open. */
  watchAll(state: SessionState): void
  /** Called with new events: settled asks are no longer watched, and a new leading client gets its full time. */
  observe(state: SessionState, events: readonly SessionEvent[]): void
  /** The session was released. The process that opens it watches its asks. */
  forget(sessionId: SessionId): void
  stop(): void
}

/** The longest interval between two checks: the clock may be set, and a timer holds at most 24 days. */
const longestDelayMs = 60_000

/** The delay before a failed write is tried again. */
const retryMs = 5000

interface Due {
  readonly sessionId: SessionId
  readonly id: AskId
  readonly atMs: number
  readonly what: 'expire' | 'hand over'
  /** The client that loses the call. */
  readonly leader?: string | null
}

const keyOf = ({ what, id }: Pick<Due, 'what' | 'id'>): string => `${what} ${id}`

export function createAskExpiry(options: AskExpiryOptions): AskExpiry {
  const { clock, ids, logger } = options
  const dues = new Map<string, Due>()
  let timer: NodeJS.Timeout | undefined
  /** When the next check is due. */
  let nextCheckAtMs = Number.POSITIVE_INFINITY
  let isStopped = false

  function add(due: Due): void {
    dues.set(keyOf(due), due)
    if (due.atMs < nextCheckAtMs) arm(due.atMs)
  }

  function drop(id: AskId): void {
    dues.delete(keyOf({ what: 'expire', id }))
    dues.delete(keyOf({ what: 'hand over', id }))
  }

  function arm(atMs: number): void {
    clearTimeout(timer)
    nextCheckAtMs = atMs
    if (isStopped || atMs === Number.POSITIVE_INFINITY) return
    timer = setTimeout(checkDue, Math.min(longestDelayMs, Math.max(0, atMs - clock.now().getTime())))
    timer.unref()
  }

  function checkDue(): void {
    const now = clock.now().getTime()
    let next = Number.POSITIVE_INFINITY
    // Before anything is settled, because that may add entries.
    const due: Due[] = []
    for (const one of dues.values()) {
      if (one.atMs <= now) due.push(one)
      else next = Math.min(next, one.atMs)
    }
    for (const one of due) dues.delete(keyOf(one))
    arm(next)
    for (const one of due) settle(one).catch((error: unknown) => tryAgain(one, error))
  }

  /** A deleted session has no asks, and another holder watches its own. Any other failure may be temporary. */
  function tryAgain(due: Due, error: unknown): void {
    const { sessionId, id } = due
    if (isQuarterdeckError(error, 'session.not-found') || isQuarterdeckError(error, 'session.held-elsewhere')) return
    logger.warn({ sessionId, ask: id, error: String(error) }, 'an ask could not be expired: trying again')
    add({ ...due, atMs: clock.now().getTime() + retryMs })
  }

  async function settle({ sessionId, id, what }: Due): Promise<void> {
    const running = await options.open(sessionId)
    if (what === 'hand over') return handOver(running, id)
    await expire(running, id)
    options.onSettled(running)
  }

  /** A waiting process learns that there was no answer. */
  async function expire(running: RunningSession, id: AskId): Promise<void> {
    const { writer } = running
    const wakeMessageId = ids.next('umsg')
    const { approvals, questions, clientCalls } = writer.state()
    const approval = approvals.find(({ approvalId }) => approvalId === id)
    const question = questions.find(({ questionId }) => questionId === id)
    const call = clientCalls.find(({ callId }) => callId === id)
    if (approval !== undefined) {
      const { approvalId } = approval
      await writer.apply({ type: 'approval.expire', approvalId, wakeMessageId })
      running.approvals.answer(approvalId, { type: 'deny', message: 'Nobody answered in time.' })
    } else if (question !== undefined) {
      const { questionId } = question
      await writer.apply({ type: 'question.expire', questionId, wakeMessageId })
      running.questions.answer(questionId, { type: 'declined', message: 'Nobody answered in time.' })
    } else if (call !== undefined) {
      const { callId } = call
      await writer.apply({ type: 'client-call.expire', callId, wakeMessageId })
      running.clientCalls.answer(callId, lateResult)
    }
  }

  /** Gives up on the leading client if another can run the tool. A single client has as long as the call is parked. */
  async function handOver({ writer, clientToolChanges }: RunningSession, id: AskId): Promise<void> {
    const { clientCalls, clients } = writer.state()
    const call = clientCalls.find(({ callId }) => callId === id)
    if (call === undefined || call.leader === null) return
    const able = clients.filter(({ tools }) => tools.some(({ name }) => name === call.toolName))
    if (able.length < 2) return
    await writer.apply({ type: 'client.detach', clientId: call.leader, by: 'clock' })
    clientToolChanges.changed()
  }

  function watch(sessionId: SessionId, id: AskId, expiresAt: string | null): void {
    if (expiresAt !== null) add({ sessionId, id, atMs: Date.parse(expiresAt), what: 'expire' })
  }

  function watchCall(sessionId: SessionId, { callId, leader, deadlineAt, parkedUntil }: CallTimes): void {
    watchLeader(sessionId, { callId, leader, deadlineAt })
    watch(sessionId, callId, parkedUntil)
  }

  /** Without a leading client there is none to give up on. */
  function watchLeader(sessionId: SessionId, { callId, leader, deadlineAt }: Omit<CallTimes, 'parkedUntil'>): void {
    if (leader !== null) add({ sessionId, id: callId, atMs: Date.parse(deadlineAt), what: 'hand over', leader })
  }

  /** The deadline of a client that leads from now on. */
  const deadlineFromNow = () => new Date(clock.now().getTime() + clientDeadlineMs).toISOString()

  /** Clients have attached or detached. A client that still leads keeps its deadline, unless it was checked already. */
  function watchLeaders({ sessionId, clientCalls }: SessionState): void {
    for (const { callId, leader } of clientCalls) {
      const watched = dues.get(keyOf({ what: 'hand over', id: callId }))
      if (watched?.leader !== leader) watchLeader(sessionId, { callId, leader, deadlineAt: deadlineFromNow() })
    }
  }

  function observe(state: SessionState, events: readonly SessionEvent[]): void {
    for (const event of events) {
      const id = settledBy(event)
      if (id !== null) drop(id)
      if (event.type === 'ClientAttached' || event.type === 'ClientDetached') watchLeaders(state)
    }
  }

  return {
    watch,
    watchCall,
    observe,
    watchAll({ sessionId, approvals, questions, clientCalls }) {
      for (const { approvalId, expiresAt } of approvals) watch(sessionId, approvalId, expiresAt)
      for (const { questionId, expiresAt } of questions) watch(sessionId, questionId, expiresAt)
      // Clients reconnect after the server restarts, so their time starts again.
      for (const call of clientCalls) watchCall(sessionId, { ...call, deadlineAt: deadlineFromNow() })
    },
    forget(sessionId) {
      for (const [key, due] of dues) if (due.sessionId === sessionId) dues.delete(key)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The ask that this event settles. */
function settledBy(event: SessionEvent): AskId | null {
  switch (event.type) {
    case 'ApprovalDecided':
    case 'ApprovalExpired':
      return event.data.approvalId
    case 'QuestionAnswered':
    case 'QuestionExpired':
      return event.data.questionId
    case 'ClientToolReturned':
    case 'ClientToolExpired':
      return event.data.callId
    default:
      return null
  }
}
