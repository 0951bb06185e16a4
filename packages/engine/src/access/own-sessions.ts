// Sessions belong to their owner. For anyone else, they answer like an unknown id.
import { type AskId, type ErrorCode, type Principal, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import { checkedInput } from '../sessions/rules/checked-input.ts'
import type { SessionService } from '../sessions/session-service.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import { withinScope } from './required-permissions.ts'

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
  createSession: (session, by, seed) =>
    sessions.createSession({ ...session, owner, ...(scope !== 'admin' && { isCatalogOnly: true }) }, by, seed),
  fork: (sessionId, fork, by) => sessions.fork(sessionId, { ...fork, owner }, by),
  listBudgets: (spender) => sessions.listBudgets(spender === undefined ? {} : { ...spender, owner, startedBy: name }),
})

function ownOnly(sessions: SessionService, lookups: Lookups, { owner }: Principal): SessionService {
  const { guarded, own, ownNamed, ownAsk, filtered } = guardFor(lookups, owner)
  /** A query for another owner matches nothing: no owner has the empty name. */
  const onlyOwn = (asked: string | undefined) => (asked === undefined || asked === owner ? owner : '')
  const operations: OwnedOperations = {
    sendMessage: guarded(sessions.sendMessage),
    interrupt: guarded(sessions.interrupt),
    cancel: guarded(sessions.cancel),
    close: guarded(sessions.close),
    getSession: guarded(sessions.getSession),
    readEvents: guarded(sessions.readEvents),
    listSessions: (query) => sessions.listSessions({ ...query, owner: onlyOwn(query.owner) }),
    follow: (sessionId, after, signal) => followOwn(() => own(sessionId), sessions.follow(sessionId, after, signal)),
    feed: async (from, sink) => {
      await own(from.sessionId)
      await sessions.feed(from, sink)
    },
    decideApproval: async (approvalId, decision, by) => {
      await ownAsk(approvalId, 'approval.not-found')
      return sessions.decideApproval(approvalId, decision, by)
    },
    listApprovals: async (query) => {
      await ownNamed(query)
      return { approvals: await filtered((await sessions.listApprovals(query)).approvals) }
    },
    listMessages: guarded(sessions.listMessages),
    editMessage: guarded(sessions.editMessage),
    cancelMessage: guarded(sessions.cancelMessage),
    promoteMessage: guarded(sessions.promoteMessage),
    changeSession: guarded((sessionId, body, by) =>
      sessions.changeSession(sessionId, { ...body, isWithinFile: true }, by),
    ),
    pause: guarded(sessions.pause),
    resume: guarded(sessions.resume),
    fork: guarded(sessions.fork),
    rewind: guarded(sessions.rewind),
    deleteSession: guarded(sessions.deleteSession),
    capabilities: guarded(sessions.capabilities),
    history: guarded(sessions.history),
    messageSubagent: guarded(sessions.messageSubagent),
    inbox: async () => ({ items: await filtered((await sessions.inbox()).items) }),
    listQuestions: async (query) => {
      await ownNamed(query)
      return { questions: await filtered((await sessions.listQuestions(query)).questions) }
    },
    answerQuestion: async (questionId, body, by) => {
      await ownAsk(questionId, 'question.not-found')
      return sessions.answerQuestion(questionId, body, by)
    },
    revokeRule: guarded(sessions.revokeRule),
    attachClient: guarded(sessions.attachClient),
    detachClient: guarded(sessions.detachClient),
    listClientCalls: guarded(sessions.listClientCalls),
    returnClientCall: async (callId, body, by) => {
      await ownAsk(callId, 'client-call.not-found')
      return sessions.returnClientCall(callId, body, by)
    },
    usage: (query) => sessions.usage({ ...query, user: onlyOwn(query.user) }),
    listBudgets: (spender = {}) => sessions.listBudgets(spender),
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
  'createSession' | 'warmAgent' | 'createBudget' | 'changeBudget' | 'removeBudget' | 'readAudit' | 'verifyAudit'
>

/** Checks the owner, then calls the operation. */
function guardFor({ owners, findAsk }: Lookups, owner: string) {
  async function own(sessionId: SessionId, code: ErrorCode = 'session.not-found', id: string = sessionId) {
    if ((await owners.ownerOf(sessionId)) !== owner) throw notHere(code, id)
  }
  async function ownNamed({ session }: { readonly session?: string | undefined }): Promise<void> {
    if (session !== undefined) await own(checkedInput(SessionId, session))
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
  async function filtered<Item extends { readonly sessionId: SessionId }>(items: readonly Item[]): Promise<Item[]> {
    const ofItems = await Promise.all(items.map(({ sessionId }) => owners.ownerOf(sessionId)))
    return items.filter((_, index) => ofItems[index] === owner)
  }
  return { own, ownNamed, ownAsk, guarded, filtered }
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
