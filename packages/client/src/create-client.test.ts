import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApprovalId, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import { afterEach, expect, it } from 'vitest'
import { type ChangeOptions, type Client, createClient } from './create-client.ts'

const sessionId = SessionId.parse('ses_00000001')
const approvalId = ApprovalId.parse('apr_00000001')
const applied = JSON.stringify({ sessionId, appliedSeq: 1, messageId: 'umsg_00000001' })

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serve(answer: RequestListener): Promise<Client> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listening on TCP, so it has a port
  return createClient({ baseUrl: `http://127.0.0.1:${port}` })
}

const changes: readonly (readonly [string, (client: Client, options?: ChangeOptions) => Promise<unknown>])[] = [
  ['createSession', (client, options) => client.createSession({ agent: 'hello' }, options)],
  ['sendMessage', (client, options) => client.sendMessage(sessionId, { content: 'hi' }, options)],
  ['interrupt', (client, options) => client.interrupt(sessionId, options)],
  ['cancel', (client, options) => client.cancel(sessionId, options)],
  ['close', (client, options) => client.close(sessionId, options)],
  ['decideApproval', (client, options) => client.decideApproval(approvalId, { decision: 'allow' }, options)],
]

it.each(changes)('%s sends the given key, and a new key for each call without one', async (_, change) => {
  const keys: unknown[] = []
  const client = await serve((request, response) => {
    keys.push(request.headers['idempotency-key'])
    response.end(applied)
  })
  await change(client, { key: 'one-press' })
  await change(client, { key: 'one-press' })
  await change(client)
  await change(client)
  expect(keys.slice(0, 2)).toEqual(['one-press', 'one-press'])
  expect(new Set(keys).size).toBe(3)
})

it('createKey sends no key: the server refuses one', async () => {
  const keys: unknown[] = []
  const client = await serve((request, response) => {
    keys.push(request.headers['idempotency-key'])
    response.end('{}')
  })
  await expect(client.createKey({ name: 'ana' })).rejects.toThrow('cannot be read')
  expect(keys).toEqual([undefined])
})

it.each(changes)('%s can be aborted and rejects with the reason of the abort', async (_, change) => {
  const gaveUp = new Error('the person left')
  const controller = new AbortController()
  const client = await serve(() => controller.abort(gaveUp))
  await expect(change(client, { signal: controller.signal })).rejects.toBe(gaveUp)
})

it('treats a truncated answer as no answer', async () => {
  const client = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write(applied.slice(0, 10), () => response.destroy())
  })
  await expect(client.close(sessionId)).rejects.toMatchObject({ code: 'server.unreachable' })
})

it('names the status of an answer without an explanation', async () => {
  const client = await serve((_, response) => response.writeHead(502).end('<html>'))
  await expect(client.close(sessionId)).rejects.toThrow(/502/)
})

it('keeps the message of a refusal whose code only newer servers know', async () => {
  const problem = { type: 'x', title: 'Newer', status: 409, code: 'session.asleep', detail: 'wake the session first' }
  const client = await serve((_, response) => response.writeHead(409).end(JSON.stringify(problem)))
  await expect(client.close(sessionId)).rejects.toMatchObject({
    code: 'request.invalid',
    message: 'wake the session first',
    facts: { foreignCode: 'session.asleep' },
  })
})

it.each(['<html>welcome to the hotel</html>', '{"sessionId":7}'])(
  'names the address of an answer that cannot be read: %s',
  async (text) => {
    const client = await serve((_, response) => response.end(text))
    const failure: unknown = await client.close(sessionId).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(QuarterdeckError)
    expect(failure).toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/^the answer of http:\/\/127\.0\.0\.1:\d+ to POST .*\/close cannot be read/),
    })
  },
)
