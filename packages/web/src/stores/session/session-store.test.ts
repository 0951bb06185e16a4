import { draft, SessionId } from '@quarterdeck/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type LogServer, startLogServer } from '../testing/log-server.fixture.ts'
import { sessionId } from '../testing/logged-event.fixture.ts'
import {
  approvalRequested,
  messageDelivered,
  messageQueued,
  movedTo,
  sessionCreated,
  thought,
} from '../testing/sample-events.fixture.ts'
import { createSessionStore, type SessionStore } from './session-store.ts'

const patience = { timeout: 60_000, interval: 10 }
let server: LogServer
let store: SessionStore | undefined

beforeEach(async () => {
  server = await startLogServer()
  server.append(sessionCreated)
  server.append(messageQueued)
  server.append(messageDelivered)
})

afterEach(async () => {
  store?.dispose()
  store = undefined
  await server.close()
})

function open(): SessionStore {
  store = createSessionStore({ client: server.client, sessionId })
  return store
}

const texts = (from: SessionStore) =>
  from.getSnapshot().projection?.transcript.items.map((item) => ('text' in item ? item.text : item.type))

it('shows past events, then live ones', async () => {
  server.append(thought('Looking'))
  const opened = open()
  await vi.waitFor(() => expect(texts(opened)).toEqual(['user', 'Looking']), patience)
  expect(opened.getSnapshot()).toMatchObject({ connection: 'live', isReplaying: false, failure: null })

  server.append(thought('Found it', 'msg_2'))
  await vi.waitFor(() => expect(texts(opened)).toEqual(['user', 'Looking', 'Found it']), patience)
  expect(opened.getSnapshot().projection?.session.seq).toBe(5)
})

it('takes the session from its snapshot and never shows an older state during the replay', async () => {
  server.append({ type: 'AgentSessionStatusChanged', agent: null, data: { from: 'idle', to: 'running', reason: null } })
  const opened = open()
  const seen: (string | undefined)[] = []
  opened.subscribe(() => seen.push(opened.getSnapshot().projection?.session.status))
  await vi.waitFor(() => expect(opened.getSnapshot().isReplaying).toBe(false), patience)
  expect(new Set(seen)).toEqual(new Set(['running']))
})

it('streams text and replaces it with the final message', async () => {
  const opened = open()
  await vi.waitFor(() => expect(opened.getSnapshot().connection).toBe('live'), patience)
  await vi.waitFor(() => expect(opened.getSnapshot().isReplaying).toBe(false), patience)
  for (const text of ['Hel', 'lo']) {
    server.stream({ type: 'AgentStreamToken', agent: null, data: { text, messageId: 'msg_1', kind: 'text' } })
  }
  await vi.waitFor(() => expect(texts(opened)).toEqual(['user', 'Hello']), patience)
  expect(opened.getSnapshot().projection?.transcript.items.at(-1)).toMatchObject({ isStreaming: true, seq: null })

  server.append(thought('Hello'))
  await vi.waitFor(
    () => expect(opened.getSnapshot().projection?.transcript.items.at(-1)).toMatchObject({ seq: 4 }),
    patience,
  )
  expect(texts(opened)).toEqual(['user', 'Hello'])
})

it('reports the events missed during a disconnection, and shows every event once', async () => {
  const opened = open()
  await vi.waitFor(() => expect(opened.getSnapshot().isReplaying).toBe(false), patience)
  server.setUnreachable(true)
  server.cut()
  await vi.waitFor(() => expect(opened.getSnapshot().connection).toBe('reconnecting'), patience)
  server.append(thought('While you were away'))
  server.append(approvalRequested())
  server.setUnreachable(false)

  await vi.waitFor(() => expect(opened.getSnapshot().away).toEqual({ afterSeq: 3, events: 2, asks: 1 }), patience)
  await vi.waitFor(() => expect(texts(opened)).toEqual(['user', 'While you were away', 'approval']), patience)
})

it('reads the queue position from the snapshot, follows its changes, and reads it again after a reconnect', async () => {
  const positionInQueue = () => opened.getSnapshot().projection?.transient.queuePosition?.position
  server.queuePosition = { reason: 'process', position: 4, waiting: 5 }
  const opened = open()
  await vi.waitFor(() => expect(opened.getSnapshot().isReplaying).toBe(false), patience)
  expect(positionInQueue()).toBe(4)
  const queuePosition = { reason: 'process', position: 3, waiting: 5 }
  server.stream({ type: 'QueuePlaceChanged', agent: null, data: { queuePosition } })
  await vi.waitFor(() => expect(positionInQueue()).toBe(3), patience)
  server.queuePosition = null
  server.cut()
  await vi.waitFor(() => expect(opened.getSnapshot().projection?.transient.queuePosition).toBeNull(), patience)
})

it.each([
  [[draft('AgentSessionHibernated', { reason: 'idle' })], 1],
  [[], 0],
  [[draft('AgentSessionHibernated', { reason: 'idle' }), movedTo('completed')], 0],
])('wakes a hibernated session once, and no other session: %j', async (projection, times) => {
  const asked: string[] = []
  server.onChange = ({ path }) => {
    asked.push(path)
    return { status: 200, value: { sessionId, appliedSeq: 4 } }
  }
  for (const event of projection) server.append(event)
  const opened = open()
  await vi.waitFor(() => expect(opened.getSnapshot().isReplaying).toBe(false), patience)
  await vi.waitFor(() => expect(asked).toEqual(Array(times).fill(`/v1/sessions/${sessionId}/wake`)), patience)
})

it('reports an unknown session', async () => {
  store = createSessionStore({ client: server.client, sessionId: SessionId.parse('ses_000002') })
  const opened = store
  await vi.waitFor(() => expect(opened.getSnapshot().failure?.code).toBe('session.not-found'), patience)
})

it('waits for a server that is not reachable yet', async () => {
  server.setUnreachable(true)
  const opened = open()
  await vi.waitFor(() => expect(opened.getSnapshot().connection).toBe('reconnecting'), patience)
  server.setUnreachable(false)
  await vi.waitFor(() => expect(texts(opened)).toEqual(['user']), patience)
})

it('neither loses nor repeats events when an immediate reconnect is requested', async () => {
  const listeners = new Set<() => void>()
  store = createSessionStore({
    client: server.client,
    sessionId,
    onServerBack: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
  const opened = store
  await vi.waitFor(() => expect(opened.getSnapshot().isReplaying).toBe(false), patience)
  server.setUnreachable(true)
  server.cut()
  await vi.waitFor(() => expect(opened.getSnapshot().connection).toBe('reconnecting'), patience)
  server.append(thought('Meanwhile'))
  server.setUnreachable(false)
  for (const tell of listeners) tell()
  await vi.waitFor(() => expect(texts(opened)).toEqual(['user', 'Meanwhile']), patience)
  expect(opened.getSnapshot().projection?.seq).toBe(4)

  opened.dispose()
  expect(listeners.size).toBe(0)
})
