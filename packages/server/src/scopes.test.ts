// Every route of the API with a key of every scope: what a route says it needs is what it asks for.
import { apiRoutes, type BudgetBody, mayDo, modelCatalog, type Route, Scope } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from './app.fixture.ts'

let house: TestApp
const tokens = new Map<Scope, string>()
beforeAll(async () => {
  house = await openTestApp()
  for (const scope of Scope.options) {
    const { token } = await house.house.engine.keys.create({ name: `key-${scope}`, scope }, 'operator')
    tokens.set(scope, token)
  }
})
afterAll(() => house.close())

const routes = Object.values(apiRoutes).flatMap((family): Route[] => Object.values(family))

describe.each(Scope.options)('a key with the scope %s', (scope) => {
  it.each(routes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
    'at %s',
    async (_, route) => {
      // Without a session this one starts one, which needs more than to read.
      const asked = route === apiRoutes.analysis.stream ? '?sessionId=ses_nobody0000' : ''
      const path = route.path.replace(/\{\w+\}/g, 'nothing') + asked
      const response = await house.request(path, {
        method: route.method.toUpperCase(),
        headers: { authorization: `Bearer ${tokens.get(scope)}`, 'content-type': 'application/json' },
        ...(route.method === 'get' ? {} : { body: '{"nothing": 1}' }),
      })
      const mayAsk = route.needs === 'nothing' || mayDo(scope, route.needs)
      expect(response.status === 403).toBe(!mayAsk)
      if (mayAsk) return
      const problem = (await response.json()) as { code: string; detail: string }
      expect(problem.code).toBe('auth.forbidden')
      expect(problem.detail).toContain(`"${scope}"`)
      expect(problem.detail).toContain(` ${route.needs} `)
    },
  )
})

it('an agent may start what the file allows and no more, and may not raise it afterwards', async () => {
  const headers = { authorization: `Bearer ${tokens.get('agent')}`, 'content-type': 'application/json' }
  const post = (body: object) => house.request('/v1/sessions', { method: 'POST', headers, body })
  const more = await post({ agent: 'hello', limits: { maxBudgetUsd: 10_000 } })
  expect(more.status).toBe(400)
  expect(await more.text()).toContain('more than the agent file allows')
  const created = await post({ agent: 'hello', limits: { maxBudgetUsd: 0.01 } })
  expect(created.status).toBe(201)
  const { sessionId } = (await created.json()) as { sessionId: string }
  const body = { limits: { maxBudgetUsd: 1 } }
  const raised = await house.request(`/v1/sessions/${sessionId}`, { method: 'PATCH', headers, body })
  expect(raised.status).toBe(403)
})

it('only an admin is told where the files of the server lie', async () => {
  const folders = Scope.options.map(async (scope) => {
    const headers = { authorization: `Bearer ${tokens.get(scope)}` }
    const text = await (await house.request('/v1/server', { headers })).text()
    expect(text.includes(house.dataDir), scope).toBe(scope === 'admin')
    return (JSON.parse(text) as { dataFolder: unknown }).dataFolder // as the contract has it
  })
  expect(await Promise.all(folders)).toEqual([house.dataDir, null, null, null])
})

it("another owner's session answers as one that nobody has, over HTTP too", async () => {
  const { sessionId } = await house.house.engine.sessions.create({ agent: 'hello' }, 'operator')
  const headers = { authorization: `Bearer ${tokens.get('operator')}` }
  for (const place of ['', '/events', '/messages', '/capabilities']) {
    const [foreign, unknown] = await Promise.all(
      [sessionId, 'ses_nobody0000'].map((id) => house.request(`/v1/sessions/${id}${place}`, { headers })),
    )
    expect(foreign?.status).toBe(404)
    const words = async (response: Response | undefined) => (await response?.text())?.replaceAll(/ses_\w+/g, 'ID')
    expect(await words(foreign)).toBe(await words(unknown))
  }
  const admin = { authorization: `Bearer ${tokens.get('admin')}` }
  expect((await house.request(`/v1/sessions/${sessionId}`, { headers: admin })).status).toBe(200)
})

it('says to each key which models it can use, under the budgets that hold for it and no others', async () => {
  const { sessions } = house.house.engine
  const unpriced = modelCatalog.find(({ price }) => price === null)?.id
  const isAvailable = async (scope: Scope, asked = '') => {
    const response = await house.request(`/v1/models${asked}`, {
      headers: { authorization: `Bearer ${tokens.get(scope)}` },
    })
    const { models } = apiRoutes.server.models.reply.parse(await response.json())
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
