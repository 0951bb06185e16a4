import type { SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from './app.fixture.ts'
import { readVersion } from './version.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await openTestApp([], { allowedOrigins: ['https://desk.example'] })
})
afterAll(() => testApp.close())

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code

describe('the Host header', () => {
  it.each(['localhost:4300', '127.0.0.1:4300', '[::1]:4300', 'LOCALHOST:9', '127.0.0.1'])('may be %s', async (host) => {
    expect((await testApp.request('/health', { headers: { host } })).status).toBe(200)
  })

  it.each([
    'evil.example',
    'evil.example:4300',
    '127.0.0.1.evil.example:4300',
    'localhost.evil.example',
    '127.0.0.1@evil.example',
    'evil.example#127.0.0.1',
    '192.168.1.7:4300',
    '',
    'a b',
  ])('may not be %j, which could be a rebound name', async (host) => {
    for (const path of ['/health', '/', '/v1/sessions', '/login?code=x']) {
      const response = await testApp.call(path, { headers: { host } })
      expect(response.status).toBe(403)
      expect(await codeOf(response)).toBe('auth.host-refused')
    }
  })

  it('may be the public name, or any IP address when the server listens on all addresses', async () => {
    const open = await openTestApp([], { host: '0.0.0.0', publicUrl: 'https://deck.example' })
    const statusFor = async (host: string) => (await open.request('/health', { headers: { host } })).status
    expect(await statusFor('deck.example')).toBe(200)
    expect(await statusFor('192.168.1.7:4300')).toBe(200)
    expect(await statusFor('[fe80::1]:4300')).toBe(200)
    expect(await statusFor('evil.example')).toBe(403)
    await open.close()
  })
})

describe('the Origin header', () => {
  const post = (origin: string) =>
    testApp.call('/v1/sessions', { method: 'POST', body: { agent: 'nobody' }, headers: { origin } })

  it('may be the own origin or a listed one', async () => {
    expect(await codeOf(await post('http://127.0.0.1:4300'))).toBe('agent.not-found')
    expect(await codeOf(await post('https://desk.example'))).toBe('agent.not-found')
  })

  it.each([
    'https://evil.example',
    'http://127.0.0.1:4301',
    'http://localhost:4300',
    'https://127.0.0.1:4300',
    'null',
    '',
  ])('may not be %j', async (origin) => {
    const response = await post(origin)
    expect(response.status).toBe(403)
    expect(await codeOf(response)).toBe('auth.origin-refused')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    const stream = { accept: 'text/event-stream', origin }
    expect((await testApp.call('/v1/sessions/ses_0123456789/events', { headers: stream })).status).toBe(403)
  })

  it('gets CORS headers only for a listed origin, and never with credentials', async () => {
    const preflight = (origin: string) =>
      testApp.request('/v1/sessions', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      })
    const listed = await preflight('https://desk.example')
    expect(listed.status).toBe(204)
    expect(listed.headers.get('access-control-allow-origin')).toBe('https://desk.example')
    expect(listed.headers.get('access-control-allow-credentials')).toBeNull()
    expect((await preflight('https://evil.example')).status).toBe(403)
    expect((await testApp.call('/v1/sessions')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('signing in', () => {
  const cookieOf = (response: Response) => response.headers.get('set-cookie') ?? ''
  const open = (code: string, headers: Record<string, string> = {}) =>
    testApp.request(`/login?code=${code}`, { headers })

  it('exchanges a link for a cookie that grants access and does not contain the token', async () => {
    const response = await open(testApp.loginLinks.issue())
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const cookie = cookieOf(response)
    expect(cookie).toMatch(/^quarterdeck_4300=/)
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(attribute)
    expect(cookie).not.toContain(testApp.accessToken)
    const value = cookie.split(';')[0] ?? ''
    expect((await testApp.request('/v1/sessions', { headers: { cookie: value } })).status).toBe(200)
    expect((await testApp.request('/v1/sessions', { headers: { cookie: `${value}x` } })).status).toBe(401)
  })

  it('works once per link and says how to get a new one', async () => {
    const code = testApp.loginLinks.issue()
    expect((await open(code)).status).toBe(303)
    const again = await open(code)
    expect(again.status).toBe(401)
    expect(again.headers.get('content-type')).toContain('text/html')
    expect(await again.text()).toContain('Stop the server and start it again')
    expect(cookieOf(again)).toBe('')
  })

  it.each(['', 'wrong', '%00', 'x'.repeat(5000)])('refuses the code %j', async (code) => {
    expect((await open(code)).status).toBe(401)
  })

  it('accepts an old link from a browser that is already signed in', async () => {
    const code = testApp.loginLinks.issue()
    const cookie = cookieOf(await open(code)).split(';')[0] ?? ''
    expect((await open(code, { cookie })).status).toBe(303)
  })

  it('does not consume a link for a preview', async () => {
    const code = testApp.loginLinks.issue()
    expect((await testApp.request(`/login?code=${code}`, { method: 'HEAD' })).status).toBe(200)
    expect((await open(code)).status).toBe(303)
  })

  it('keeps codes, tokens and cookies out of the log', async () => {
    const code = testApp.loginLinks.issue()
    const cookie = cookieOf(await open(code)).split(';')[0] ?? ''
    await testApp.request('/v1/sessions', { headers: { cookie } })
    await testApp.call('/v1/sessions')
    const lines = JSON.stringify(testApp.logged)
    expect(lines).toContain('"/login"')
    for (const secret of [code, testApp.accessToken, cookie.split('=')[1] ?? '-']) expect(lines).not.toContain(secret)
  })
})

describe('public addresses', () => {
  it('are health, readiness and the files of the workbench', async () => {
    const health = await testApp.request('/health')
    expect(await health.json()).toEqual({ status: 'healthy', service: 'quarterdeck', version: readVersion() })
    expect(await (await testApp.request('/ready')).json()).toEqual({ status: 'ready' })
    expect((await testApp.request('/health?probe=1')).status).toBe(200)
    expect(await (await testApp.request('/')).text()).toContain('not built yet')
  })

  it('send security headers, even on refusals', async () => {
    for (const path of ['/', '/health', '/v1/sessions']) {
      const { headers } = await testApp.request(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    }
  })
})

describe('API keys', () => {
  it('identify their owner in the log; a wrong key is refused', async () => {
    const { engine } = testApp.runtime
    const { token } = await engine.keys.createKey({ name: 'ana' }, 'operator')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const created = await testApp.request('/v1/sessions', { method: 'POST', headers, body: { agent: 'hello' } })
    expect(created.status).toBe(201)
    const { sessionId } = (await created.json()) as { sessionId: SessionId }
    expect((await engine.sessions.getSession(sessionId)).session.owner).toBe('ana')
    const wrong = await testApp.request('/v1/server', { headers: { authorization: `Bearer ${token}x` } })
    expect(wrong.status).toBe(401)
  })

  const tables = [{ name: 'sales', columns: [{ name: 'city', type: 'VARCHAR' }] }]
  it.each([
    ['/v1/sessions/SESSION/messages', JSON.stringify({ content: 'late' })],
    ['/v1/sessions/SESSION/pause', ''],
    ['/api/analyze', JSON.stringify({ question: 'Where?', tables })],
    ['/api/analyze/tool-result', JSON.stringify({ sessionId: 'ses_000000', toolCallId: 'ctc_000000', result: 1 })],
    ['/api/generate-sql', JSON.stringify({ question: 'Where?', tables })],
  ])('that are revoked while a request (%s) is being sent are refused', async (address, sent) => {
    const { engine } = testApp.runtime
    const { sessionId } = await engine.sessions.createSession({ agent: 'hello' }, 'operator')
    const name = `eve-${address.replaceAll('/', '.')}`
    const { token } = await engine.keys.createKey({ name, owner: 'operator' }, 'operator')
    const parts = new TransformStream<Uint8Array, Uint8Array>()
    const body = parts.writable.getWriter()
    const bytes = new TextEncoder().encode(sent)
    const headers = { host: '127.0.0.1:4300', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: parts.readable, duplex: 'half' } as RequestInit
    const reply = testApp.app.request(address.replace('SESSION', sessionId), init)
    // Resolves when the body is read: the key was valid until then.
    await body.write(bytes.subarray(0, 1))
    await engine.keys.revokeKey(name, 'operator')
    await body.write(bytes.subarray(1))
    await body.close()
    const response = await reply
    expect(response.status).toBe(401)
    expect(await codeOf(response)).toBe('auth.invalid')
    expect((await engine.sessions.getSession(sessionId)).session).toMatchObject({ seq: 1, status: 'idle' })
  })
})
