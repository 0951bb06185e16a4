import {
  ApprovalId,
  type BudgetId,
  ClientCallId,
  type Principal,
  QuestionId,
  type Scope,
  SessionId,
  UserMessageId,
} from '@quarterdeck/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { openTestHouse } from '../sessions/engine.fixture.ts'
import type { SessionService } from '../sessions/session-service.ts'
import {
  approvalId,
  approvalRequested,
  clientCallId,
  clientToolCalled,
  questionAsked,
  questionId,
} from '../store/contract/world.contract.ts'
import { doorNeeds } from './door-needs.ts'
import { createOwnSessions } from './own-sessions.ts'

const keyOf = (name: string, owner = name, scope: Scope = 'operator'): Principal => ({
  ...{ name, owner, scope, requestsPerMinute: null },
})

async function openDoors() {
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }) })
  const sessionsOf = createOwnSessions({ sessions: house.sessions, store: house.store })
  const as = (name: string, owner?: string, scope?: Scope) => sessionsOf(keyOf(name, owner, scope))
  return { ...house, as }
}

let house: Awaited<ReturnType<typeof openDoors>>
beforeEach(async () => {
  house = await openDoors()
})

type Named = Exclude<
  keyof SessionService,
  | ('create' | 'warm' | 'list' | 'inbox' | 'queue' | 'usage' | 'budgets')
  | ('createBudget' | 'changeBudget' | 'removeBudget' | 'audit' | 'verifyAudit')
>

interface Ids {
  readonly sessionId: SessionId
  readonly approvalId: ApprovalId
  readonly questionId: QuestionId
  readonly callId: ClientCallId
}

/** Every door that names a session, or what is asked in one. */
const naming: Readonly<Record<Named, (doors: SessionService, ids: Ids) => Promise<unknown>>> = {
  send: (doors, { sessionId }) => doors.send(sessionId, { content: 'hi' }, 'eve'),
  interrupt: (doors, { sessionId }) => doors.interrupt(sessionId, 'eve'),
  cancel: (doors, { sessionId }) => doors.cancel(sessionId, 'eve'),
  close: (doors, { sessionId }) => doors.close(sessionId, 'eve'),
  decide: (doors, ids) => doors.decide(ids.approvalId, { decision: 'allow' }, 'eve'),
  snapshot: (doors, { sessionId }) => doors.snapshot(sessionId),
  approvals: (doors, { sessionId }) => doors.approvals(sessionId),
  events: (doors, { sessionId }) => doors.events(sessionId, 0, 10),
  follow: async (doors, { sessionId }) => {
    for await (const event of doors.follow(sessionId, 0, new AbortController().signal)) return event
    return null
  },
  feed: (doors, { sessionId }) =>
    doors.feed({ sessionId, after: 0, signal: AbortSignal.abort() }, { take: () => true, room: async () => undefined }),
  messages: (doors, { sessionId }) => doors.messages(sessionId),
  editMessage: (doors, { sessionId }) => doors.editMessage({ sessionId, messageId }, 'hi', 'eve'),
  cancelMessage: (doors, { sessionId }) => doors.cancelMessage({ sessionId, messageId }, 'eve'),
  promoteMessage: (doors, { sessionId }) => doors.promoteMessage({ sessionId, messageId }, {}, 'eve'),
  change: (doors, { sessionId }) => doors.change(sessionId, { title: 'mine' }, 'eve'),
  pause: (doors, { sessionId }) => doors.pause(sessionId, 'eve'),
  resume: (doors, { sessionId }) => doors.resume(sessionId, 'eve'),
  fork: (doors, { sessionId }) => doors.fork(sessionId, {}, 'eve'),
  rewind: (doors, { sessionId }) => doors.rewind(sessionId, { messageId }, 'eve'),
  remove: (doors, { sessionId }) => doors.remove(sessionId, 'eve'),
  capabilities: (doors, { sessionId }) => doors.capabilities(sessionId),
  history: (doors, { sessionId }) => doors.history(sessionId),
  messageSubagent: (doors, { sessionId }) =>
    doors.messageSubagent({ sessionId, agentId: 'agent_1' }, { content: 'hi' }, 'eve'),
  questions: (doors, { sessionId }) => doors.questions(sessionId),
  answer: (doors, ids) => doors.answer(ids.questionId, { answers: null }, 'eve'),
  revokeRule: (doors, { sessionId }) => doors.revokeRule(sessionId, { tool: 'Bash', pattern: 'ls' }, 'eve'),
  attachClient: (doors, { sessionId }) => doors.attachClient(sessionId, { clientId: 'c', tools: [] }, 'eve'),
  detachClient: (doors, { sessionId }) => doors.detachClient(sessionId, 'c', 'eve'),
  clientCalls: (doors, { sessionId }) => doors.clientCalls(sessionId),
  returnClientCall: (doors, ids) => doors.returnClientCall(ids.callId, { output: 'x', isError: false }, 'eve'),
  wake: (doors, { sessionId }) => doors.wake(sessionId),
}

const messageId = UserMessageId.parse('umsg_00000001')

/** A session of Ana's that waits for an approval, an answer and a result. */
async function anasSession(): Promise<Ids> {
  const { sessionId } = await house.as('ana').create({ agent: 'tester' }, 'ana')
  await house.store.append(sessionId, 1, [approvalRequested(1), questionAsked(2), clientToolCalled(3)])
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
  it('is not there, in the same words as one that nobody has, whatever is asked of it', async () => {
    const ids = await anasSession()
    const before = await house.log(ids.sessionId)
    for (const [door, call] of Object.entries(naming)) {
      const foreign = await refusalOf(call(house.as('eve'), ids))
      const unknown = await refusalOf(call(house.as('eve'), nowhere))
      expect([door, foreign.code]).toEqual([door, expect.stringMatching(/\.not-found$/)])
      expect(foreign.code).toBe(unknown.code)
      const words = (message: string) => message.replace(/"\w+"/, 'X')
      expect(words(foreign.message)).toBe(words(unknown.message))
    }
    expect(await house.log(ids.sessionId)).toEqual(before)
  })

  it('is on no list, in no inbox, and not in the sums', async () => {
    const { sessionId } = await anasSession()
    const { sessionId: own } = await house.as('eve').create({ agent: 'tester' }, 'eve')
    const [ana, eve] = [house.as('ana'), house.as('eve')]
    const idsOf = (items: readonly { readonly sessionId: SessionId }[]) => [
      ...new Set(items.map((item) => item.sessionId)),
    ]
    expect(idsOf((await ana.list({})).sessions)).toEqual([sessionId])
    expect(idsOf((await eve.list({})).sessions)).toEqual([own])
    expect((await eve.list({ owner: 'ana' })).sessions).toEqual([])
    expect(idsOf((await ana.inbox()).items)).toEqual([sessionId])
    expect((await eve.inbox()).items).toEqual([])
    expect(idsOf((await ana.approvals()).approvals)).toEqual([sessionId])
    expect((await eve.approvals()).approvals).toEqual([])
    expect(idsOf((await ana.questions()).questions)).toEqual([sessionId])
    expect((await eve.questions()).questions).toEqual([])
    expect((await eve.queue()).waiting).toEqual([])
    expect((await eve.usage({ user: 'ana', by: 'user' })).rows).toEqual([])
  })

  it('is there for every key of its owner, and for an admin', async () => {
    const { sessionId } = await anasSession()
    for (const doors of [house.as('phone', 'ana'), house.as('root', 'root', 'admin')]) {
      expect((await doors.snapshot(sessionId)).session.owner).toBe('ana')
      expect((await doors.list({})).sessions).toHaveLength(1)
      expect((await doors.inbox()).items).toHaveLength(2)
    }
  })
})

it('says in the log and in the audit which key of an owner started a session', async () => {
  const { sessionId } = await house.as('phone', 'ana').create({ agent: 'tester' }, 'phone')
  expect(await house.log(sessionId)).toMatchObject([{ data: { owner: 'ana', startedBy: 'phone' } }])
  expect(await house.store.readAudit(0, 1)).toMatchObject([{ action: 'AgentSessionCreated', principal: 'phone' }])
})

it('shows an owner the budgets of the owner and of the key, and no others', async () => {
  const budget = { period: 'day', limit: 1 } as const
  for (const [scope, subject] of [
    ['user', 'ana'],
    ['user', 'eve'],
    ['key', 'phone'],
    ['key', 'ana'],
  ] as const) {
    await house.sessions.createBudget({ scope, subject, ...budget }, 'root')
  }
  await house.sessions.createBudget({ scope: 'all', ...budget }, 'root')
  const seen = await house.as('phone', 'ana').budgets()
  expect(seen.map(({ scope, subject }) => `${scope} ${subject}`).sort()).toEqual(['key phone', 'user ana'])
})

describe('a scope', () => {
  const allowed: Readonly<Record<Scope, readonly string[]>> = {
    admin: ['read', 'work', 'decide', 'manage'],
    operator: ['read', 'work', 'decide'],
    viewer: ['read'],
    agent: ['read', 'work'],
  }

  it.each(Object.keys(allowed) as Scope[])('holds at every door for %s', async (scope) => {
    const { sessionId } = await house.as('ana').create({ agent: 'tester' }, 'ana')
    const doors = house.as('key', 'ana', scope)
    const others: Readonly<Record<Exclude<keyof SessionService, Named>, () => Promise<unknown>>> = {
      create: () => doors.create({ agent: 'tester' }, 'key'),
      warm: () => doors.warm('tester'),
      list: () => doors.list({}),
      inbox: () => doors.inbox(),
      queue: () => doors.queue(),
      usage: () => doors.usage({}),
      budgets: () => doors.budgets(),
      createBudget: () => doors.createBudget({ scope: 'all', period: 'day', limit: 1 }, 'key'),
      changeBudget: () => doors.changeBudget('bud_nobody00' as BudgetId, 1, 'key'),
      removeBudget: () => doors.removeBudget('bud_nobody00' as BudgetId, 'key'),
      audit: () => doors.audit(0, 1),
      verifyAudit: () => doors.verifyAudit(),
    }
    const calls = Object.entries({
      ...others,
      ...Object.fromEntries(
        Object.entries(naming).map(([door, call]) => [door, () => call(doors, { ...nowhere, sessionId })]),
      ),
    })
    for (const [door, call] of calls.filter(([name]) => name !== 'follow' && name !== 'remove')) {
      const isForbidden = (await refusalOf(call())).code === 'auth.forbidden'
      const needs = doorNeeds[door as keyof SessionService]
      expect([door, isForbidden]).toEqual([door, !allowed[scope].includes(needs)])
    }
  })

  it('that is too small is told with what would do', async () => {
    const refused = house.as('bot', 'ana', 'agent').change(nowhere.sessionId, { limits: { maxBudgetUsd: 99 } }, 'bot')
    await expect(refused).rejects.toMatchObject({
      code: 'auth.forbidden',
      message: 'a key with the scope "agent" may not decide here: that needs the scope admin or operator',
    })
  })
})
