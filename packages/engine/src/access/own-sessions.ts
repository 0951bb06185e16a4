// Sessions belong to their owner. For anybody else they are not there: the same answer as for an id nobody has.
import {
  type BudgetId,
  type ClientCallId,
  type ErrorCode,
  type Principal,
  QuarterdeckError,
  type SessionId,
} from '@quarterdeck/protocol'
import type { SessionService } from '../sessions/session-service.ts'
import type { EventStore } from '../store/event-store.ts'

/** Where asks are looked up, whoever they belong to. */
export type AskIndex = Pick<EventStore, 'findAsk'>
type AskId = Parameters<AskIndex['findAsk']>[0]

/** The doors as one principal sees them. An admin sees all of them, as they are. */
export function ownSessions(sessions: SessionService, asks: AskIndex, principal: Principal): SessionService {
  const { owner } = principal
  if (principal.scope === 'admin') return withOwner(sessions, owner)

  async function own(sessionId: SessionId, code: ErrorCode = 'session.not-found', id: string = sessionId) {
    const isOwn = await sessions.snapshot(sessionId).then(
      ({ session }) => session.owner === owner,
      (error: unknown) => {
        if (error instanceof QuarterdeckError && error.code === 'session.not-found') return false
        throw error
      },
    )
    if (!isOwn) throw new QuarterdeckError(code, `there is no ${JSON.stringify(id)} here`)
  }
  async function ownAsk(id: AskId, code: ErrorCode): Promise<void> {
    const sessionId = await asks.findAsk(id)
    if (sessionId === null) throw new QuarterdeckError(code, `there is no ${JSON.stringify(id)} here`)
    await own(sessionId, code, id)
  }
  /** Looks first, then does it. */
  const guarded =
    <Rest extends readonly unknown[], Reply>(act: (sessionId: SessionId, ...rest: Rest) => Promise<Reply>) =>
    async (sessionId: SessionId, ...rest: Rest): Promise<Reply> => {
      await own(sessionId)
      return act(sessionId, ...rest)
    }
  const guardedOf =
    <Of extends { readonly sessionId: SessionId }, Rest extends readonly unknown[], Reply>(
      act: (of: Of, ...rest: Rest) => Promise<Reply>,
    ) =>
    async (of: Of, ...rest: Rest): Promise<Reply> => {
      await own(of.sessionId)
      return act(of, ...rest)
    }
  const isOwnId = async (sessionId: SessionId) => (await sessions.snapshot(sessionId)).session.owner === owner
  const ownOnly = async <Item extends { readonly sessionId: SessionId }>(items: readonly Item[]): Promise<Item[]> => {
    const ids = [...new Set(items.map(({ sessionId }) => sessionId))]
    const owned = new Set<SessionId>()
    for (const id of ids) if (await isOwnId(id)) owned.add(id)
    return items.filter(({ sessionId }) => owned.has(sessionId))
  }
  const noBudget = (budgetId: BudgetId) =>
    Promise.reject(new QuarterdeckError('budget.not-found', `there is no ${JSON.stringify(budgetId)} here`))

  return {
    ...withOwner(sessions, owner),
    send: guarded(sessions.send),
    interrupt: guarded(sessions.interrupt),
    cancel: guarded(sessions.cancel),
    close: guarded(sessions.close),
    snapshot: guarded(sessions.snapshot),
    events: guarded(sessions.events),
    list: (query) => sessions.list({ ...query, owner }),
    follow: (sessionId, after, signal) => followOwn(() => own(sessionId), sessions.follow(sessionId, after, signal)),
    feed: async (from, sink) => {
      await own(from.sessionId)
      await sessions.feed(from, sink)
    },
    decide: async (approvalId, decision, by) => {
      await ownAsk(approvalId, 'approval.not-found')
      return sessions.decide(approvalId, decision, by)
    },
    approvals: async (sessionId) => {
      if (sessionId !== undefined) await own(sessionId)
      const list = await sessions.approvals(sessionId)
      return { ...list, approvals: await ownOnly(list.approvals) }
    },
    messages: guarded(sessions.messages),
    editMessage: guardedOf(sessions.editMessage),
    cancelMessage: guardedOf(sessions.cancelMessage),
    promoteMessage: guardedOf(sessions.promoteMessage),
    change: guarded(sessions.change),
    pause: guarded(sessions.pause),
    resume: guarded(sessions.resume),
    fork: guarded((sessionId, fork, by) => sessions.fork(sessionId, { ...fork, owner }, by)),
    rewind: guarded(sessions.rewind),
    remove: guarded(sessions.remove),
    capabilities: guarded(sessions.capabilities),
    history: guarded(sessions.history),
    messageSubagent: guardedOf(sessions.messageSubagent),
    inbox: async () => {
      const inbox = await sessions.inbox()
      return { ...inbox, items: await ownOnly(inbox.items) }
    },
    questions: async (sessionId) => {
      if (sessionId !== undefined) await own(sessionId)
      const list = await sessions.questions(sessionId)
      return { ...list, questions: await ownOnly(list.questions) }
    },
    answer: async (questionId, body, by) => {
      await ownAsk(questionId, 'question.not-found')
      return sessions.answer(questionId, body, by)
    },
    revokeRule: guarded(sessions.revokeRule),
    attachClient: guarded(sessions.attachClient),
    detachClient: guarded(sessions.detachClient),
    clientCalls: guarded(sessions.clientCalls),
    returnClientCall: async (callId: ClientCallId, body, by) => {
      await ownAsk(callId, 'client-call.not-found')
      return sessions.returnClientCall(callId, body, by)
    },
    usage: (query) => sessions.usage({ ...query, user: owner }),
    budgets: async () =>
      (await sessions.budgets()).filter(({ scope, subject }) => scope === 'user' && subject === owner),
    changeBudget: noBudget,
    removeBudget: noBudget,
    wake: guarded(sessions.wake),
    queue: async () => {
      const queue = await sessions.queue()
      return { ...queue, waiting: await ownOnly(queue.waiting) }
    },
  }
}

/** What somebody starts is theirs, whatever key they came with. */
const withOwner = (sessions: SessionService, owner: string): SessionService => ({
  ...sessions,
  create: (session, by, seed) => sessions.create({ ...session, owner }, by, seed),
  fork: (sessionId, fork, by) => sessions.fork(sessionId, { ...fork, owner }, by),
})

async function* followOwn<Item>(check: () => Promise<void>, events: AsyncIterable<Item>): AsyncIterable<Item> {
  await check()
  yield* events
}
