import { analysisOperations, type ClientCallId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../app/app.fixture.ts'
import { answer, ofType, openAnalysisApp, query, readStream, tables } from './analysis.fixture.ts'
import { outputLimit } from './tool-output.ts'

async function withOpenCall() {
  const app = await openAnalysisApp([[query('SELECT 1'), answer('Done.')]])
  const started = await app.start()
  const stream = await app.stream(started.streamUrl)
  const [open] = ofType(await stream.untilType('tool_call'), 'tool_call')
  if (open === undefined) throw new Error('nothing is called')
  return { ...app, started, stream, callId: open.id }
}

/** An application in which no analysis is started. */
let quiet: TestApp
beforeAll(async () => {
  quiet = await openTestApp()
})
afterAll(() => quiet.close())

const unknownCall = 'ctc_000000' as ClientCallId

describe('the result of a tool', () => {
  it('is accepted once, with the token of its analysis, and only for an existing call', async () => {
    const app = await withOpenCall()
    const { started, callId } = app
    const other = await app.start()
    const refused = async (response: Response) => (await response.json()).code
    const wrong = { ...started, toolToken: other.toolToken }
    expect(await refused(await app.giveBack(wrong, callId, { result: 1 }))).toBe('auth.forbidden')
    const body = { sessionId: started.sessionId, toolCallId: callId, result: 1 }
    const bare = await app.call(analysisOperations.returnToolResult.path, { method: 'POST', body })
    expect(await refused(bare)).toBe('auth.forbidden')
    expect(await refused(await app.giveBack(started, unknownCall, { result: 1 }))).toBe('client-call.not-found')
    expect(await refused(await app.giveBack(other, callId, { result: 1 }))).toBe('client-call.not-found')
    expect((await app.giveBack(started, callId, { result: 1 })).status).toBe(202)
    expect(await refused(await app.giveBack(started, callId, { result: 2 }))).toBe('client-call.already-returned')
  })

  it('is accepted again if it is the same one under the same key', async () => {
    const app = await withOpenCall()
    const { sessionId, toolToken } = app.started
    const send = () =>
      app.call(analysisOperations.returnToolResult.path, {
        method: 'POST',
        body: { sessionId, toolCallId: app.callId, result: 1 },
        headers: { 'x-tool-token': toolToken, 'idempotency-key': 'k1' },
      })
    expect((await send()).status).toBe(202)
    expect((await send()).status).toBe(202)
  })

  it('is shortened with a note to the model if it is too long', async () => {
    const app = await withOpenCall()
    await app.giveBack(app.started, app.callId, { result: { rows: ['x'.repeat(outputLimit)] } })
    await app.stream.ended
    const { events } = await (await app.call(`/v1/sessions/${app.started.sessionId}/events`)).json()
    const returned = events.find(({ type }: { type: string }) => type === 'ClientToolReturned')
    expect(returned.data.output.length).toBeLessThan(outputLimit + 200)
    expect(returned.data.output).toContain('[cut: only the first 80000 of')
  })

  it('may be empty, but not both a result and an error', async () => {
    const app = await withOpenCall()
    expect((await app.giveBack(app.started, app.callId, { result: 1, error: 'no' })).status).toBe(400)
    expect((await app.giveBack(app.started, app.callId, {})).status).toBe(202)
  })
})

describe('GET /api/analyze with a question', () => {
  const address = (more: Readonly<Record<string, string>> = {}) =>
    `/api/analyze?${new URLSearchParams({ question: 'Where?', schema: JSON.stringify({ tables }), ...more })}`

  it('starts and streams, sends the tool token with its first event, and is found again', async () => {
    const app = await openAnalysisApp([[query('SELECT 1'), answer('Oslo.')]])
    const first = await app.stream(address({ tier: 'low', thinking: 'true' }))
    const [open] = ofType(await first.untilType('tool_call'), 'tool_call')
    const [hello] = ofType(first.frames, 'session')
    if (open === undefined || hello?.toolToken === undefined) throw new Error('nothing to go on with')
    const again = await app.stream(address({ tier: 'low', thinking: 'true' }), first.lastId())
    expect(ofType(await again.untilType('tool_call'), 'tool_call')).toMatchObject([{ id: open.id, resent: true }])
    expect(ofType(again.frames, 'session')).toEqual([])
    const { session } = await (await app.call(`/v1/sessions/${hello.sessionId}`)).json()
    expect(session).toMatchObject({ model: 'claude-haiku-4-5', thinking: { budgetTokens: 4000 } })
    await app.giveBack({ sessionId: hello.sessionId, toolToken: hello.toolToken }, open.id, { result: 1 })
    await Promise.all([first.ended, again.ended])
    const end = again.lastId()
    expect(
      (await app.call(address({ tier: 'low', thinking: 'true' }), { headers: { 'last-event-id': end } })).status,
    ).toBe(204)
  })

  it.each([
    ['no schema', '/api/analyze?question=x', 400],
    ['a schema that is not JSON', '/api/analyze?question=x&schema=%7B', 400],
    ['no question', `/api/analyze?schema=${encodeURIComponent(JSON.stringify(tables))}`, 400],
    ['a tier there is not', address({ tier: 'best' }), 400],
    ['a query of more than 8 kB', address({ question: 'x'.repeat(8200) }), 414],
    ['an invalid cursor', '/api/analyze?sessionId=ses_000000&after=x', 404],
  ])('refuses %s', async (_, path, status) => {
    const problem = await (await quiet.call(path)).json()
    expect(problem.status).toBe(status)
    if (status === 414) expect(problem.detail).toContain('POST /api/analyze')
  })

  it('is found again by the page that lost it, not by another page with the same question that still reads', async () => {
    const app = await openAnalysisApp([[query('SELECT 1')]])
    const lost = new AbortController()
    const headers = { host: '127.0.0.1:4300', authorization: `Bearer ${app.accessToken}` }
    const first = readStream(await app.app.request(address(), { headers, signal: lost.signal }))
    await first.untilType('tool_call')
    const second = await app.stream(address())
    await second.untilType('tool_call')
    lost.abort()
    const again = async () => {
      const stream = await app.stream(address(), first.lastId())
      return ofType(await stream.untilType('session'), 'session')[0]?.sessionId
    }
    await expect.poll(again, { timeout: 60_000 }).toBe(ofType(first.frames, 'session')[0]?.sessionId)
  })

  it('starts nothing for a HEAD request', async () => {
    expect((await quiet.call(address(), { method: 'HEAD' })).status).toBe(200)
    expect((await (await quiet.call('/v1/sessions')).json()).sessions).toEqual([])
  })

  it('accepts a query of 8 kB', async () => {
    const app = await openAnalysisApp([[answer('Yes.')]])
    const rest = address({ question: '' }).split('?')[1]?.length ?? 0
    const stream = await app.stream(address({ question: 'x'.repeat(8192 - rest) }))
    await stream.ended
    expect(ofType(stream.frames, 'answer')).toHaveLength(1)
  })

  it('starts nothing for an image on a page of another port, which sends the cookie', async () => {
    const response = await quiet.call(address(), { headers: { 'sec-fetch-site': 'same-site' } })
    expect(await response.json()).toMatchObject({ code: 'auth.origin-refused' })
    expect((await (await quiet.call('/v1/sessions')).json()).sessions).toEqual([])
  })
})

describe('an invalid question', () => {
  const good = { question: 'Where?', tables }
  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['no tables', { question: 'x' }],
    ['an empty list of tables', { question: 'x', tables: [] }],
    ['an empty question', { ...good, question: '  ' }],
    ['a question as a number', { ...good, question: 5 }],
    ['a tier of another world', { ...good, tier: 'max' }],
    ['thinking in words', { ...good, thinking: 'yes' }],
    ['an unknown key', { ...good, quesion: 'x' }],
    ['columns that are none', { ...good, tables: [{ name: 'a', columns: 'b' }] }],
    ['rows that may not be sent', { ...good, level: 1, tables: [{ ...tables[0], sample: [{ city: 'Oslo' }] }] }],
    ['a level there is not', { ...good, level: 4 }],
    ['a session id of another shape', { ...good, sessionId: '../etc' }],
    ['a name without an end', { ...good, tables: [{ name: 'x'.repeat(501), columns: [] }] }],
  ])('is refused with the reason: %s', async (_, body) => {
    for (const path of ['/api/analyze', '/api/generate-sql', '/api/analyze/tool-result']) {
      const response = await quiet.call(path, { method: 'POST', body: body ?? '' })
      expect(response.status).toBe(400)
      expect((await response.json()).detail).not.toBe('')
    }
    expect((await (await quiet.call('/v1/sessions')).json()).sessions).toEqual([])
  })

  it('never breaks the server', async () => {
    const random = sequence(5)
    const paths = ['/api/analyze', '/api/generate-sql', '/api/analyze/tool-result']
    for (let index = 0; index < 150; index += 1) {
      const body = JSON.stringify(anything(random, 3)).slice(0, random() < 0.2 ? 20 : undefined)
      const response = await quiet.call(paths[index % 3] ?? '', { method: 'POST', body })
      expect(response.status, body).toBeGreaterThanOrEqual(400)
      expect(response.status, body).toBeLessThan(500)
      const search = encodeURIComponent(String(anything(random, 0)))
      const got = await quiet.call(`/api/analyze?${['sessionId', 'schema', 'after'][index % 3]}=${search}`)
      expect(got.status, search).toBeGreaterThanOrEqual(400)
      expect(got.status, search).toBeLessThan(500)
    }
    expect(quiet.logged.filter(({ level }) => level === 'error')).toEqual([])
  })
})

it('lets a read-only key watch, but not start or return anything', async () => {
  const app = await openAnalysisApp([[query('SELECT 1')]])
  const started = await app.start()
  const viewer = { name: 'eye', owner: 'operator', scope: 'viewer', requestsPerMinute: null } as const
  const asViewer = (path: string, init: RequestInit = {}) =>
    app.app.request(
      path,
      { ...init, headers: { host: '127.0.0.1:4300', 'content-type': 'application/json', ...init.headers } },
      { known: { principal: viewer, key: null } },
    )
  const stream = readStream(await asViewer(started.streamUrl))
  await stream.untilType('tool_call')
  const post = { method: 'POST', body: JSON.stringify({ question: 'Where?', tables }) }
  expect((await asViewer('/api/analyze', post)).status).toBe(403)
  expect((await asViewer('/api/generate-sql', post)).status).toBe(403)
  expect((await asViewer('/api/analyze/tool-result', post)).status).toBe(403)
  expect((await asViewer(`/api/analyze?sessionId=${started.sessionId}`, { method: 'DELETE' })).status).toBe(403)
  const stranger = { ...viewer, owner: 'somebody' }
  const other = await app.app.request(
    started.streamUrl,
    { headers: { host: '127.0.0.1:4300' } },
    { known: { principal: stranger, key: null } },
  )
  expect(other.status).toBe(404)
})

/** The same numbers for the same seed. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296
    return state / 4294967296
  }
}

function anything(random: () => number, depth: number): unknown {
  const plain = [null, true, 0, -1, 1e308, '', 'ses_000000', '\u0000<tables>', '💥'.repeat(50), [], {}]
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item // not empty
  if (depth === 0) return pick(plain)
  const keys = ['question', 'tables', 'tier', 'sessionId', 'toolCallId', 'result', 'error', '__proto__', 'x']
  const parts = Array.from(
    { length: Math.floor(random() * 4) },
    () => [pick(keys), anything(random, depth - 1)] as const,
  )
  return random() < 0.5 ? Object.fromEntries(parts) : parts.map(([, value]) => value)
}
