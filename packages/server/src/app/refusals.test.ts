import { type ErrorCode, errorKind, Problem } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../auth/authenticate.ts'
import { maxBodyBytes, maxBodyBytesWithImages, maxJsonDepth } from '../http/read-body.ts'
import { type Call, openTestApp, type TestApp } from './app.fixture.ts'

let testApp: TestApp
let sessionId: string

beforeAll(async () => {
  testApp = await openTestApp()
  const created = await testApp.call('/v1/sessions', { method: 'POST', body: { agent: 'hello' } })
  sessionId = ((await created.json()) as { sessionId: string }).sessionId
})
afterAll(() => testApp.close())

const post = (body: unknown, headers: Record<string, string> = {}): Call => ({ method: 'POST', body, headers })
const unknownSession = 'ses_0123456789'
const deep = `${'['.repeat(maxJsonDepth + 1)}${']'.repeat(maxJsonDepth + 1)}`

type Refusal = readonly [string, ErrorCode, () => readonly [string, Call?]]

const refusals: readonly Refusal[] = [
  ['a body that is not JSON', 'request.invalid-json', () => ['/v1/sessions', post('{"agent": ')]],
  ['an empty body', 'request.invalid-json', () => ['/v1/sessions', post('')]],
  [
    'a body of another type',
    'request.unsupported-media-type',
    () => ['/v1/sessions', post('agent=hello', { 'content-type': 'text/plain' })],
  ],
  ['a body larger than a megabyte', 'request.too-large', () => ['/v1/budgets', post(`"${'x'.repeat(maxBodyBytes)}"`)]],
  [
    'a message with images that is too large',
    'request.too-large',
    () => ['/v1/sessions', post(`"${'x'.repeat(maxBodyBytesWithImages)}"`)],
  ],
  [
    'a body that says it is larger',
    'request.too-large',
    () => ['/v1/sessions', post('{}', { 'content-length': '99999999' })],
  ],
  ['JSON nested too deep', 'request.invalid', () => ['/v1/sessions', post(deep)]],
  ['an unknown field', 'request.invalid', () => ['/v1/sessions', post({ agent: 'hello', modle: 'high' })]],
  ['a missing field', 'request.invalid', () => ['/v1/sessions', post({})]],
  ['a body where none belongs', 'request.invalid', () => [`/v1/sessions/${sessionId}/close`, post({ now: true })]],
  ['an empty message', 'request.invalid', () => [`/v1/sessions/${sessionId}/messages`, post({ content: '' })]],
  ['an unknown query field', 'request.invalid', () => ['/v1/sessions?order=asc']],
  ['a query field where none belongs', 'request.invalid', () => ['/v1/budgets?extra=1']],
  [
    'a query field beside a body',
    'request.invalid',
    () => [`/v1/sessions/${sessionId}/messages?extra=1`, post({ content: 'hi' })],
  ],
  ['a query field given twice', 'request.invalid', () => ['/v1/sessions?limit=1&limit=2']],
  ['a query field with the name of the prototype', 'request.invalid', () => ['/v1/sessions?__proto__=x']],
  ['a limit that is not a number', 'request.invalid', () => ['/v1/sessions?limit=many']],
  ['a limit in hexadecimal digits', 'request.invalid', () => ['/v1/sessions?limit=0x10']],
  ['a limit with an exponent', 'request.invalid', () => ['/v1/audit?limit=1e1']],
  ['an invalid list cursor', 'cursor.malformed', () => ['/v1/sessions?cursor=%20nonsense']],
  ['an unknown agent', 'agent.not-found', () => ['/v1/sessions', post({ agent: 'nobody' })]],
  ['a misspelled model', 'model.unknown', () => ['/v1/sessions', post({ agent: 'hello', model: 'claude-sonet-4' })]],
  ['an unknown session', 'session.not-found', () => [`/v1/sessions/${unknownSession}`]],
  ['a session id that cannot be one', 'session.not-found', () => ['/v1/sessions/42']],
  [
    'a message to an unknown session',
    'session.not-found',
    () => [`/v1/sessions/${unknownSession}/messages`, post({ content: 'hi' })],
  ],
  ['events of an unknown session', 'session.not-found', () => [`/v1/sessions/${unknownSession}/events`]],
  [
    'a stream of an unknown session',
    'session.not-found',
    () => [`/v1/sessions/${unknownSession}/events`, { headers: { accept: 'text/event-stream' } }],
  ],
  ['an unknown approval', 'approval.not-found', () => ['/v1/approvals/apr_0123456789', post({ decision: 'allow' })]],
  ['an approval id that cannot be one', 'approval.not-found', () => ['/v1/approvals/42', post({ decision: 'allow' })]],
  [
    'a denial with an input',
    'request.invalid',
    () => ['/v1/approvals/apr_0123456789', post({ decision: 'deny', input: {} })],
  ],
  ['an interrupt of nothing', 'session.not-running', () => [`/v1/sessions/${sessionId}/interrupt`, { method: 'POST' }]],
  ['a cursor that is not a number', 'cursor.malformed', () => [`/v1/sessions/${sessionId}/events?after=-1`]],
  [
    'a stream cursor that is not a number',
    'cursor.malformed',
    () => [`/v1/sessions/${sessionId}/events`, { headers: { accept: 'text/event-stream', 'last-event-id': 'x' } }],
  ],
  [
    'a page size for a stream',
    'request.invalid',
    () => [`/v1/sessions/${sessionId}/events?limit=5`, { headers: { accept: 'text/event-stream' } }],
  ],
  ['a cursor beyond the log', 'cursor.beyond-log', () => [`/v1/sessions/${sessionId}/events?after=999`]],
  [
    'a stream cursor beyond the log',
    'cursor.beyond-log',
    () => [`/v1/sessions/${sessionId}/events`, { headers: { accept: 'text/event-stream', 'last-event-id': '999' } }],
  ],
  [
    'an idempotency key with spaces',
    'request.invalid',
    () => ['/v1/sessions', post({ agent: 'hello' }, { 'idempotency-key': 'a b' })],
  ],
  ...['/v1/usage?user=', '/v1/usage?agent=', '/v1/usage?model=', '/v1/sessions?owner=', '/v1/sessions?text='].map(
    (path): Refusal => [`a NUL in ${path}`, 'request.invalid', () => [`${path}%00`]],
  ),
  ...['\0', '\ud800', '\u001b[2J', `sk-ant-${'x'.repeat(20)}`].map(
    (subject): Refusal => [
      `a budget of ${JSON.stringify(subject)}`,
      'request.invalid',
      () => ['/v1/budgets', post({ scope: 'user', subject, period: 'day', limit: 1 })],
    ],
  ),
  [
    'half a character in a model',
    'request.invalid',
    () => ['/v1/sessions', post({ agent: 'hello', model: 'claude\ud800' })],
  ],
  ['an unknown address', 'request.route-not-found', () => ['/v1/nothing']],
  ['a change of a page', 'request.route-not-found', () => ['/somewhere', { method: 'POST' }]],
  ['a method an address does not take', 'request.method-not-allowed', () => ['/v1/sessions', { method: 'DELETE' }]],
  ['an address that is too long', 'request.too-large', () => [`/v1/sessions?tag=${'x'.repeat(9000)}`]],
  ['a wrong token', 'auth.invalid', () => ['/v1/sessions', { headers: { authorization: 'Bearer wrong' } }]],
  [
    'another scheme than a token',
    'auth.required',
    () => ['/v1/sessions', { headers: { authorization: 'Basic b3A6b3A=' } }],
  ],
]

describe('a bad request', () => {
  it.each(refusals)('(%s) returns %s', async (_, code, make) => {
    const [path, options] = make()
    const response = await testApp.call(path, options)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const problem = Problem.parse(await response.json())
    expect(problem).toMatchObject({ code, status: errorKind(code).status })
    expect(response.status).toBe(errorKind(code).status)
    expect(problem.detail.length).toBeGreaterThan(10)
  })

  it('changes nothing', async () => {
    const list = (await (await testApp.call('/v1/sessions')).json()) as { sessions: unknown[] }
    expect(list.sessions).toHaveLength(1)
  })

  it('lists every issue of a body', async () => {
    const response = await testApp.call('/v1/sessions', post({ agent: '1', mode: 'both', extra: true }))
    const problem = (await response.json()) as { issues: { path: string }[] }
    expect(problem.issues.map((issue) => issue.path)).toEqual(
      expect.arrayContaining(['body.agent', 'body.mode', 'body']),
    )
  })

  it('names the status of a session that cannot be resumed beside the status of the response', async () => {
    const response = await testApp.call(`/v1/sessions/${sessionId}/resume`, { method: 'POST' })
    expect(await response.json()).toMatchObject({ code: 'session.not-running', status: 409, sessionStatus: 'idle' })
  })

  it('names an unknown field, regardless of its value', async () => {
    const body = { content: 'hi', priority: 'queued' }
    const response = await testApp.call(`/v1/sessions/${sessionId}/messages`, post(body))
    expect(await response.json()).toMatchObject({
      code: 'request.invalid',
      detail: expect.stringContaining('priority'),
    })
  })

  it('names the snapshot to start from when the cursor is beyond the log', async () => {
    const response = await testApp.call(`/v1/sessions/${sessionId}/events?after=999`)
    expect(response.status).toBe(412)
    expect(await response.json()).toMatchObject({ snapshot: `/v1/sessions/${sessionId}` })
  })

  it('lists the allowed methods of an address', async () => {
    const response = await testApp.call('/v1/sessions', { method: 'DELETE' })
    expect(response.headers.get('allow')).toBe('POST, GET')
  })

  it('asks for a token with WWW-Authenticate', async () => {
    for (const path of ['/v1/sessions', '/v1/nothing', '/openapi.json', `/v1/sessions/${sessionId}/events`]) {
      const response = await testApp.request(path)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="quarterdeck"')
    }
  })
})

describe('an internal error', () => {
  it('returns an id to the caller and writes the details to the log once', async () => {
    const own = {
      ...testApp.runtime.engine.operationsOf(operator),
      listSessions: async () => {
        throw new Error('the disk broke')
      },
    }
    const broken = await openTestApp([], { operationsOf: () => own })
    const response = await broken.call('/v1/sessions')
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(text).not.toContain('disk broke')
    const { requestId, code } = JSON.parse(text) as { requestId: string; code: string }
    expect(code).toBe('internal')
    // The queries that the server makes at its start failed too.
    const errors = broken.logged.filter((line) => line.level === 'error' && 'requestId' in line.facts)
    expect(errors).toHaveLength(1)
    expect(errors[0]?.facts).toMatchObject({ requestId, error: new Error('the disk broke') })
    await broken.close()
  })
})
