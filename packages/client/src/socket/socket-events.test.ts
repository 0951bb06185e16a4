import { isDurable, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { randomLog } from '../../../protocol/src/projections/sample-log.fixture.ts'
import { maxWaitingEvents } from './event-inbox.ts'
import type { SocketConnection } from './socket-connection.ts'
import { createSocketEvents } from './socket-events.ts'

const sessionId = SessionId.parse('ses_00000001')
const [sample] = randomLog(11, 50).filter(isDurable)
const log = Array.from({ length: 3500 }, (_, index) => ({ ...sample, seq: index + 1 }))

/** Sends everything as soon as a client subscribes, and stops when the client unsubscribes. */
function openServer() {
  const calls: string[] = []
  const events = createSocketEvents({
    connect: async () => connection,
    subscriptionOptions: () => ({ handles: [] }),
    isClosed: () => false,
  })
  let isStopped = false
  let refusal: QuarterdeckError | null = null
  const connection: SocketConnection = {
    opened: Promise.resolve(),
    isOver: () => false,
    send: () => undefined,
    close: () => undefined,
    async call(method, params, onResult) {
      calls.push(method)
      isStopped = method === 'session.unsubscribe'
      const refused = refusal
      if (refused !== null && method === 'session.subscribe') {
        refusal = null
        throw refused
      }
      const { after } = { after: 0, ...params }
      onResult?.()
      if (method !== 'session.subscribe') return {}
      // Some events are already in transit when the client unsubscribes.
      let late = 5
      for (const event of log.slice(after)) {
        if (isStopped && late-- === 0) break
        events.onNotification({ method: 'session.event', params: { sessionId, event } })
      }
      return {}
    },
  }
  const refuseNext = (error: QuarterdeckError) => {
    refusal = error
  }
  return { events, calls, refuseNext }
}

it('buffers a bounded number of events for a slow reader, and subscribes again for the others', async () => {
  const { events, calls } = openServer()
  const stop = new AbortController()
  const seqs: number[] = []
  const statuses: string[] = []
  const options = { signal: stop.signal, onStatus: (status: string) => statuses.push(status) }
  for await (const event of events.follow(sessionId, options)) {
    if (isDurable(event)) seqs.push(event.seq)
    if (seqs.length === log.length) stop.abort()
  }
  expect(seqs).toEqual(log.map(({ seq }) => seq))
  const rounds = Math.ceil(log.length / maxWaitingEvents)
  expect(calls.filter((method) => method === 'session.subscribe')).toHaveLength(rounds)
  expect(statuses).toEqual(['connecting', 'live'])
})

it('ends with the reason that the server gives', async () => {
  const { events } = openServer()
  const following = events.follow(sessionId, {})
  await following.next()
  const params = { sessionId, code: 'session.not-found', message: 'it was deleted' }
  events.onNotification({ method: 'session.ended', params })
  const rest = (async () => {
    for await (const _ of following);
  })()
  await expect(rest).rejects.toMatchObject({ code: 'session.not-found', message: 'it was deleted' })
})

it('ends the first follow when the same client follows the session again', async () => {
  const { events } = openServer()
  const first = events.follow(sessionId, {})
  await first.next()
  const second = events.follow(sessionId, {})
  await second.next()
  const rest = (async () => {
    for await (const _ of first);
  })()
  await expect(rest).rejects.toMatchObject({ code: 'request.invalid' })
  await second.return(undefined)
})

it.each(['server.unreachable', 'request.rate-limited'] as const)(
  'resumes with its cursor when a subscription fails temporarily: %s',
  async (code) => {
    const { events, calls, refuseNext } = openServer()
    const stop = new AbortController()
    const seqs: number[] = []
    const backoff = { next: () => 0, reset: () => undefined }
    for await (const event of events.follow(sessionId, { signal: stop.signal, backoff })) {
      if (isDurable(event)) seqs.push(event.seq)
      if (seqs.length === 10) refuseNext(new QuarterdeckError(code, 'not now'))
      if (seqs.length === log.length) stop.abort()
    }
    expect(seqs).toEqual(log.map(({ seq }) => seq))
    const rounds = Math.ceil(log.length / maxWaitingEvents)
    expect(calls.filter((method) => method === 'session.subscribe')).toHaveLength(rounds + 1)
  },
)
