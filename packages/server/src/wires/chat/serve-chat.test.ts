import { type SessionService, silentLogger } from '@quarterdeck/engine'
import { modelCatalog, type Principal, QuarterdeckError, type SessionState } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../app/app.fixture.ts'
import { createIdempotency } from '../../middleware/idempotency.ts'
import { createBackgroundWork } from '../../runtime/background-work.ts'
import type { Socket } from '../../transports/socket.ts'
import { defaultStreamTiming } from '../../transports/stream-deps.ts'
import type { WireDeps } from '../wire.ts'
import type { Chunk } from './chat-client.fixture.ts'
import { createEmptySessions, type EmptySessions } from './empty-sessions.ts'
import { serveChat } from './serve-chat.ts'

const principal: Principal = { name: 'desk', owner: 'desk', scope: 'operator', requestsPerMinute: null }

let app: TestApp
let sessions: SessionService
beforeAll(async () => {
  app = await openTestApp()
  sessions = app.runtime.engine.sessionsOf(principal)
})
afterAll(() => app.close())

/** Sends nothing, and disconnects after the greeting. */
function passerBy() {
  const received: Chunk[] = []
  const gone = new AbortController()
  const socket: Socket = {
    send: (text) => received.push(JSON.parse(text)) > 0,
    drained: async () => undefined,
    async *frames() {
      gone.abort()
      yield* []
    },
    close: () => undefined,
    signal: gone.signal,
  }
  return { received, socket }
}

interface Visit {
  readonly empty: EmptySessions
  readonly joins?: SessionState
  readonly sessionService?: SessionService
  readonly models?: WireDeps['models']
}

/** All chunks of the client, after it has disconnected. */
async function visit({
  empty,
  joins,
  sessionService = sessions,
  models = async () => [],
}: Visit): Promise<readonly Chunk[]> {
  const { received, socket } = passerBy()
  const closing = new AbortController()
  await serveChat(
    socket,
    { principal, sessions: sessionService, agent: 'hello', joins: joins ?? null, empty },
    {
      sessionsOf: app.runtime.engine.sessionsOf,
      keys: app.runtime.engine.keys,
      agents: app.runtime.engine.agents,
      catalog: modelCatalog,
      models,
      version: '0',
      now: Date.now,
      isDraining: () => false,
      openMeter: () => () => undefined,
      agent: 'hello',
      timing: defaultStreamTiming,
      closing: closing.signal,
      logger: silentLogger,
      sign: () => 'none',
      keyWatch: { watch: () => ({ revoked: closing.signal, release: () => undefined }) },
      idempotency: createIdempotency(app.runtime.engine.replies),
      background: createBackgroundWork(),
    },
  )
  return received
}

const unavailable = () => Promise.reject(new QuarterdeckError('store.unavailable', 'the disk is full'))
const ids = async () => (await sessions.listSessions({ limit: 200 })).sessions.map(({ sessionId }) => sessionId)

describe('an empty session without a client', () => {
  const leftBehind = async (empty: EmptySessions) => {
    await visit({ empty })
    const [sessionId] = await ids()
    if (sessionId === undefined) throw new Error('nothing was started')
    return sessionId
  }

  it('is kept when a client joins during the check, and deleted after it has left', async () => {
    const empty = createEmptySessions()
    const sessionId = await leftBehind(empty)
    let leave: () => void = () => undefined
    const snapshot: SessionService['getSession'] = (id) => {
      leave = empty.joined(id)
      return sessions.getSession(id)
    }
    await empty.sweep(principal, { ...sessions, getSession: snapshot })
    expect(await ids()).toContain(sessionId)
    leave()
    await empty.sweep(principal, sessions)
    expect(await ids()).not.toContain(sessionId)
  })

  it('is checked again after a failure of the store, and by one of many concurrent connections', async () => {
    const empty = createEmptySessions()
    const sessionId = await leftBehind(empty)
    await empty.sweep(principal, { ...sessions, deleteSession: unavailable })
    expect(await ids()).toContain(sessionId)
    let removals = 0
    const remove: SessionService['deleteSession'] = (id, by) => {
      removals += 1
      return sessions.deleteSession(id, by)
    }
    await Promise.all(Array.from({ length: 5 }, () => empty.sweep(principal, { ...sessions, deleteSession: remove })))
    expect(await ids()).not.toContain(sessionId)
    expect(removals).toBe(1)
  })
})

describe('a client whose greeting fails', () => {
  it('leaves no undeletable session behind', async () => {
    const empty = createEmptySessions()
    const before = await ids()
    const received = await visit({ empty, sessionService: { ...sessions, getSession: unavailable } })
    expect(received).toMatchObject([{ type: 'error', content: 'Error: the disk is full' }])
    const [started] = (await ids()).filter((id) => !before.includes(id))
    expect(started).toBeDefined()
    await visit({ empty })
    expect(await ids()).not.toContain(started)
  })

  it('that joined an empty session leaves it to be deleted as before', async () => {
    const empty = createEmptySessions()
    const [connected] = await visit({ empty })
    const [sessionId] = await ids()
    if (sessionId === undefined || connected?.metadata?.session_id !== sessionId) throw new Error('nothing was started')
    const { session } = await sessions.getSession(sessionId)
    expect(await visit({ empty, joins: session, models: unavailable })).toMatchObject([{ type: 'error' }])
    expect(await ids()).toContain(sessionId)
    await visit({ empty })
    expect(await ids()).not.toContain(sessionId)
  })
})
