import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { draft, type SessionId } from '@quarterdeck/protocol'
import { afterEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import { created } from '../sessions/rules/given-session.fixture.ts'
import type { OutboxStore } from '../store/ports/outbox-store.ts'
import { openTestStore } from '../testing/test-store.fixture.ts'
import { createWebhookWorker, type Webhook, type WebhookWorkerOptions } from './webhook-worker.ts'

const sessionId = 'ses_webhooks' as SessionId // a literal that matches the id's shape
const closers: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers with these statuses in order, then with 204. */
async function openReceiver(...statuses: number[]) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    response.writeHead(statuses.shift() ?? 204, { location: 'http://127.0.0.1:1/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo // a listening server has a port
  return { received, url: `http://127.0.0.1:${port}/hook` }
}

function start(store: OutboxStore, webhooks: readonly Webhook[], more: Partial<WebhookWorkerOptions> = {}) {
  const worker = createWebhookWorker({
    webhooks,
    store,
    clock: { now: () => new Date() },
    logger: silentLogger,
    pollMs: 5,
    firstRetryMs: 5,
    ...more,
  })
  closers.push(worker.close)
  worker.start()
  return worker
}

const failed = draft('AgentSessionFailed', { errors: ['the secret reason'], reason: 'the secret reason' })

it('posts a signed delivery with the event and its session, but no content', async () => {
  const { received, url } = await openReceiver()
  const store = await openTestStore()
  start(store, [{ id: 'ops', url, secret: 'shared', events: ['AgentSessionFailed'] }])
  await store.append(sessionId, 0, [created(), failed])
  await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 30_000 })
  const [{ headers, body } = { headers: {}, body: '' }] = received
  expect(JSON.parse(body)).toMatchObject({ type: 'AgentSessionFailed', sessionId, seq: 2 })
  expect(body).not.toContain('secret reason')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const expected = createHmac('sha256', 'shared').update(signed).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${expected}`)
})

it('retries with the same id until the receiver accepts it, then stops', async () => {
  const { received, url } = await openReceiver(500, 302, 429)
  const store = await openTestStore()
  start(store, [{ id: 'ops', url, secret: 's', events: ['AgentSessionFailed'] }])
  await store.append(sessionId, 0, [created(), failed])
  await vi.waitFor(() => expect(received).toHaveLength(4), { timeout: 30_000 })
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await store.append(sessionId, 2, [failed])
  await vi.waitFor(() => expect(received).toHaveLength(5), { timeout: 30_000 })
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
})

it('delivers entries of the outbox after a restart', async () => {
  const { received, url } = await openReceiver()
  const store = await openTestStore()
  const hook: Webhook = { id: 'ops', url, secret: 's', events: ['AgentSessionFailed'] }
  store.setWebhooks([hook])
  await store.append(sessionId, 0, [created(), failed])
  expect(received).toHaveLength(0)
  start(store, [hook])
  await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 30_000 })
})

it('gives up on a webhook that is no longer configured', async () => {
  const store = await openTestStore()
  store.setWebhooks([{ id: 'gone', events: ['AgentSessionFailed'] }])
  await store.append(sessionId, 0, [created(), failed])
  const { url } = await openReceiver()
  start(store, [{ id: 'ops', url, secret: 's', events: [] }])
  const later = new Date(Date.now() + 1e9).toISOString()
  await vi.waitFor(async () => expect(await store.dueDeliveries('gone', later, 10)).toHaveLength(0), {
    timeout: 30_000,
  })
})

it('does not post twice when an outcome cannot be stored, and logs the delivery', async () => {
  const { received, url } = await openReceiver()
  const store = await openTestStore()
  const refused: string[] = []
  const loggedErrors: unknown[] = []
  const failing: OutboxStore = {
    ...store,
    async settleDelivery(id, outcome) {
      if (refused.length < 3) {
        refused.push(id)
        throw new Error('the disk is full')
      }
      await store.settleDelivery(id, outcome)
    },
  }
  const logger = { ...silentLogger, error: (facts: object) => void loggedErrors.push(facts) }
  start(failing, [{ id: 'ops', url, secret: 's', events: ['AgentSessionFailed'] }], { logger })
  await store.append(sessionId, 0, [created(), failed, failed, failed])
  const later = new Date(Date.now() + 1e9).toISOString()
  await vi.waitFor(async () => expect(await store.dueDeliveries('ops', later, 10)).toHaveLength(0), { timeout: 30_000 })
  expect(received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(
    [...new Set(received.map(({ headers }) => headers['webhook-id']))].toSorted(),
  )
  expect(received).toHaveLength(3)
  expect(loggedErrors).toMatchObject(refused.map((delivery) => ({ delivery })))
})

it('is not blocked by a receiver that does not answer, even on close', async () => {
  const deaf = createServer(() => undefined)
  await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    deaf.closeAllConnections()
    deaf.close()
  })
  const { port } = deaf.address() as AddressInfo // a listening server has a port
  const { received, url } = await openReceiver()
  const store = await openTestStore()
  const events = ['AgentSessionFailed'] as const
  const worker = start(
    store,
    [
      { id: 'deaf', url: `http://127.0.0.1:${port}/`, secret: 's', events },
      { id: 'ops', url, secret: 's', events },
    ],
    { timeoutMs: 600_000 },
  )
  const many = Array.from({ length: 300 }, () => failed)
  await store.append(sessionId, 0, [created(), ...many])
  await vi.waitFor(() => expect(received).toHaveLength(many.length), { timeout: 30_000 })
  await worker.close()
  const later = new Date(Date.now() + 1e9).toISOString()
  const left = await store.dueDeliveries('deaf', later, 1000)
  expect(left.map(({ webhookId, attempts }) => `${webhookId} ${attempts}`)).toEqual(many.map(() => 'deaf 0'))
})
