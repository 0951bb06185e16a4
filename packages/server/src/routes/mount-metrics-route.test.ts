import { createRequire } from 'node:module'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'
import { readVersion } from '../app/version.ts'

const requireTool = createRequire(new URL('../../../../tools/package.json', import.meta.url))
const officialParser: unknown = requireTool('parse-prometheus-text-format')
const Families = z.array(
  z.looseObject({
    name: z.string(),
    help: z.string().min(1),
    type: z.enum(['COUNTER', 'GAUGE', 'HISTOGRAM']),
    metrics: z.array(
      z.looseObject({ value: z.string().optional(), labels: z.record(z.string(), z.string()).optional() }),
    ),
  }),
)

function parse(text: string) {
  if (typeof officialParser !== 'function') throw new Error('the parser is no function')
  return Families.parse(officialParser(text))
}

async function scrape({ request, accessToken }: Pick<TestApp, 'request' | 'accessToken'>, token = accessToken) {
  const response = await request('/metrics', { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  const families = parse(text)
  const value = (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined => {
    const rows = families.find((family) => family.name === name)?.metrics ?? []
    const row = rows.find((one) => Object.entries(labels).every(([key, wanted]) => one.labels?.[key] === wanted))
    return row?.value === undefined ? undefined : Number(row.value)
  }
  return { text, families, value }
}

const patient = { timeout: 60_000 }

describe('GET /metrics', () => {
  it('reports sessions in a form that the parser of Prometheus reads', async () => {
    const script = [
      [
        { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a' },
        { type: 'text', chunks: ['done'] },
      ],
    ] as const
    const app = await openTestApp(script)
    onTestFinished(app.close)
    const created = await app.call('/v1/sessions', { method: 'POST', body: { agent: 'hello', message: 'go' } })
    const { sessionId } = z.object({ sessionId: z.string() }).parse(await created.json())
    const { sessions } = app.runtime.engine
    await expect.poll(async () => (await sessions.listApprovals({})).approvals.length, patient).toBe(1)
    const waiting = await scrape(app)
    expect(waiting.value('quarterdeck_approvals_open')).toBe(1)
    expect(waiting.value('quarterdeck_sessions', { status: 'waiting_approval' })).toBe(1)
    const [approval] = (await sessions.listApprovals({})).approvals
    await app.call(`/v1/approvals/${approval?.approvalId}`, { method: 'POST', body: { decision: 'allow' } })
    await expect.poll(async () => (await scrape(app)).value('quarterdeck_turns_total'), patient).toBe(1)

    const { value, text, families } = await scrape(app)
    const agent = { agent: 'hello' }
    expect(value('quarterdeck_turns_total', { ...agent, outcome: 'completed' })).toBe(1)
    expect(value('quarterdeck_sessions_started_total', agent)).toBe(1)
    expect(value('quarterdeck_tool_calls_total', { ...agent, outcome: 'ok' })).toBe(1)
    expect(value('quarterdeck_approvals_total', { ...agent, outcome: 'allow' })).toBe(1)
    expect(value('quarterdeck_approvals_open')).toBe(0)
    const route = { method: 'POST', route: '/v1/sessions', status: '2xx' }
    expect(value('quarterdeck_http_requests_total', route)).toBe(1)
    expect(text).toContain('route="/v1/approvals/{approvalId}"')
    expect(text).not.toContain(sessionId)
    expect(value('quarterdeck_build_info', { version: readVersion() })).toBe(1)
    expect(value('quarterdeck_heap_used_bytes')).toBeGreaterThan(1e6)
    const lag = async () => (await scrape(app)).value('quarterdeck_event_loop_lag_seconds', { statistic: 'max' })
    await expect.poll(lag, patient).toBeGreaterThanOrEqual(0)
    for (const { name, help, type } of families) {
      expect(name).toMatch(/^quarterdeck_[a-z_]+$/)
      expect(name.endsWith('_total')).toBe(type === 'COUNTER')
      expect(help).toMatch(/\.$/)
    }
  })

  it('counts refusals by class, unknown addresses as one, and rate-limited requests', async () => {
    const app = await openTestApp([], {
      rateLimits: {
        requests: { perSecond: 0.001, burst: 5 },
        changes: { perSecond: 1, burst: 1 },
        wrongCredentials: { perSecond: 1, burst: 100 },
      },
    })
    onTestFinished(app.close)
    for (const address of ['/v1/no-such-thing', '/v1/none', '/v1/nothing']) await app.call(address, { method: 'POST' })
    await app.request('/v1/server')
    await app.call('/v1/server')
    const { value } = await scrape(app)
    expect(value('quarterdeck_http_requests_total', { route: 'none', status: '4xx' })).toBe(3)
    expect(value('quarterdeck_http_requests_total', { route: '/v1/server', status: '4xx' })).toBe(1)
    expect(value('quarterdeck_http_requests_total', { route: '/v1/server', status: '2xx' })).toBe(1)
    expect(value('quarterdeck_rate_limited_total')).toBeGreaterThan(0)
  })

  it('counts open streams', async () => {
    const app = await openTestApp()
    onTestFinished(app.close)
    const created = await app.call('/v1/sessions', { method: 'POST', body: { agent: 'hello' } })
    const { sessionId } = z.object({ sessionId: z.string() }).parse(await created.json())
    const open = () => scrape(app).then(({ value }) => value('quarterdeck_streams_open', { transport: 'sse' }))
    const stream = await app.call(`/v1/sessions/${sessionId}/events`, { headers: { accept: 'text/event-stream' } })
    expect(await open()).toBe(1)
    await stream.body?.cancel()
    await expect.poll(open, patient).toBe(0)
  })

  it('needs a key, and shows data of all owners only to keys that may see it', async () => {
    const app = await openTestApp()
    onTestFinished(app.close)
    expect((await app.request('/metrics')).status).toBe(401)
    const { token } = await app.runtime.engine.keys.createKey({ name: 'watcher', scope: 'viewer', owner: 'ana' }, 'me')
    const { text } = await scrape(app, token)
    expect(text).toContain('quarterdeck_http_requests_total')
    expect(text).not.toMatch(/quarterdeck_(sessions|cost|tokens|turns_total|approvals)/)
    expect((await scrape(app)).text).toContain('quarterdeck_cost_usd_total')
  })
})
