import { Problem } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'
import { defaultRateLimits, type RateLimits } from './rate-limits.ts'

let opened: TestApp | undefined
afterEach(() => opened?.close())

/** A server whose time advances only by hand. */
async function open(limits: Partial<RateLimits>) {
  let at = Date.now()
  const rateLimits = { ...defaultRateLimits, ...limits }
  const testApp = await openTestApp([], { rateLimits, now: () => at })
  opened = testApp
  const wait = (ms: number) => {
    at += ms
  }
  const read = async () => (await testApp.call('/v1/agents')).status
  const change = () => testApp.call('/v1/sessions', { method: 'POST', body: { agent: 'nobody' } })
  return { testApp, wait, read, change }
}

const repeat = async <Result>(times: number, work: () => Promise<Result>): Promise<Result[]> => {
  const results: Result[] = []
  for (let count = 0; count < times; count += 1) results.push(await work())
  return results
}

describe('requests of one key', () => {
  it('are accepted up to a burst, then refused with the time to wait, then accepted again', async () => {
    const { testApp, wait, read } = await open({ requests: { perSecond: 0.5, burst: 3 } })
    expect(await repeat(4, read)).toEqual([200, 200, 200, 429])
    const response = await testApp.call('/v1/agents')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('retry-after')).toBe('2')
    const problem = Problem.parse(await response.json())
    expect(problem).toMatchObject({ code: 'request.rate-limited', status: 429, retryAfterSeconds: 2 })
    expect(problem.detail).toContain('try again in 2 s')
    wait(2000)
    expect(await repeat(2, read)).toEqual([200, 429])
  })

  it('count a stream once, when it is opened', async () => {
    const { testApp, read } = await open({ requests: { perSecond: 0.001, burst: 3 } })
    const created = await testApp.call('/v1/sessions', { method: 'POST', body: { agent: 'hello' } })
    const { sessionId } = (await created.json()) as { sessionId: string }
    const headers = { accept: 'text/event-stream' }
    const stream = await testApp.call(`/v1/sessions/${sessionId}/events`, { headers })
    expect(stream.status).toBe(200)
    const reader = stream.body?.getReader()
    for (let pieces = 0; pieces < 2; pieces += 1) expect((await reader?.read())?.done).toBe(false)
    expect(await repeat(2, read)).toEqual([200, 429])
    await reader?.cancel()
  })

  it('that change something have a lower limit, which reads do not use up', async () => {
    const { wait, read, change } = await open({ changes: { perSecond: 1, burst: 2 } })
    await repeat(20, read)
    expect((await repeat(3, change)).map((response) => response.status)).toEqual([404, 404, 429])
    expect(await read()).toBe(200)
    wait(1000)
    expect((await change()).status).toBe(404)
  })

  it('are not limited at public addresses: health, readiness and the files of the workbench', async () => {
    const { testApp, read } = await open({ requests: { perSecond: 0.001, burst: 1 } })
    expect(await repeat(2, read)).toEqual([200, 429])
    for (const path of ['/health', '/ready', '/']) {
      const statuses = await repeat(5, async () => (await testApp.request(path)).status)
      expect(statuses).not.toContain(429)
    }
  })
})

describe('wrong credentials', () => {
  it('are rate-limited, and never block valid credentials', async () => {
    const { testApp, wait, read } = await open({ wrongCredentials: { perSecond: 1, burst: 3 } })
    const attempts = [
      () => testApp.request('/v1/agents', { headers: { authorization: 'Bearer wrong' } }),
      () => testApp.request('/v1/agents', { headers: { cookie: 'quarterdeck_4300=wrong' } }),
      () => testApp.request('/login?code=wrong'),
    ]
    const statuses = async () => {
      const responses = await Promise.all(attempts.map((attempt) => attempt()))
      return responses.map((response) => response.status)
    }
    expect(await statuses()).toEqual([401, 401, 401])
    expect(await statuses()).toEqual([429, 429, 429])
    expect(await read()).toBe(200)
    expect((await testApp.request(`/login?code=${testApp.loginLinks.issue()}`)).status).toBe(303)
    wait(1000)
    expect((await statuses()).sort()).toEqual([401, 429, 429])
  })

  it('that are missing do not count', async () => {
    const { testApp } = await open({ wrongCredentials: { perSecond: 0.001, burst: 1 } })
    const statuses = await repeat(5, async () => (await testApp.request('/v1/agents')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401])
  })
})
