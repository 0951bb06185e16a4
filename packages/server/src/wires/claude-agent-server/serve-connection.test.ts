// A connection whose session is changed by others: its configuration, its budget, its pauses.
import { once } from 'node:events'
import { silentLogger } from '@quarterdeck/engine'
import { ApprovalId, type Principal, type SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type RunningServer, startServer } from '../../app/start-server.ts'
import { runtimeOptions, type Script } from '../../runtime/runtime.fixture.ts'
import type { Socket } from '../../transports/socket.ts'
import { readClientConfig } from './client-config.ts'
import { type OutFrame, openOriginalClient, type ReceivedSdkMessage } from './original-client.fixture.ts'
import { serveConnection } from './serve-connection.ts'

const script: Script = (input) => {
  switch (input) {
    case 'ask':
      return [
        { type: 'tool', name: 'Bash', input: { command: 'rm x' }, result: 'gone', toolUseId: 'toolu_rm' },
        { type: 'text', chunks: ['done'] },
      ]
    case 'broke':
      return [{ type: 'usage', input: 1, output: 1, costUsd: 1000 }]
    default:
      return [{ type: 'text', chunks: ['You said: ', input] }]
  }
}

let server: RunningServer
let compatUrl = ''

beforeAll(async () => {
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    runtime: await runtimeOptions(script),
    compatListeners: [{ wire: 'claude-agent-server', port: 0 }],
  })
  compatUrl = server.compatListeners[0]?.url ?? ''
})
afterAll(() => server.close())

it('creates a session from one configuration, even if another is posted meanwhile', async () => {
  const frames: OutFrame[] = []
  const over = new AbortController()
  const isOver = once(over.signal, 'abort')
  const said = { type: 'user', message: { role: 'user', content: 'list' } }
  const socket: Socket = {
    send: (text) => frames.push(JSON.parse(text)) > 0,
    drained: async () => {},
    async *frames() {
      yield { type: 'text', text: JSON.stringify({ type: 'user_message', data: said }) }
      await isOver
    },
    close: () => over.abort(),
    signal: over.signal,
  }
  const configs = [0, 1, 2, 3, 4].map((count) =>
    readClientConfig({ systemPrompt: `of ${count}`, includePartialMessages: count % 2 === 0, [`field${count}`]: 1 }),
  )
  let count = 0
  const { engine } = server.runtime
  const principal: Principal = { name: 'ana', owner: 'ana', scope: 'operator', requestsPerMinute: null }
  const served = serveConnection(socket, {
    principal,
    sessions: engine.sessionsOf(principal),
    joined: null,
    countChange: () => {},
    refuseNewWork: () => {},
    logger: silentLogger,
    loadAgent: () => engine.agents.load('hello'),
    config: () => configs[count++] ?? readClientConfig({}),
  })
  const received = () =>
    frames.flatMap(({ type, data }) => (type === 'sdk_message' ? [data as ReceivedSdkMessage] : []))
  await vi.waitFor(() => expect(received().at(-1)?.type).toBe('result'), { timeout: 30_000 })
  over.abort()
  await served
  const sessionId = received()[0]?.session_id as SessionId
  const [created] = (await engine.sessions.readEvents(sessionId, { limit: 1 })).events
  const used = Number(/of (\d)/.exec(JSON.stringify(created?.data))?.[1])
  const infos = frames.filter(({ type }) => type === 'info')
  expect(infos.at(-1)?.data).toContain(`field${used}`)
  expect(received().some(({ type }) => type === 'stream_event')).toBe(used % 2 === 0)
})

it('gets the result of a message without budget, and no report that it waits', async () => {
  const client = await openOriginalClient(compatUrl)
  client.say('broke')
  expect(await client.result()).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true })
  client.say('more')
  expect(await client.result(2)).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true })
  await client.processed()
  expect(client.ofType('error').map(({ error }) => error)).toEqual([])
  await client.close()
})

it('reports a message that waits for budget', async () => {
  const client = await openOriginalClient(compatUrl)
  client.say('one')
  const sessionId = (await client.result()).session_id as SessionId
  await server.runtime.engine.sessions.pause(sessionId, 'ana')
  client.say('broke')
  client.say('more')
  await client.processed()
  await server.runtime.engine.sessions.resume(sessionId, 'ana')
  expect(await client.result(2)).toMatchObject({ subtype: 'error_max_budget_usd' })
  await client.until(() => client.ofType('error').length === 3)
  const [, , last] = client.ofType('error')
  expect(last?.error).toMatch(/^the message is queued: .*budget/i)
  expect((await server.runtime.engine.sessions.listMessages(sessionId)).messages).toMatchObject([{ content: 'more' }])
  await client.close()
})

it('reports a queued message, and does not stop another one for it', async () => {
  const client = await openOriginalClient(compatUrl)
  client.say('one')
  const sessionId = (await client.result()).session_id as SessionId
  const { sessions } = server.runtime.engine
  await sessions.pause(sessionId, 'ana')
  client.say('two')
  await client.until(() => client.ofType('error').length > 0)
  expect(client.ofType('error')).toMatchObject([{ error: 'the message is queued: the session is paused (by ana)' }])
  client.send({ type: 'interrupt' })
  await client.processed()
  const [waiting] = (await sessions.listMessages(sessionId)).messages
  if (waiting === undefined) throw new Error('nothing waits')
  await sessions.cancelMessage(sessionId, waiting.messageId, 'ana')
  await sessions.resume(sessionId, 'ana')
  client.say('ask')
  await client.until(() => client.ofType('approval_request').length + client.results().length > 1)
  const approvalId = ApprovalId.parse(client.idOf('approval_request', 'approvalId'))
  await server.runtime.engine.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ana')
  expect(await client.result(2)).toMatchObject({ subtype: 'success', result: 'done' })
  await client.close()
})

it('counts every frame except interrupts against the rate, invalid ones too', async () => {
  let counted = 0
  const sent = ['{', 'null', '{"type":"unheard-of"}', '{"type":"interrupt"}']
  const socket: Socket = {
    send: () => true,
    drained: async () => {},
    async *frames() {
      for (const text of sent) yield { type: 'text', text }
      yield { type: 'binary' }
    },
    close: () => {},
    signal: new AbortController().signal,
  }
  const { engine } = server.runtime
  const principal: Principal = { name: 'ana', owner: 'ana', scope: 'operator', requestsPerMinute: null }
  await serveConnection(socket, {
    principal,
    sessions: engine.sessionsOf(principal),
    joined: null,
    logger: silentLogger,
    loadAgent: () => engine.agents.load('hello'),
    config: () => readClientConfig({}),
    refuseNewWork: () => {},
    countChange() {
      counted += 1
    },
  })
  expect(counted).toBe(4)
})
