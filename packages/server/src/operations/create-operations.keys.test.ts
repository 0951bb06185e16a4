import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CreatedKey, type KeySummary, type SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await openTestApp()
})
afterAll(() => testApp.close())

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code
const create = (body: object, headers: Record<string, string> = {}) =>
  testApp.call('/v1/keys', { method: 'POST', body, headers })
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('keys over the HTTP API', () => {
  it('are created with their terms, listed without their tokens, and revoked', async () => {
    const terms = { scope: 'viewer', owner: 'ana', expiresAt: '2099-01-01T00:00:00.000Z', requestsPerMinute: 30 }
    const response = await create({ name: 'tablet', ...terms, budget: { limitUsd: 5, period: 'month' } })
    expect(response.status).toBe(201)
    const { token, ...key } = CreatedKey.parse(await response.json())
    expect(key).toMatchObject({
      name: 'tablet',
      ...terms,
      budgets: [{ limit: 5, unit: 'usd', period: 'month' }],
      revokedAt: null,
    })
    expect(await (await testApp.call('/v1/budgets')).json()).toEqual({
      budgets: [
        expect.objectContaining({ scope: 'key', subject: 'tablet', limit: 5, spent: 0, createdBy: 'operator' }),
      ],
    })
    const list = await (await testApp.call('/v1/keys')).text()
    expect((JSON.parse(list) as { keys: KeySummary[] }).keys).toEqual([key])
    expect(list).not.toContain(token)
    expect((await testApp.request('/v1/server', as(token))).status).toBe(200)
    expect((await testApp.call('/v1/keys/tablet', { method: 'DELETE' })).status).toBe(200)
    expect(await codeOf(await testApp.request('/v1/server', as(token)))).toBe('auth.invalid')
    expect(await codeOf(await testApp.call('/v1/keys/tablet', { method: 'DELETE' }))).toBe('key.not-found')
    expect(await codeOf(await testApp.call('/v1/keys/a%20b', { method: 'DELETE' }))).toBe('key.not-found')
    expect(await codeOf(await create({ name: 'tablet' }))).toBe('key.exists')
  })

  it.each([
    [{}, 'name'],
    [{ name: 'x', scope: 'root' }, 'scope'],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
    [{ name: 'x', requestsPerMinute: 0.5 }, 'requestsPerMinute'],
    [{ name: 'x', budget: { limitUsd: 0 } }, 'budget.limitUsd'],
    [{ name: 'x', colour: 'red' }, 'colour'],
  ])('are refused for %j, with the reason', async (body, place) => {
    const response = await create(body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(place)
  })

  it('are never stored: no reply for a retry, no log and no file contains the token', async () => {
    const refused = await create({ name: 'laptop' }, { 'idempotency-key': 'retry-1' })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      code: 'request.invalid',
      detail: 'POST /v1/keys takes no idempotency key: its reply contains a token that is shown once',
    })
    const response = await create({ name: 'laptop' })
    expect(response.status).toBe(201)
    const { token } = CreatedKey.parse(await response.json())
    const again = await create({ name: 'laptop' })
    expect(again.status).toBe(409)
    expect(again.headers.get('idempotent-replay')).toBeNull()
    expect(JSON.stringify(testApp.logged)).not.toContain(token)
    const files = await readdir(testApp.dataDir, { recursive: true, withFileTypes: true })
    for (const file of files.filter((entry) => entry.isFile())) {
      const bytes = await readFile(join(file.parentPath, file.name))
      expect([file.name, bytes.includes(token)]).toEqual([file.name, false])
    }
  })

  it('can be created only with the manage permission', async () => {
    for (const scope of ['operator', 'viewer', 'agent'] as const) {
      const { token } = await testApp.runtime.engine.keys.createKey({ name: `lesser-${scope}`, scope }, 'operator')
      const headers = { ...as(token).headers, 'content-type': 'application/json' }
      const made = await testApp.request('/v1/keys', {
        method: 'POST',
        headers,
        body: { name: 'mine', scope: 'admin' },
      })
      expect(made.status).toBe(403)
      expect((await testApp.request('/v1/keys', as(token))).status).toBe(403)
      expect((await testApp.request('/v1/keys/laptop', { method: 'DELETE', headers })).status).toBe(403)
    }
  })

  it('are limited to their own requests per minute, regardless of the limit of the server', async () => {
    const { token } = await testApp.runtime.engine.keys.createKey({ name: 'slow', requestsPerMinute: 2 }, 'operator')
    const statuses = []
    for (let count = 0; count < 3; count += 1) statuses.push((await testApp.request('/v1/agents', as(token))).status)
    expect(statuses).toEqual([200, 200, 429])
    const refused = await testApp.request('/v1/agents', as(token))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('2 requests a minute of this key') })
    expect((await testApp.call('/v1/agents')).status).toBe(200)
  })
})

it('a stream ends at once when its key is revoked over HTTP, and when its key expires', async () => {
  const slow = await openTestApp([], { keyCheckMs: 3_600_000 })
  const { engine } = slow.runtime
  const { sessionId } = await engine.sessions.createSession({ agent: 'hello' }, 'operator')
  const openStream = async (token: string) => {
    const headers = { ...as(token).headers, accept: 'text/event-stream' }
    const response = await slow.request(`/v1/sessions/${sessionId satisfies SessionId}/events`, { headers })
    expect(response.status).toBe(200)
    return response
  }
  const terms = { owner: 'operator', scope: 'viewer' } as const
  const expiresAt = new Date(Date.now() + 1500).toISOString()
  const brief = await engine.keys.createKey({ name: 'brief', ...terms, expiresAt }, 'operator')
  const ending = await openStream(brief.token)
  const long = await engine.keys.createKey({ name: 'long', ...terms }, 'operator')
  const revoked = await openStream(long.token)
  expect((await slow.call('/v1/keys/long', { method: 'DELETE' })).status).toBe(200)
  await revoked.text()
  await ending.text()
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt))
  expect((await slow.request('/v1/server', as(brief.token))).status).toBe(401)
  await slow.close()
})
