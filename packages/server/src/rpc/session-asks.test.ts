import type { Principal } from '@quarterdeck/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'
import { operator } from '../auth/authenticate.ts'
import { createAppHost } from './create-app-host.ts'
import { openPeer, type PeerMessage } from './peer.fixture.ts'

const weather = { name: 'weather', description: 'The weather.', inputSchema: { type: 'object' } }

let testApp: TestApp
beforeAll(async () => {
  testApp = await openTestApp((input) => [
    input === 'list'
      ? { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: (given) => JSON.stringify(given) }
      : { type: 'tool', name: 'mcp__client__weather', input: { city: 'Oslo' }, result: 'unused' },
  ])
})
afterAll(() => testApp.close())

const peers = new Set<ReturnType<typeof openPeer>>()
afterEach(async () => {
  await Promise.all([...peers].map(({ peer }) => peer.close()))
  peers.clear()
})

function open(principal: Principal = operator) {
  const { sessionsOf } = testApp.runtime.engine
  const peer = openPeer(createAppHost({ app: testApp.app, caller: { principal, key: null }, sessionsOf }))
  peers.add(peer)
  return peer
}

type Peer = ReturnType<typeof open>

const answer = (peer: Peer, id: PeerMessage['id'], result: unknown) => peer.sendMessage({ jsonrpc: '2.0', id, result })
const asks = (peer: Peer) => peer.received().filter(({ id, method }) => id !== undefined && method !== undefined)
const cancelled = (peer: Peer) =>
  peer.received().flatMap((one) => (one.method === '$/cancelRequest' ? [one.params.id] : []))
const isEvent = (type: string) => (one: PeerMessage) => one.method === 'session.event' && one.params.event.type === type

async function startAsking(peer: Peer, message = 'list') {
  const client = message === 'list' ? {} : { client: { clientId: 'laptop', tools: [weather] } }
  const { result } = await peer.call('session.start', { agent: 'hello', message, ...client })
  return { sessionId: result.sessionId as string }
}

describe('approvals', () => {
  it('are requested from a peer that handles them, which may change the input', async () => {
    const peer = open()
    const { sessionId } = await startAsking(peer)
    await peer.call('session.subscribe', { sessionId, handles: ['approvals'] })
    const asked = await peer.until(({ method }) => method === 'approval.request')
    expect(asked.params).toMatchObject({ sessionId, toolName: 'Bash', toolInput: { command: 'ls' } })
    await answer(peer, asked.id, { decision: 'allow', input: { command: 'ls -a' } })
    const done = await peer.until(isEvent('ToolExecuted'))
    expect(done.params.event.data.output).toBe('{"command":"ls -a"}')
    expect(asks(peer)).toHaveLength(1)
    expect(cancelled(peer)).toEqual([])
  })

  it('that were open before are requested once, regardless of the cursor', async () => {
    const first = open()
    const { sessionId } = await startAsking(first)
    await first.call('session.subscribe', { sessionId })
    await first.until(isEvent('ApprovalRequested'))
    expect(asks(first)).toEqual([])
    const { result } = await first.call('session.get', { sessionId })
    for (const after of [0, result.session.seq]) {
      const late = open()
      await late.call('session.subscribe', { sessionId, after, handles: ['approvals'] })
      await late.until(({ method }) => method === 'approval.request')
      if (after === 0) await late.until(isEvent('ApprovalRequested'))
      expect(asks(late)).toHaveLength(1)
    }
  })

  it('are cancelled when decided elsewhere, and a late result is dropped', async () => {
    const [one, other] = [open(), open()]
    const { sessionId } = await startAsking(one)
    for (const peer of [one, other]) await peer.call('session.subscribe', { sessionId, handles: ['approvals'] })
    const asked = await one.until(({ method }) => method === 'approval.request')
    const elsewhere = await other.until(({ method }) => method === 'approval.request')
    await answer(one, asked.id, { decision: 'allow' })
    await other.until(({ method }) => method === '$/cancelRequest')
    expect(cancelled(other)).toEqual([elsewhere.id])
    const before = other.sent.length
    await answer(other, elsewhere.id, { decision: 'deny' })
    await other.peer.settled()
    expect(
      other
        .received()
        .slice(before)
        .filter(({ method }) => method !== 'session.event'),
    ).toEqual([])
  })

  it.each([
    ['allow', -32_602],
    [{ decision: 'perhaps' }, -32_602],
    [null, -32_602],
    [[1], -32_602],
  ])('stay open after an invalid result: %j', async (result, code) => {
    const peer = open()
    const { sessionId } = await startAsking(peer)
    await peer.call('session.subscribe', { sessionId, handles: ['approvals'] })
    const asked = await peer.until(({ method }) => method === 'approval.request')
    await answer(peer, asked.id, result)
    const received = await peer.until(({ method }) => method === 'request.refused')
    expect(received.params).toMatchObject({ id: asked.id, error: { code } })
    const { approvalId } = asked.params
    expect((await peer.call('session.approve', { approvalId, decision: 'deny' })).result).toMatchObject({ sessionId })
  })

  it('accept a corrected result under the same id, and are closed then', async () => {
    const peer = open()
    const { sessionId } = await startAsking(peer)
    await peer.call('session.subscribe', { sessionId, handles: ['approvals'] })
    const asked = await peer.until(({ method }) => method === 'approval.request')
    await answer(peer, asked.id, 'nonsense')
    await peer.until(({ method }) => method === 'request.refused')
    await answer(peer, asked.id, { decision: 'allow' })
    await peer.until(isEvent('ToolExecuted'))
    await answer(peer, asked.id, { decision: 'deny' })
    await peer.peer.settled()
    expect(peer.received().filter(({ method }) => method === 'request.refused')).toHaveLength(1)
    expect(cancelled(peer)).toEqual([])
  })

  it('stay open when the peer answers with an error', async () => {
    const peer = open()
    const { sessionId } = await startAsking(peer)
    await peer.call('session.subscribe', { sessionId, handles: ['approvals'] })
    const asked = await peer.until(({ method }) => method === 'approval.request')
    await peer.sendMessage({ jsonrpc: '2.0', id: asked.id, error: { code: 1, message: 'nobody is here' } })
    await peer.peer.settled()
    expect((await peer.call('session.get', { sessionId })).result.session.approvals).toHaveLength(1)
  })

  it.each(['viewer', 'agent'] as const)(
    'can be decided only with the permission to decide, not by a %s',
    async (scope) => {
      const peer = open()
      const { sessionId } = await startAsking(peer)
      const viewer = open({ ...operator, name: 'eve', scope })
      await viewer.call('session.subscribe', { sessionId, handles: ['approvals'] })
      const asked = await viewer.until(({ method }) => method === 'approval.request')
      await answer(viewer, asked.id, { decision: 'allow' })
      const received = await viewer.until(({ method }) => method === 'request.refused')
      expect(received.params.error).toMatchObject({ code: -32_000, data: { code: 'auth.forbidden' } })
      const { approvalId } = asked.params
      expect((await viewer.call('session.approve', { approvalId, decision: 'allow' })).error?.data).toMatchObject({
        code: 'auth.forbidden',
      })
    },
  )
})

describe('client tool calls', () => {
  it('are requested from the connection that attached the leader, and from no other', async () => {
    const [own, other] = [open(), open()]
    const { sessionId } = await startAsking(own, 'weather?')
    for (const peer of [other, own]) await peer.call('session.subscribe', { sessionId, handles: ['tools'] })
    const asked = await own.until(({ method }) => method === 'tool.call')
    expect(asked.params).toMatchObject({ toolInput: { city: 'Oslo' }, leader: 'laptop' })
    await answer(own, asked.id, { output: 'rain' })
    const done = await other.until(isEvent('ClientToolReturned'))
    expect(done.params.event.data).toMatchObject({ output: 'rain', isError: false })
    expect(asks(other)).toEqual([])
  })

  it('go to the next attached client when the leader has left', async () => {
    const [own, other] = [open(), open()]
    const { sessionId } = await startAsking(own, 'weather?')
    await own.call('session.subscribe', { sessionId, handles: ['tools'] })
    await own.until(({ method }) => method === 'tool.call')
    await other.call('session.subscribe', { sessionId, handles: ['tools'] })
    await other.call('session.attach', { sessionId, clientId: 'desk', tools: [weather] })
    expect(asks(other)).toEqual([])
    await own.call('session.detach', { sessionId, clientId: 'laptop' })
    const asked = await other.until(({ method }) => method === 'tool.call')
    await answer(other, asked.id, { output: 'snow' })
    await own.until(({ method }) => method === '$/cancelRequest')
  })
})

describe('a subscription', () => {
  it('starts after its answer, with every event after the cursor, once and in order', async () => {
    const peer = open()
    const { sessionId } = await startAsking(peer)
    await peer.call('session.subscribe', { sessionId, after: 1 })
    await peer.until(isEvent('ApprovalRequested'))
    const answered = peer.received().findIndex(({ result }) => result?.after === 1)
    const firstEvent = peer.received().findIndex(({ method }) => method === 'session.event')
    expect(answered).toBeLessThan(firstEvent)
    const seqs = peer.events().flatMap(({ params }) => params.event.seq ?? [])
    expect(seqs).toEqual(seqs.map((_, index) => index + 2))
  })

  it('is replaced by a second one, ended by unsubscribing, and leaks nothing', async () => {
    const { engine } = testApp.runtime
    const before = engine.listenerCount()
    const peer = open()
    const { result } = await peer.call('session.start', { agent: 'hello' })
    const { sessionId } = result
    for (const after of [0, 0]) await peer.call('session.subscribe', { sessionId, after })
    await expect.poll(() => peer.events().length).toBe(2)
    await expect.poll(() => engine.listenerCount()).toBe(before + 1)
    await peer.call('session.unsubscribe', { sessionId })
    await expect.poll(() => engine.listenerCount()).toBe(before)
    await peer.call('session.change', { sessionId, title: 'unheard' })
    expect(peer.events()).toHaveLength(2)
    await peer.call('session.subscribe', { sessionId })
    await peer.peer.close()
    await expect.poll(() => engine.listenerCount()).toBe(before)
  })

  it('is closed when it is ended at once', async () => {
    const { engine } = testApp.runtime
    const before = engine.listenerCount()
    const peer = open()
    const { sessionId } = (await peer.call('session.start', { agent: 'hello' })).result
    await peer.sendMessage({ jsonrpc: '2.0', id: 'sub', method: 'session.subscribe', params: { sessionId } })
    await peer.call('session.unsubscribe', { sessionId })
    expect(peer.received().some(({ id }) => id === 'sub')).toBe(true)
    await expect.poll(() => engine.listenerCount()).toBe(before)
    await peer.call('session.change', { sessionId, title: 'unheard' })
    await peer.peer.settled()
    expect(engine.listenerCount()).toBe(before)
  })

  it('reports why it ended', async () => {
    const { sessionsOf } = testApp.runtime.engine
    const host = createAppHost({ app: testApp.app, caller: { principal: operator, key: null }, sessionsOf })
    const peer = openPeer({ ...host, feed: () => Promise.reject(new Error('the disk is gone')) })
    const { result } = await peer.call('session.start', { agent: 'hello' })
    await peer.call('session.subscribe', { sessionId: result.sessionId })
    const ended = await peer.until(({ method }) => method === 'session.ended')
    expect(ended.params).toEqual({
      ...result,
      appliedSeq: undefined,
      code: 'internal',
      message: 'the events could not be read',
    })
  })
})
