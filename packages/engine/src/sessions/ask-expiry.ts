// Lets asks lapse in time, by one timer for all of them: a session that only waits costs nothing but its place in here.
import type { ApprovalId, QuestionId, SessionId, SessionState, UserMessageId } from '@quarterdeck/protocol'
import { lateResult } from '@quarterdeck/protocol'
import type { AskId, Clock, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { type CallTimes, clientDeadlineMs } from './client-toolbox.ts'
import type { LiveSession } from './live-session.ts'

export interface AskExpiryOptions {
  readonly open: (sessionId: SessionId) => Promise<LiveSession>
  /** The agent may have to be woken. */
  readonly onSettled: (live: LiveSession) => void
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export interface AskExpiry {
  /** `null` waits for ever. */
  watch(sessionId: SessionId, id: ApprovalId | QuestionId, expiresAt: string | null): void
  watchCall(sessionId: SessionId, times: CallTimes): void
  /** Everything an earlier process left open. */
  watchAll(state: SessionState): void
  stop(): void
}

/** Looked at again this often, however far away the next one is: a clock may be set, and a timer holds 24 days at most. */
const longestNapMs = 60_000

interface Due {
  readonly sessionId: SessionId
  readonly id: AskId
  atMs: number
  readonly what: 'lapse' | 'hand over'
}

export function createAskExpiry(options: AskExpiryOptions): AskExpiry {
  const { clock, ids, logger } = options
  const dues = new Map<string, Due>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function add(due: Due): void {
    dues.set(`${due.what} ${due.id}`, due)
    arm()
  }

  function arm(): void {
    clearTimeout(timer)
    if (isStopped || dues.size === 0) return
    const nextMs = Math.min(...[...dues.values()].map(({ atMs }) => atMs)) - clock.now().getTime()
    timer = setTimeout(look, Math.min(longestNapMs, Math.max(0, nextMs)))
    timer.unref()
  }

  function look(): void {
    const now = clock.now().getTime()
    for (const [key, due] of dues) {
      if (due.atMs > now) continue
      dues.delete(key)
      settle(due).catch((error: unknown) => {
        logger.warn({ sessionId: due.sessionId, ask: due.id, error: String(error) }, 'an ask could not lapse')
      })
    }
    arm()
  }

  async function settle({ sessionId, id, what }: Due): Promise<void> {
    const live = await options.open(sessionId)
    if (what === 'hand over') return handOver(live, id)
    await lapse(live, id)
    options.onSettled(live)
  }

  /** A process that waits for it hears that nobody answered. */
  async function lapse(live: LiveSession, id: AskId): Promise<void> {
    const { writer } = live
    const wakeMessageId = ids.next('umsg') as UserMessageId // ids are made here, so the brand is too
    const { approvals, questions, clientCalls } = writer.state()
    const approval = approvals.find(({ approvalId }) => approvalId === id)
    const question = questions.find(({ questionId }) => questionId === id)
    const call = clientCalls.find(({ callId }) => callId === id)
    if (approval !== undefined) {
      const { approvalId } = approval
      await writer.apply({ type: 'approval.expire', approvalId, wakeMessageId })
      live.waiters.answer(approvalId, { type: 'deny', message: 'Nobody answered in time.' })
    } else if (question !== undefined) {
      const { questionId } = question
      await writer.apply({ type: 'question.expire', questionId, wakeMessageId })
      live.questions.answer(questionId, { type: 'declined', message: 'Nobody answered in time.' })
    } else if (call !== undefined) {
      const { callId } = call
      await writer.apply({ type: 'client-call.expire', callId, wakeMessageId })
      live.clientCalls.answer(callId, lateResult)
    }
  }

  /** The leading client is given up on when another one can run the tool; alone, it may take as long as the call waits. */
  async function handOver({ writer, clientTools }: LiveSession, id: AskId): Promise<void> {
    const { clientCalls, clients, sessionId } = writer.state()
    const call = clientCalls.find(({ callId }) => callId === id)
    if (call === undefined || call.leader === null) return
    const able = clients.filter(({ tools }) => tools.some(({ name }) => name === call.toolName))
    if (able.length < 2) return
    await writer.apply({ type: 'client.detach', clientId: call.leader, by: 'clock' })
    clientTools.changed()
    add({ sessionId, id, atMs: clock.now().getTime() + clientDeadlineMs, what: 'hand over' })
  }

  function watch(sessionId: SessionId, id: AskId, expiresAt: string | null): void {
    if (expiresAt !== null) add({ sessionId, id, atMs: Date.parse(expiresAt), what: 'lapse' })
  }

  function watchCall(sessionId: SessionId, { callId, deadlineAt, parkedUntil }: CallTimes): void {
    add({ sessionId, id: callId, atMs: Date.parse(deadlineAt), what: 'hand over' })
    watch(sessionId, callId, parkedUntil)
  }

  return {
    watch,
    watchCall,
    watchAll({ sessionId, approvals, questions, clientCalls }) {
      for (const { approvalId, expiresAt } of approvals) watch(sessionId, approvalId, expiresAt)
      for (const { questionId, expiresAt } of questions) watch(sessionId, questionId, expiresAt)
      // Clients come back after the server does: they have their time again.
      const deadlineAt = new Date(clock.now().getTime() + clientDeadlineMs).toISOString()
      for (const call of clientCalls) watchCall(sessionId, { ...call, deadlineAt })
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
