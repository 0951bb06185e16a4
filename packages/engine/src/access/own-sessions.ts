// Sessions belong to their owner. For anyone else, they answer like an unknown id.
import { type ErrorCode, type Principal, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import type { SessionService } from '../sessions/session-service.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import { withinScope } from './required-permissions.ts'

type AskId = Parameters<EventStore['findAsk']>[0]

interface Lookups {
  readonly owners: SessionOwners
  readonly findAsk: EventStore['findAsk']
}

export interface OwnSessionsOptions {
  readonly sessions: SessionService
  readonly store: Pick<EventStore, 'findAsk' | 'load'>
}

/** The session service as each principal sees it, limited by its scope and its owner. */
export function createOwnSessions({ sessions, store }: OwnSessionsOptions): (principal: Principal) => SessionService {
  const lookups: Lookups = { owners: createSessionOwners(store), findAsk: store.findAsk }
  return (principal) => {
    const own = withOwner(sessions, principal)
    return principal.scope === 'admin' ? own : withinScope(ownOnly(own, lookups, principal), principal.scope)
  }
}

/** A new session belongs to the owner of the key that starts it. */
const withOwner = (sessions: SessionService, { name, owner, scope }: Principal): SessionService => ({
  ...sessions,
  // A model without a known price has no dollar limit: only admins may choose a model outside the catalog.
  create: (session, by, seed) =>
    sessions.create({ ...session, owner, ...(scope !== 'admin' && { isCatalogOnly: true }) }, by, seed),
  fork: (sessionId, fork, by) => sessions.fork(sessionId, { ...fork, owner }, by),
  budgets: (spender) => sessions.budgets(spender === undefined ? {} : { ...spender, owner, startedBy: name }),
})

function ownOnly(sessions: SessionService, lookups: Lookups, { owner }: Principal): SessionService {
  const { guarded, guardedOf, own, ownAsk, filtered } = guardFor(lookups, owner)
  /** A query for another owner matches nothing: no owner has the empty name. */
  const onlyOwn = (asked: string | undefined) => (asked === undefined || asked === owner ? owner : '')
  const operations: OwnedOperations = {
    send: guarded(sessions.send),
    interrupt: guarded(sessions.interrupt),
    cancel: guarded(sessions.cancel),
    close: guarded(sessions.close),
    snapshot: guarded(sessions.snapshot),
    events: guarded(sessions.events),
    list: (query) => sessions.list({ ...query, owner: onlyOwn(query.owner) }),
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
      return { approvals: await filtered((await sessions.approvals(sessionId)).approvals) }
    },
    messages: guarded(sessions.messages),
    editMessage: guardedOf(sessions.editMessage),
    cancelMessage: guardedOf(sessions.cancelMessage),
    promoteMessage: guardedOf(sessions.promoteMessage),
    change: guarded((sessionId, body, by) => sessions.change(sessionId, { ...body, isWithinFile: true }, by)),
    pause: guarded(sessions.pause),
    resume: guarded(sessions.resume),
    fork: guarded(sessions.fork),
    rewind: guarded(sessions.rewind),
    remove: guarded(sessions.remove),
    capabilities: guarded(sessions.capabilities),
    history: guarded(sessions.history),
    messageSubagent: guardedOf(sessions.messageSubagent),
    inbox: async () => ({ items: await filtered((await sessions.inbox()).items) }),
    questions: async (sessionId) => {
      if (sessionId !== undefined) await own(sessionId)
      return { questions: await filtered((await sessions.questions(sessionId)).questions) }
    },
    answer: async (questionId, body, by) => {
      await ownAsk(questionId, 'question.not-found')
      return sessions.answer(questionId, body, by)
    },
    revokeRule: guarded(sessions.revokeRule),
    attachClient: guarded(sessions.attachClient),
    detachClient: guarded(sessions.detachClient),
    clientCalls: guarded(sessions.clientCalls),
    returnClientCall: async (callId, body, by) => {
      await ownAsk(callId, 'client-call.not-found')
      return sessions.returnClientCall(callId, body, by)
    },
    usage: (query) => sessions.usage({ ...query, user: onlyOwn(query.user) }),
    budgets: (spender = {}) => sessions.budgets(spender),
    wake: guarded(sessions.wake),
    queue: async () => {
      const queue = await sessions.queue()
      return { ...queue, waiting: await filtered(queue.waiting) }
    },
  }
  return { ...sessions, ...operations }
}

/** All operations except those that start something and those for admins. A new one must be added here to compile. */
type OwnedOperations = Omit<
  SessionService,
  'create' | 'warm' | 'createBudget' | 'changeBudget' | 'removeBudget' | 'audit' | 'verifyAudit'
>

/** Checks the owner, then calls the operation. */
function guardFor({ owners, findAsk }: Lookups, owner: string) {
  async function own(sessionId: SessionId, code: ErrorCode = 'session.not-found', id: string = sessionId) {
    if ((await owners.ownerOf(sessionId)) !== owner) throw notHere(code, id)
  }
  async function ownAsk(id: AskId, code: ErrorCode): Promise<void> {
    const sessionId = await findAsk(id)
    if (sessionId === null) throw notHere(code, id)
    await own(sessionId, code, id)
  }
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
  async function filtered<Item extends { readonly sessionId: SessionId }>(items: readonly Item[]): Promise<Item[]> {
    const ofItems = await Promise.all(items.map(({ sessionId }) => owners.ownerOf(sessionId)))
    return items.filter((_, index) => ofItems[index] === owner)
  }
  return { own, ownAsk, guarded, guardedOf, filtered }
}

const notHere = (code: ErrorCode, id: string) => new QuarterdeckError(code, `${JSON.stringify(id)} was not found`)

async function* followOwn<Item>(check: () => Promise<void>, events: AsyncIterable<Item>): AsyncIterable<Item> {
  await check()
  yield* events
}

/** A session's owner never changes, so it is read once. This many are cached. */
const cacheSize = 10_000

interface SessionOwners {
  /** `null` for an unknown session. */
  ownerOf(sessionId: SessionId): Promise<string | null>
}

function createSessionOwners(store: Pick<EventStore, 'load'>): SessionOwners {
  const owners = new Map<SessionId, string>()
  return {
    async ownerOf(sessionId) {
      const known = owners.get(sessionId)
      if (known !== undefined) return known
      const state = await store.load(sessionId)
      if (state === null) return null
      const [oldest] = owners.keys()
      if (oldest !== undefined && owners.size >= cacheSize) owners.delete(oldest)
      owners.set(sessionId, state.owner)
      return state.owner
    },
  }
}
