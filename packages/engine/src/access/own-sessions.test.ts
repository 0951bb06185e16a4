import {
  ApprovalId,
  apiRoutes,
  type BudgetId,
  type BudgetList,
  ClientCallId,
  type Permission,
  type Principal,
  QuestionId,
  type Route,
  type Scope,
  SessionId,
  UserMessageId,
} from '@quarterdeck/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { SessionService } from '../sessions/session-service.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import {
  approvalId,
  approvalRequested,
  clientCallId,
  clientToolCalled,
  questionAsked,
  questionId,
  usage,
} from '../store/ports/contract/store-harness.contract.ts'
import { createOwnSessions } from './own-sessions.ts'

const keyOf = (name: string, owner = name, scope: Scope = 'operator'): Principal => ({
  name,
  owner,
  scope,
  requestsPerMinute: null,
})

async function openOperations() {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
  const sessionsOf = createOwnSessions({ sessions: runtime.sessions, store: runtime.store })
  const as = (name: string, owner?: string, scope?: Scope) => sessionsOf(keyOf(name, owner, scope))
  return { ...runtime, as }
}

let runtime: Awaited<ReturnType<typeof openOperations>>
beforeEach(async () => {
  runtime = await openOperations()
})

type Named = Exclude<
  keyof SessionService,
  | ('createSession' | 'warmAgent' | 'listSessions' | 'inbox' | 'queue' | 'usage' | 'listBudgets')
  | ('createBudget' | 'changeBudget' | 'removeBudget' | 'readAudit' | 'verifyAudit')
>

interface Ids {
  readonly sessionId: SessionId
  readonly approvalId: ApprovalId
  readonly questionId: QuestionId
  readonly callId: ClientCallId
}

/** Every operation that names a session or one of its asks. */
const naming: Readonly<Record<Named, (operations: SessionService, ids: Ids) => Promise<unknown>>> = {
  sendMessage: (operations, { sessionId }) => operations.sendMessage(sessionId, { content: 'hi' }, 'eve'),
  interrupt: (operations, { sessionId }) => operations.interrupt(sessionId, 'eve'),
  cancel: (operations, { sessionId }) => operations.cancel(sessionId, 'eve'),
  close: (operations, { sessionId }) => operations.close(sessionId, 'eve'),
  decideApproval: (operations, ids) => operations.decideApproval(ids.approvalId, { decision: 'allow' }, 'eve'),
  getSession: (operations, { sessionId }) => operations.getSession(sessionId),
  listApprovals: (operations, { sessionId }) => operations.listApprovals({ session: sessionId }),
  readEvents: (operations, { sessionId }) => operations.readEvents(sessionId, { limit: 10 }),
  follow: async (operations, { sessionId }) => {
    for await (const event of operations.follow(sessionId, 0, new AbortController().signal)) return event
    return null
  },
  feed: (operations, { sessionId }) =>
    operations.feed(
      { sessionId, after: 0, signal: AbortSignal.abort() },
      { take: () => true, drained: async () => undefined },
    ),
  listMessages: (operations, { sessionId }) => operations.listMessages(sessionId),
  editMessage: (operations, { sessionId }) => operations.editMessage(sessionId, messageId, { content: 'hi' }, 'eve'),
  cancelMessage: (operations, { sessionId }) => operations.cancelMessage(sessionId, messageId, 'eve'),
  promoteMessage: (operations, { sessionId }) => operations.promoteMessage(sessionId, messageId, {}, 'eve'),
  changeSession: (operations, { sessionId }) => operations.changeSession(sessionId, { title: 'mine' }, 'eve'),
  pause: (operations, { sessionId }) => operations.pause(sessionId, 'eve'),
  resume: (operations, { sessionId }) => operations.resume(sessionId, 'eve'),
  fork: (operations, { sessionId }) => operations.fork(sessionId, {}, 'eve'),
  rewind: (operations, { sessionId }) => operations.rewind(sessionId, { messageId }, 'eve'),
  deleteSession: (operations, { sessionId }) => operations.deleteSession(sessionId, 'eve'),
  capabilities: (operations, { sessionId }) => operations.capabilities(sessionId),
  history: (operations, { sessionId }) => operations.history(sessionId),
  messageSubagent: (operations, { sessionId }) =>
    operations.messageSubagent(sessionId, 'agent_1', { content: 'hi' }, 'eve'),
  listQuestions: (operations, { sessionId }) => operations.listQuestions({ session: sessionId }),
  answerQuestion: (operations, ids) => operations.answerQuestion(ids.questionId, { answers: null }, 'eve'),
  revokeRule: (operations, { sessionId }) => operations.revokeRule(sessionId, { tool: 'Bash', pattern: 'ls' }, 'eve'),
  attachClient: (operations, { sessionId }) => operations.attachClient(sessionId, { clientId: 'c', tools: [] }, 'eve'),
  detachClient: (operations, { sessionId }) => operations.detachClient(sessionId, 'c', 'eve'),
  listClientCalls: (operations, { sessionId }) => operations.listClientCalls(sessionId),
  returnClientCall: (operations, ids) =>
    operations.returnClientCall(ids.callId, { output: 'x', isError: false }, 'eve'),
  wake: (operations, { sessionId }) => operations.wake(sessionId),
}

const messageId = UserMessageId.parse('umsg_00000001')

/** A session of Ana's that waits for an approval, an answer and a client's result. */
async function anasSession(): Promise<Ids> {
  const { sessionId } = await runtime.as('ana').createSession({ agent: 'tester' }, 'ana')
  await runtime.store.append(sessionId, 1, [approvalRequested(1), questionAsked(2), clientToolCalled(3)])
  return { sessionId, approvalId: approvalId(1), questionId: questionId(2), callId: clientCallId(3) }
}

const nowhere: Ids = {
  sessionId: SessionId.parse('ses_nobody00'),
  approvalId: ApprovalId.parse('apr_nobody00'),
  questionId: QuestionId.parse('qst_nobody00'),
  callId: ClientCallId.parse('ctc_nobody00'),
}

const refusalOf = (work: Promise<unknown>): Promise<{ code: string; message: string }> =>
  work.then(
    () => ({ code: 'none', message: '' }),
    (error: { code: string; message: string }) => error,
  )

describe('a session of another owner', () => {
  it('gives the same not-found error as an unknown session, for every operation', async () => {
    const ids = await anasSession()
    const before = await runtime.log(ids.sessionId)
    for (const [operation, call] of Object.entries(naming)) {
      const foreign = await refusalOf(call(runtime.as('eve'), ids))
      const unknown = await refusalOf(call(runtime.as('eve'), nowhere))
      expect([operation, foreign.code]).toEqual([operation, expect.stringMatching(/\.not-found$/)])
      expect(foreign.code).toBe(unknown.code)
      const withoutId = (message: string) => message.replace(/"\w+"/, 'X')
      expect(withoutId(foreign.message)).toBe(withoutId(unknown.message))
    }
    expect(await runtime.log(ids.sessionId)).toEqual(before)
  })

  it('appears in no list, no inbox and no sum', async () => {
    const { sessionId } = await anasSession()
    const { sessionId: own } = await runtime.as('eve').createSession({ agent: 'tester' }, 'eve')
    const [ana, eve] = [runtime.as('ana'), runtime.as('eve')]
    const idsOf = (items: readonly { readonly sessionId: SessionId }[]) => [
      ...new Set(items.map((item) => item.sessionId)),
    ]
    expect(idsOf((await ana.listSessions({})).sessions)).toEqual([sessionId])
    expect(idsOf((await eve.listSessions({})).sessions)).toEqual([own])
    expect((await eve.listSessions({ owner: 'ana' })).sessions).toEqual([])
    expect(idsOf((await ana.inbox()).items)).toEqual([sessionId])
    expect((await eve.inbox()).items).toEqual([])
    expect(idsOf((await ana.listApprovals({})).approvals)).toEqual([sessionId])
    expect((await eve.listApprovals({})).approvals).toEqual([])
    expect(idsOf((await ana.listQuestions({})).questions)).toEqual([sessionId])
    expect((await eve.listQuestions({})).questions).toEqual([])
    expect((await eve.queue()).waiting).toEqual([])
    expect((await eve.usage({ user: 'ana', by: 'user' })).rows).toEqual([])
  })

  it('is visible to every key of its owner and to admins', async () => {
    const { sessionId } = await anasSession()
    for (const operations of [runtime.as('phone', 'ana'), runtime.as('root', 'root', 'admin')]) {
      expect((await operations.getSession(sessionId)).session.owner).toBe('ana')
      expect((await operations.listSessions({})).sessions).toHaveLength(1)
      expect((await operations.inbox()).items).toHaveLength(2)
    }
  })
})

it('records in the log and in the audit which key of an owner started a session', async () => {
  const { sessionId } = await runtime.as('phone', 'ana').createSession({ agent: 'tester' }, 'phone')
  expect(await runtime.log(sessionId)).toMatchObject([{ data: { owner: 'ana', startedBy: 'phone' } }])
  expect(await runtime.store.readAudit(0, 1)).toMatchObject([{ action: 'AgentSessionCreated', principal: 'phone' }])
})

describe('budgets', () => {
  const subjects = {
    user: ['ana', 'eve', '*'],
    key: ['phone', 'ana', '*'],
    agent: ['tester', '*'],
  } as const

  async function setBudgets(): Promise<void> {
    const budget = { period: 'day', limit: 1 } as const
    for (const [scope, names] of Object.entries(subjects) as [keyof typeof subjects, readonly string[]][]) {
      for (const subject of names) await runtime.sessions.createBudget({ scope, subject, ...budget }, 'root')
    }
    await runtime.sessions.createBudget({ scope: 'all', ...budget }, 'root')
  }

  const messageOf = (budgets: BudgetList['budgets']) =>
    budgets.map(({ scope, subject }) => `${scope} ${subject ?? ''}`).sort()

  it('are listed for an owner only where they apply to it', async () => {
    await setBudgets()
    const holding = ['agent *', 'agent tester', 'all ', 'key *', 'key phone', 'user *', 'user ana']
    expect(messageOf((await runtime.as('phone', 'ana').listBudgets()).budgets)).toEqual(holding)
    expect((await runtime.as('root', 'root', 'admin').listBudgets()).budgets).toHaveLength(9)
  })

  it('are filtered by agent on request, and show an admin its own spending', async () => {
    await setBudgets()
    const other = ['agent *', 'all ', 'key *', 'user *']
    expect(messageOf((await runtime.as('root', 'root', 'admin').listBudgets({ agentName: 'other' })).budgets)).toEqual(
      other,
    )
  })

  it('per subject show an owner its own spending, not that of others', async () => {
    await runtime.sessions.createBudget({ scope: 'user', subject: '*', period: 'total', limit: 1 }, 'root')
    const { sessionId } = await runtime.as('ana').createSession({ agent: 'tester' }, 'ana')
    await runtime.store.append(sessionId, 1, [usage('one')])
    const spent = async (operations: SessionService) =>
      (await operations.listBudgets()).budgets.map((budget) => budget.spent)
    const [most] = await spent(runtime.as('root', 'root', 'admin'))
    expect(most).toBeGreaterThan(0)
    expect(await spent(runtime.as('ana'))).toEqual([most])
    expect(await spent(runtime.as('eve'))).toEqual([0])
  })
})

const { sessions, messages, events, approvals, questions, clients, money, oversight } = apiRoutes

/** The address of each operation. An operation without an address of its own uses the one it belongs to. */
const routeOf: Readonly<Record<keyof SessionService, Route>> = {
  createSession: sessions.create,
  listSessions: sessions.list,
  getSession: sessions.get,
  changeSession: sessions.change,
  interrupt: sessions.interrupt,
  cancel: sessions.cancel,
  close: sessions.close,
  deleteSession: sessions.remove,
  pause: sessions.pause,
  resume: sessions.resume,
  fork: sessions.fork,
  rewind: sessions.rewind,
  wake: sessions.wake,
  capabilities: sessions.capabilities,
  history: sessions.history,
  messageSubagent: sessions.messageSubagent,
  revokeRule: sessions.revokeRule,
  sendMessage: messages.send,
  listMessages: messages.list,
  editMessage: messages.edit,
  cancelMessage: messages.cancel,
  promoteMessage: messages.promote,
  readEvents: events.read,
  follow: events.read,
  feed: events.read,
  listApprovals: approvals.list,
  decideApproval: approvals.decide,
  listQuestions: questions.list,
  answerQuestion: questions.answer,
  attachClient: clients.attach,
  detachClient: clients.detach,
  listClientCalls: clients.calls,
  returnClientCall: clients.giveBack,
  usage: money.usage,
  listBudgets: money.budgets,
  createBudget: money.createBudget,
  changeBudget: money.changeBudget,
  removeBudget: money.removeBudget,
  inbox: oversight.inbox,
  queue: oversight.queue,
  warmAgent: oversight.warm,
  readAudit: oversight.audit,
  verifyAudit: oversight.verifyAudit,
}

const operationsBy: Readonly<Record<Permission, readonly (keyof SessionService)[]>> = {
  read: [
    ...([
      'listSessions',
      'getSession',
      'readEvents',
      'follow',
      'feed',
      'listMessages',
      'listApprovals',
      'listQuestions',
    ] as const),
    ...(['listClientCalls', 'inbox', 'queue', 'capabilities', 'history', 'usage', 'listBudgets'] as const),
  ],
  work: [
    ...([
      'createSession',
      'sendMessage',
      'interrupt',
      'cancel',
      'close',
      'deleteSession',
      'pause',
      'resume',
      'fork',
      'rewind',
    ] as const),
    ...(['wake', 'warmAgent', 'messageSubagent', 'editMessage', 'cancelMessage', 'promoteMessage'] as const),
    ...(['attachClient', 'detachClient', 'returnClientCall'] as const),
  ],
  decide: ['decideApproval', 'answerQuestion', 'changeSession', 'revokeRule'],
  manage: ['createBudget', 'changeBudget', 'removeBudget', 'readAudit', 'verifyAudit'],
}

it('requires the same permission for an operation as for its address', () => {
  for (const [needs, operations] of Object.entries(operationsBy)) {
    for (const operation of operations) expect([operation, routeOf[operation].needs]).toEqual([operation, needs])
  }
  expect(Object.values(operationsBy).flat().toSorted()).toEqual(Object.keys(routeOf).toSorted())
})

describe('a scope', () => {
  const allowed: Readonly<Record<Scope, readonly Permission[]>> = {
    admin: ['read', 'work', 'decide', 'manage'],
    operator: ['read', 'work', 'decide'],
    viewer: ['read'],
    agent: ['read', 'work'],
  }

  it.each(Object.keys(allowed) as Scope[])('applies to every operation for %s', async (scope) => {
    const { sessionId } = await runtime.as('ana').createSession({ agent: 'tester' }, 'ana')
    const operations = runtime.as('key', 'ana', scope)
    const others: Readonly<Record<Exclude<keyof SessionService, Named>, () => Promise<unknown>>> = {
      createSession: () => operations.createSession({ agent: 'tester' }, 'key'),
      warmAgent: () => operations.warmAgent('tester'),
      listSessions: () => operations.listSessions({}),
      inbox: () => operations.inbox(),
      queue: () => operations.queue(),
      usage: () => operations.usage({}),
      listBudgets: () => operations.listBudgets(),
      createBudget: () => operations.createBudget({ scope: 'all', period: 'day', limit: 1 }, 'key'),
      changeBudget: () => operations.changeBudget('bud_nobody00' as BudgetId, { limit: 1 }, 'key'),
      removeBudget: () => operations.removeBudget('bud_nobody00' as BudgetId, 'key'),
      readAudit: () => operations.readAudit({ after: 0, limit: 1 }),
      verifyAudit: () => operations.verifyAudit(),
    }
    const calls = Object.entries({
      ...others,
      ...Object.fromEntries(
        Object.entries(naming).map(([operation, call]) => [
          operation,
          () => call(operations, { ...nowhere, sessionId }),
        ]),
      ),
    })
    const open = new Set<string>(allowed[scope].flatMap((permission) => operationsBy[permission]))
    // `deleteSession` comes last: nothing can be asked of the session after it.
    const ordered = calls.toSorted(
      ([one], [other]) => Number(one === 'deleteSession') - Number(other === 'deleteSession'),
    )
    for (const [operation, call] of ordered) {
      const isForbidden = (await refusalOf(call())).code === 'auth.forbidden'
      expect([operation, isForbidden]).toEqual([operation, !open.has(operation)])
    }
  })

  it('that is too small names the scope that is needed', async () => {
    const refused = runtime
      .as('bot', 'ana', 'agent')
      .changeSession(nowhere.sessionId, { limits: { maxBudgetUsd: 99 } }, 'bot')
    await expect(refused).rejects.toMatchObject({
      code: 'auth.forbidden',
      message: 'a key with the scope "agent" may not decide here: that needs the scope admin or operator',
    })
  })
})
