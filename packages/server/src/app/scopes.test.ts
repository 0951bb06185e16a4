// Calls every route of the API with a key of every scope: each requires the permission that its operation declares.
import {
  analysisOperations,
  type BudgetBody,
  mayDo,
  modelCatalog,
  operationGroups,
  operations,
  Scope,
  type SessionId,
} from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAppHost } from '../rpc/create-app-host.ts'
import { openPeer } from '../rpc/peer.fixture.ts'
import { openTestApp, type TestApp } from './app.fixture.ts'

let testApp: TestApp
const tokens = new Map<Scope, string>()
beforeAll(async () => {
  testApp = await openTestApp()
  for (const scope of Scope.options) {
    const { token } = await testApp.runtime.engine.keys.createKey({ name: `key-${scope}`, scope }, 'operator')
    tokens.set(scope, token)
  }
})
afterAll(() => testApp.close())

/** Names the missing permission in the error. */
const actions = {
  read: 'cannot read sessions',
  work: 'cannot start or change sessions',
  decide: 'cannot answer approvals and questions',
  manage: 'cannot manage keys',
}

const table = Object.values(operationGroups).flatMap((group) => Object.values(group))

describe.each(Scope.options)('a key with the scope %s', (scope) => {
  it.each(table.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
    'gets 403 at %s unless its scope has the permission',
    async (_, route) => {
      // Without a session id this request starts a session, which needs more than read permission.
      const asked = route === analysisOperations.streamAnalysis ? '?sessionId=ses_nobody0000' : ''
      const path = route.path.replace(/\{\w+\}/g, 'nothing') + asked
      const response = await testApp.request(path, {
        method: route.method.toUpperCase(),
        headers: { authorization: `Bearer ${tokens.get(scope)}`, 'content-type': 'application/json' },
        ...(route.method === 'get' ? {} : { body: '{"nothing": 1}' }),
      })
      const mayAsk = route.permission === 'nothing' || mayDo(scope, route.permission)
      expect(response.status === 403).toBe(!mayAsk)
      if (mayAsk) return
      const problem = (await response.json()) as { code: string; detail: string }
      expect(problem.code).toBe('auth.forbidden')
      expect(problem.detail).toContain(`"${scope}"`)
      expect(problem.detail).toContain(actions[route.permission])
    },
  )
})

it('an agent key starts sessions within the limits of the file and cannot raise them later', async () => {
  const headers = { authorization: `Bearer ${tokens.get('agent')}`, 'content-type': 'application/json' }
  const post = (body: object) => testApp.request('/v1/sessions', { method: 'POST', headers, body })
  const more = await post({ agent: 'hello', limits: { maxBudgetUsd: 10_000 } })
  expect(more.status).toBe(400)
  expect(await more.text()).toContain('more than the agent file allows')
  const created = await post({ agent: 'hello', limits: { maxBudgetUsd: 0.01 } })
  expect(created.status).toBe(201)
  const { sessionId } = (await created.json()) as { sessionId: string }
  const body = { limits: { maxBudgetUsd: 1 } }
  const raised = await testApp.request(`/v1/sessions/${sessionId}`, { method: 'PATCH', headers, body })
  expect(raised.status).toBe(403)
})

describe('settings above the agent file, which POST /v1/sessions refuses for every key,', () => {
  const headersOf = (scope: Scope) => ({
    authorization: `Bearer ${tokens.get(scope)}`,
    'content-type': 'application/json',
  })
  const send = (scope: Scope, [method, path]: readonly [string, string], body: object) =>
    testApp.request(`/v1/sessions${path}`, { method, headers: headersOf(scope), body })
  const create = async (scope: Scope, body: object = {}) =>
    operations.createSession.reply.parse(await (await send(scope, ['POST', ''], { agent: 'hello', ...body })).json())
      .sessionId
  const stateOf = async (sessionId: SessionId) => (await testApp.runtime.engine.sessions.getSession(sessionId)).session
  const tooMuch = [
    [{ limits: { maxBudgetUsd: 10_000 } }, /limits.maxBudgetUsd 10000 is more than the agent file allows \(5\)/],
    [{ limits: { maxTurns: 51 } }, /limits.maxTurns 51 is more than the agent file allows \(50\)/],
    [{ limits: { maxDurationMs: 3_600_001 } }, /limits.maxDurationMs/],
    [{ limits: { maxTurns: 1, maxBudgetUsd: 5.01 } }, /limits.maxBudgetUsd/],
    [{ permissionMode: 'acceptAll' }, /permissionMode/],
    [{ model: 'gpt-9' }, /gpt-9/],
    [{ model: 'claude-future-9-20990101' }, /claude-future-9/],
    [{ thinking: { budgetTokens: 999_999 } }, /thinking/],
  ] as const

  it.each(tooMuch)('are refused to an operator by PATCH too: %j', async (body, why) => {
    const refused = await send('operator', ['POST', ''], { agent: 'hello', ...body })
    expect(await refused.text()).toMatch(why)
    const sessionId = await create('operator')
    const before = await stateOf(sessionId)
    const changed = await send('operator', ['PATCH', `/${sessionId}`], body)
    expect([changed.status, await changed.text()]).toEqual([refused.status, expect.stringMatching(why)])
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(await stateOf(sessionId)).toEqual(before)
  })

  it.each(tooMuch)('are refused to an operator in a JSON-RPC frame: %j', async (body, why) => {
    const { keys, sessionsOf } = testApp.runtime.engine
    const key = tokens.get('operator') ?? ''
    const principal = await keys.find(key)
    if (principal === null) throw new Error('the key is not known')
    const sessionId = await create('operator')
    const { call } = openPeer(createAppHost({ app: testApp.app, caller: { principal, key }, sessionsOf }))
    const { error } = await call('session.change', { sessionId, ...body })
    expect(`${error?.message} ${JSON.stringify(error?.data)}`).toMatch(why)
  })

  it('an operator may lower a limit and raise it again up to the limit of the file', async () => {
    const sessionId = await create('operator', { limits: { maxTurns: 2, maxBudgetUsd: 0.01 } })
    const changed = await send('operator', ['PATCH', `/${sessionId}`], { limits: { maxTurns: 50, maxBudgetUsd: 5 } })
    expect(changed.status).toBe(200)
    expect((await stateOf(sessionId)).limits).toMatchObject({ maxTurns: 50, maxBudgetUsd: 5 })
  })

  it('an admin may raise a limit; an operator may then lower or keep it and change others, but not raise it', async () => {
    const sessionId = await create('operator')
    const patch = async (scope: Scope, limits: object) =>
      (await send(scope, ['PATCH', `/${sessionId}`], { limits })).status
    expect(await patch('admin', { maxBudgetUsd: 20 })).toBe(200)
    expect(await patch('operator', { maxBudgetUsd: 20, maxTurns: 5 })).toBe(200)
    expect(await patch('operator', { maxBudgetUsd: 21 })).toBe(400)
    expect(await patch('operator', { maxBudgetUsd: 10 })).toBe(200)
    expect((await stateOf(sessionId)).limits).toMatchObject({ maxTurns: 5, maxBudgetUsd: 10 })
  })

  it.each(['operator', 'agent', 'admin'] as const)(
    'are not inherited by a fork made with a key of scope %s',
    async (scope) => {
      const sessionId = await create(scope)
      await send('admin', ['PATCH', `/${sessionId}`], { limits: { maxBudgetUsd: 20, maxTurns: 7 } })
      const forked = await send(scope, ['POST', `/${sessionId}/fork`], {})
      const fork = operations.fork.reply.parse(await forked.json())
      expect((await stateOf(fork.sessionId)).limits).toMatchObject({ maxBudgetUsd: 5, maxTurns: 7 })
      for (const more of [{ limits: { maxBudgetUsd: 20 } }, { permissionMode: 'acceptAll' }, { model: 'low' }])
        expect((await send(scope, ['POST', `/${sessionId}/fork`], more)).status).toBe(400)
    },
  )
})

it('shows the data folder only to admins', async () => {
  const folders = Scope.options.map(async (scope) => {
    const headers = { authorization: `Bearer ${tokens.get(scope)}` }
    const text = await (await testApp.request('/v1/server', { headers })).text()
    expect(text.includes(testApp.dataDir), scope).toBe(scope === 'admin')
    return (JSON.parse(text) as { dataFolder: unknown }).dataFolder // as the contract defines it
  })
  expect(await Promise.all(folders)).toEqual([testApp.dataDir, null, null, null])
})

it('a session of another owner returns the same as an unknown session, over HTTP too', async () => {
  const { sessionId } = await testApp.runtime.engine.sessions.createSession({ agent: 'hello' }, 'operator')
  const headers = { authorization: `Bearer ${tokens.get('operator')}` }
  for (const suffix of ['', '/events', '/messages', '/capabilities']) {
    const [foreign, unknown] = await Promise.all(
      [sessionId, 'ses_nobody0000'].map((id) => testApp.request(`/v1/sessions/${id}${suffix}`, { headers })),
    )
    expect(foreign?.status).toBe(404)
    const words = async (response: Response | undefined) => (await response?.text())?.replaceAll(/ses_\w+/g, 'ID')
    expect(await words(foreign)).toBe(await words(unknown))
  }
  const admin = { authorization: `Bearer ${tokens.get('admin')}` }
  expect((await testApp.request(`/v1/sessions/${sessionId}`, { headers: admin })).status).toBe(200)
})

it('lists for each key the models it can use and the budgets that apply to it', async () => {
  const { sessions } = testApp.runtime.engine
  const unpriced = modelCatalog.find(({ price }) => price === null)?.id
  const isAvailable = async (scope: Scope, asked = '') => {
    const response = await testApp.request(`/v1/models${asked}`, {
      headers: { authorization: `Bearer ${tokens.get(scope)}` },
    })
    const { models } = operations.listModels.reply.parse(await response.json())
    return models.find(({ id }) => id === unpriced)?.available
  }
  const under = async (body: Pick<BudgetBody, 'scope' | 'subject'>) => {
    const { budgetId } = await sessions.createBudget({ ...body, period: 'month', limit: 10 }, 'operator')
    const seen = await Promise.all([isAvailable('admin'), isAvailable('viewer'), isAvailable('viewer', '?agent=hello')])
    await sessions.removeBudget(budgetId, 'operator')
    return seen
  }
  expect(await under({ scope: 'all' })).toEqual([false, false, false])
  expect(await under({ scope: 'user', subject: '*' })).toEqual([false, false, false])
  expect(await under({ scope: 'agent', subject: 'hello' })).toEqual([true, true, false])
  expect(await under({ scope: 'user', subject: 'key-viewer' })).toEqual([true, false, false])
  expect(await under({ scope: 'key', subject: 'key-admin' })).toEqual([false, true, true])
  expect(await under({ scope: 'user', subject: 'nobody-here' })).toEqual([true, true, true])
})
