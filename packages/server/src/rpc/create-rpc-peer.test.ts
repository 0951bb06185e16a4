import { QuarterdeckError, type SessionEvent, type SessionId } from '@quarterdeck/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'
import { operator } from '../auth/authenticate.ts'
import { createAppHost } from './create-app-host.ts'
import { openPeer } from './peer.fixture.ts'
import type { RpcConnection, RpcHost } from './rpc-host.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await openTestApp([
    [{ type: 'text', chunks: ['Hel', 'lo.'] }],
    [{ type: 'tool', name: 'Bash', input: { command: 'ls' }, result: (input) => JSON.stringify(input) }],
  ])
})
afterAll(() => testApp.close())

const peers = new Set<ReturnType<typeof openPeer>>()
afterEach(async () => {
  await Promise.all([...peers].map(({ peer }) => peer.close()))
  peers.clear()
})

function open(change: Partial<RpcHost> = {}, connection: Partial<RpcConnection> = {}) {
  const { sessionsOf } = testApp.runtime.engine
  const host = createAppHost({ app: testApp.app, caller: { principal: operator, key: null }, sessionsOf })
  const peer = openPeer({ ...host, ...change }, connection)
  peers.add(peer)
  return peer
}

const call = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: '2.0', id, method, params })

describe('an invalid message', () => {
  it.each([
    ['{', -32_700, null],
    ['', -32_700, null],
    ['[]', -32_600, null],
    ['7', -32_600, null],
    ['null', -32_600, null],
    ['{"id":3,"method":"server.info"}', -32_600, 3],
    ['{"jsonrpc":"1.0","id":3,"method":"server.info"}', -32_600, 3],
    ['{"jsonrpc":"2.0","id":{},"method":"server.info"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":null,"method":"server.info"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"server.info"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"server.info"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":-9007199254740993,"method":"server.info"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":3}', -32_600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":7}', -32_600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"server.info","params":[1]}', -32_602, 3],
    ['{"jsonrpc":"2.0","id":"x","method":"session.fly"}', -32_601, 'x'],
    ['{"jsonrpc":"2.0","id":"x","method":"toString"}', -32_601, 'x'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, -32_600, null],
    [JSON.stringify(Array.from({ length: 101 }, () => 1)), -32_600, null],
  ])('is answered with its code: %s', async (text, code, id) => {
    const { sendMessage, received } = open()
    await sendMessage(text)
    await expect.poll(received).toMatchObject([{ jsonrpc: '2.0', id, error: { code } }])
  })

  it('is ignored if it answers no request', async () => {
    const { sendMessage, peer, sent } = open()
    await sendMessage({ jsonrpc: '2.0', id: 'ask-9', result: {} })
    await sendMessage({ jsonrpc: '2.0', id: 4, error: { code: 1, message: 'no' } })
    await sendMessage({ jsonrpc: '2.0', method: 'session.fly' })
    await peer.settled()
    expect(sent).toEqual([])
  })
})

describe('a call', () => {
  it('runs the route of its method, with string and number ids', async () => {
    const { sendMessage, received } = open()
    await sendMessage(call(1, 'session.start', { agent: 'hello', title: 'by rpc' }))
    await expect.poll(received).toMatchObject([{ id: 1, result: { sessionId: expect.stringMatching(/^ses_/) } }])
    const sessionId = received()[0]?.result.sessionId
    await sendMessage(call('two', 'session.get', { sessionId }))
    await expect.poll(() => received()[1]).toMatchObject({ id: 'two', result: { session: { title: 'by rpc' } } })
    await sendMessage(call(3, 'session.events', { sessionId, after: 1, limit: 5 }))
    await expect.poll(() => received()[2]).toMatchObject({ id: 3, result: { events: [], lastSeq: 1, hasMore: false } })
  })

  it.each([
    ['session.get', {}, /params\.sessionId: is missing/],
    ['session.get', { sessionId: 7 }, /params\.sessionId: must be a string/],
    ['session.get', { sessionId: '..' }, /params\.sessionId/],
    ['session.list', { limit: 0 }, /^params\.limit:/],
    ['session.list', { limit: [1] }, /^params\.limit:/],
    ['session.list', { colour: 'red' }, /^params\.colour:/],
    ['session.start', { agent: 'hello', colour: 'red' }, /^params: .*colour/],
    ['session.start', { agent: 'hello', idempotencyKey: 'a b' }, /idempotencyKey/],
    ['session.get', { sessionId: 'ses_00000001', idempotencyKey: 'a' }, /idempotencyKey/],
    ['session.subscribe', {}, /params\.sessionId/],
    ['session.unsubscribe', { sessionId: 7 }, /params\.sessionId/],
    ['session.subscribe', { sessionId: 'ses_00000001', after: -1 }, /params\.after/],
    ['session.subscribe', { sessionId: 'ses_00000001', colour: 'red' }, /colour/],
  ])('reports what is wrong with its params: %s %j', async (method, params, message) => {
    const { error } = await open().call(method, params)
    expect(error).toMatchObject({ code: -32_602, message: expect.stringMatching(message) })
  })

  it('is refused with the problem', async () => {
    const { call } = open()
    const missing = await call('session.get', { sessionId: 'ses_nobodyhasit' })
    expect(missing.error).toMatchObject({ code: -32_000, data: { code: 'session.not-found', status: 404 } })
    const unknown = await call('session.subscribe', { sessionId: 'ses_nobodyhasit' })
    expect(unknown.error).toMatchObject({ code: -32_000, data: { code: 'session.not-found' } })
    const { result } = await call('session.start', { agent: 'hello' })
    const beyond = await call('session.subscribe', { sessionId: result.sessionId, after: 99 })
    expect(beyond.error).toMatchObject({ code: -32_000, data: { code: 'cursor.beyond-log', lastSeq: 1 } })
  })

  it.each([
    [
      'session.get',
      { sessionId: '\ud800' },
      'session "\ufffd": list them with GET /v1/sessions or "quarterdeck sessions list"',
    ],
    [
      'session.abort',
      { sessionId: 'nope' },
      'session "nope": list them with GET /v1/sessions or "quarterdeck sessions list"',
    ],
    ['key.revoke', { keyName: '\ud800' }, 'key "\ufffd": list them with GET /v1/keys or "quarterdeck keys list"'],
    ['agent.warm', { name: '\ud800' }, 'agent "\ufffd": list them with GET /v1/agents'],
    [
      'session.subscribe',
      { sessionId: '\ud800' },
      'session "\\ud800": list them with GET /v1/sessions or "quarterdeck sessions list"',
    ],
    [
      'session.subscribe',
      { sessionId: 'nope' },
      'session "nope": list them with GET /v1/sessions or "quarterdeck sessions list"',
    ],
    [
      'session.unsubscribe',
      { sessionId: 'nope' },
      'session "nope": list them with GET /v1/sessions or "quarterdeck sessions list"',
    ],
  ])('treats a malformed id as unknown: %s %j', async (method, params, missing) => {
    const code = `${missing.split(' ')[0]}.not-found`
    const { error } = await open().call(method, params)
    expect(error).toMatchObject({ code: -32_000, data: { code, detail: `there is no ${missing}` } })
  })

  it('hides the details of an internal error', async () => {
    const { call } = open({ call: () => Promise.reject(new Error('the password is swordfish')) })
    const { error } = await call('server.info')
    expect(error).toMatchObject({ code: -32_603 })
    expect(JSON.stringify(error)).not.toContain('swordfish')
    const named = open({
      call: () => Promise.reject(new QuarterdeckError('internal', 'swordfish', { facts: { requestId: 'r1' } })),
    })
    expect((await named.call('server.info')).error).toMatchObject({ code: -32_603, data: { requestId: 'r1' } })
  })

  it('is made once with the same idempotency key', async () => {
    const { call } = open()
    const change = { agent: 'hello', idempotencyKey: 'one-press' }
    const first = await call('session.start', change)
    expect((await call('session.start', change)).result).toEqual(first.result)
    const other = await call('session.start', { agent: 'hello', title: 'x', idempotencyKey: 'one-press' })
    expect(other.error?.data).toMatchObject({ code: 'request.idempotency-mismatch' })
  })

  it('in a batch is answered in order with the others, except notifications', async () => {
    const { sendMessage, sent, peer } = open()
    await sendMessage([call(1, 'server.info'), 5, { jsonrpc: '2.0', method: 'agent.list' }, call(2, 'session.fly')])
    await peer.settled()
    expect(sent).toHaveLength(1)
    expect(JSON.parse(sent[0] ?? '')).toMatchObject([{ id: 1 }, { id: null }, { id: 2, error: { code: -32_601 } }])
    await sendMessage([{ jsonrpc: '2.0', method: 'agent.list' }])
    await peer.settled()
    expect(sent).toHaveLength(1)
  })

  it('waits while 64 calls are running', async () => {
    let running = 0
    let letGo: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const { sendMessage, received } = open({
      async call() {
        running += 1
        await gate
        return {}
      },
    })
    let taken = 0
    const all = Array.from({ length: 100 }, (_, id) => sendMessage(call(id, 'server.info')).then(() => (taken += 1)))
    await expect.poll(() => taken).toBe(64)
    expect(running).toBe(64)
    letGo()
    await Promise.all(all)
    await expect.poll(() => received().length).toBe(100)
  })

  it('keeps its answer while the connection has no capacity, and blocks further calls', async () => {
    let letGo: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const { sendMessage, sent } = open({ call: async () => ({}) }, { drained: () => gate })
    let taken = 0
    for (let id = 0; id < 200; id += 1) void sendMessage(call(id, 'server.info')).then(() => (taken += 1))
    await expect.poll(() => taken).toBe(64)
    expect(sent).toEqual([])
    letGo()
    await expect.poll(() => sent.length).toBe(200)
  })
})

describe('subscriptions', () => {
  it('send one event at a time on a connection without capacity, complete and in order, in turns with others', async () => {
    let waiting = 0
    let most = 0
    const connection: Partial<RpcConnection> = {
      send(text) {
        if (!text.includes('session.event')) return true
        waiting += 1
        most = Math.max(most, waiting)
        return false
      },
      async drained() {
        await new Promise((resolve) => setImmediate(resolve))
        waiting = 0
      },
    }
    let begin: () => void = () => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const ended = new Set<SessionId>()
    const feed: RpcHost['feed'] = async ({ sessionId }, sink) => {
      await begun
      for (let seq = 0; seq < 9; seq += 3) {
        const events = [1, 2, 3].map((at) => ({ seq: seq + at })) as unknown as SessionEvent[] // the rest is not checked
        if (!sink.take(events)) await sink.drained()
      }
      ended.add(sessionId)
    }
    const { call, events } = open({ feed }, connection)
    const sessions: SessionId[] = []
    for (let count = 0; count < 3; count += 1) {
      const { result } = await call('session.start', { agent: 'hello' })
      await call('session.subscribe', { sessionId: result.sessionId })
      sessions.push(result.sessionId)
    }
    begin()
    await expect.poll(() => ended.size).toBe(3)
    expect(most).toBe(1)
    for (const sessionId of sessions) {
      const own = events().filter(({ params }) => params.sessionId === sessionId)
      expect(own.map(({ params }) => params.event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    }
    // No subscription waits until another one is done.
    const firsts = events().slice(0, 9)
    expect(new Set(firsts.map(({ params }) => params.sessionId)).size).toBe(3)
  })
})
