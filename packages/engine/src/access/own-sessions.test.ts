import {
  ApprovalId,
  BudgetId,
  type BudgetList,
  ClientCallId,
  type Operation,
  type Permission,
  type Principal,
  pathNames,
  QuestionId,
  type Scope,
  SessionId,
  sessionServiceOperations,
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
  createCountingIds,
  createHeldClock,
  questionAsked,
  questionId,
  usage,
} from '../store/ports/contract/store-harness.contract.ts'
import { createKeyRing } from './key-ring.ts'
import { createOwnSessions } from './own-sessions.ts'

const keyOf = (name: string, owner = name, scope: Scope = 'operator'): Principal => ({
  name,
  owner,
  scope,
  requestsPerMinute: null,
})

async function openOperations() {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
  const { operations, store } = runtime
  const keyOperations = createKeyRing({ store, ids: createCountingIds(), clock: createHeldClock() }).operations
  const own = createOwnSessions({ operations, keyOperations, store })
  const as = (name: string, owner?: string, scope?: Scope) => own(keyOf(name, owner, scope)).sessions
  const keysAs = (scope: Scope) => own(keyOf('key', 'ana', scope)).operations
  return { ...runtime, as, keysAs }
}

let runtime: Awaited<ReturnType<typeof openOperations>>
beforeEach(async () => {
  runtime = await openOperations()
})

interface Ids {
  readonly sessionId: SessionId
  readonly approvalId: ApprovalId
  readonly questionId: QuestionId
  readonly callId: ClientCallId
}

/** The other ids of a path: nothing has them. */
const otherIds = {
  messageId: UserMessageId.parse('umsg_00000001'),
  agentId: 'agent_1',
  clientId: 'c',
  budgetId: BudgetId.parse('bud_nobody00'),
  keyName: 'nobody',
  name: 'tester',
}

type Call = (service: SessionService, ids: Ids) => Promise<unknown>

/** Calls an operation with its ids and an input without fields: the checks come before the input is read. */
const callOf =
  (name: keyof typeof sessionServiceOperations, input: object = {}): Call =>
  (service, ids) => {
    const { path, ...rest }: Operation = sessionServiceOperations[name]
    const known = { ...otherIds, ...ids }
    const hasInput = rest.body !== undefined || rest.query !== undefined
    const args = [...pathNames(path).map((id) => known[id]), ...(hasInput ? [input] : []), 'eve']
    return (service[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args)
  }

const names = Object.keys(sessionServiceOperations) as (keyof typeof sessionServiceOperations)[]
const belongsTo = (name: keyof typeof sessionServiceOperations) =>
  (sessionServiceOperations[name] as Operation).belongsTo

/** Every operation that names a session or one of its asks, and the streams. */
const naming: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    names
      .filter((name) => belongsTo(name) === 'session' || belongsTo(name) === 'ask')
      .map((name) => [name, callOf(name)]),
  ),
  listApprovals: (service, { sessionId }) => service.listApprovals({ session: sessionId }),
  listQuestions: (service, { sessionId }) => service.listQuestions({ session: sessionId }),
  follow: async (service, { sessionId }) => {
    for await (const event of service.follow(sessionId, 0, new AbortController().signal)) return event
    return null
  },
  feed: (service, { sessionId }) =>
    service.feed(
      { sessionId, after: 0, signal: AbortSignal.abort() },
      { take: () => true, drained: async () => undefined },
    ),
}

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
  const subjects = { user: ['ana', 'eve', '*'], key: ['phone', 'ana', '*'], agent: ['tester', '*'] } as const

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

it('declares for each operation what it belongs to: its session, an ask, a narrowed list, or none', () => {
  expect(names.filter((name) => belongsTo(name) === 'implementation')).toEqual(['listBudgets'])
  const ofNone = names.filter((name) => belongsTo(name) === 'none')
  expect(ofNone.toSorted()).toEqual([
    ...['changeBudget', 'createBudget', 'createSession', 'readAudit', 'removeBudget'],
    ...['verifyAudit', 'warmAgent'],
  ])
  for (const name of names) {
    const { path }: Operation = sessionServiceOperations[name]
    const [first] = pathNames(path)
    expect([name, belongsTo(name) === 'session']).toEqual([name, first === 'sessionId'])
    expect([name, belongsTo(name) === 'ask']).toEqual([
      name,
      first === 'approvalId' || first === 'questionId' || first === 'callId',
    ])
  }
})

it('is built once for equal principals, not for each request', () => {
  const ana = runtime.as('ana')
  expect(runtime.as('ana')).toBe(ana)
  const others = [runtime.as('phone', 'ana'), runtime.as('ana', 'ben'), runtime.as('ana', 'ana', 'viewer')]
  expect(new Set([ana, ...others]).size).toBe(4)
})

describe('a scope', () => {
  const allowed: Readonly<Record<Scope, readonly Permission[]>> = {
    admin: ['read', 'work', 'decide', 'manage'],
    operator: ['read', 'work', 'decide'],
    viewer: ['read'],
    agent: ['read', 'work'],
  }
  const decides = new Set(['decideApproval', 'answerQuestion', 'changeSession', 'revokeRule'])
  const manages = new Set(['createBudget', 'changeBudget', 'removeBudget', 'readAudit', 'verifyAudit'])
  const streams = new Set(['follow', 'feed'])

  /** Every other read needs `read`, every other change `work`. */
  function permissionOf(name: string): Permission {
    if (manages.has(name)) return 'manage'
    if (decides.has(name)) return 'decide'
    const { method }: Partial<Operation> = sessionServiceOperations[name as (typeof names)[number]] ?? {}
    return streams.has(name) || method === 'get' ? 'read' : 'work'
  }

  it.each(Object.keys(allowed) as Scope[])('applies to every operation for %s', async (scope) => {
    const { sessionId } = await runtime.as('ana').createSession({ agent: 'tester' }, 'ana')
    const service = runtime.as('key', 'ana', scope)
    const calls = Object.entries({ ...Object.fromEntries(names.map((name) => [name, callOf(name)])), ...naming })
    // `deleteSession` comes last: nothing can be asked of the session after it.
    const ordered = calls.toSorted(
      ([one], [other]) => Number(one === 'deleteSession') - Number(other === 'deleteSession'),
    )
    for (const [name, call] of ordered) {
      const isForbidden = (await refusalOf(call(service, { ...nowhere, sessionId }))).code === 'auth.forbidden'
      expect([name, isForbidden]).toEqual([name, !allowed[scope].includes(permissionOf(name))])
    }
  })

  it.each(Object.keys(allowed) as Scope[])('applies to the operations on keys for %s', async (scope) => {
    const operations = runtime.keysAs(scope)
    const calls = [
      operations.createKey({ name: 'other', scope: 'admin' }, 'key'),
      operations.listKeys(),
      operations.revokeKey('nobody', 'key'),
    ]
    const isForbidden = (await Promise.all(calls.map(refusalOf))).map(({ code }) => code === 'auth.forbidden')
    expect(isForbidden).toEqual(calls.map(() => scope !== 'admin'))
  })

  it('that is too small names the scope that is needed', async () => {
    const refused = runtime
      .as('bot', 'ana', 'agent')
      .changeSession(nowhere.sessionId, { limits: { maxBudgetUsd: 99 } }, 'bot')
    await expect(refused).rejects.toMatchObject({
      code: 'auth.forbidden',
      message:
        'a key with the scope "agent" cannot answer approvals and questions or change the model, mode and limits of sessions; this needs admin or operator',
    })
  })
})
