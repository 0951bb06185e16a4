// Arbitrary frames get an error in the form of this protocol, or nothing; the connection and all others stay open.
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../app/start-server.ts'
import { runtimeOptions } from '../../runtime/runtime.fixture.ts'
import { type OriginalClient, openOriginalClient } from './original-client.fixture.ts'
import { oneOf, type Random, randomFrom, randomJson, randomObject } from './random-json.fixture.ts'

let server: RunningServer
let compatUrl = ''

beforeAll(async () => {
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    runtime: await runtimeOptions(),
    compatListeners: [{ wire: 'claude-agent-server', port: 0 }],
  })
  compatUrl = server.compatListeners[0]?.url ?? ''
})
afterAll(() => server.close())

/** The connection still answers. */
async function answers(client: OriginalClient): Promise<void> {
  const before = client.results().length
  client.say('still there?')
  expect(await client.result(before + 1)).toMatchObject({ subtype: 'success', result: 'You said: still there?' })
}

const expectErrors = (client: OriginalClient, count: number) => {
  const errors = client.ofType('error')
  expect(errors).toHaveLength(count)
  for (const { error, data } of errors) {
    expect(error).toMatch(/^Invalid message format: ./)
    expect(data).toBe(error)
  }
}

it('reports what is wrong with an unreadable frame', async () => {
  const client = await openOriginalClient(compatUrl)
  const user = (change: object) => ({ type: 'user', message: { role: 'user', content: 'hi' }, ...change })
  const broken = [
    ...['', '{', 'null', '[]', '7', '"user_message"', '{}', '{"type":7}', `${'['.repeat(200)}${']'.repeat(200)}`],
    ...['{"type":"user_message"}', '{"type":"user_message","data":"hi"}', '{"type":"approval_response","data":{}}'],
    ...[
      user({ type: 'assistant' }),
      user({ message: null }),
      user({ message: { role: 'system', content: 'hi' } }),
      user({ message: { role: 'user', content: '' } }),
      user({ message: { role: 'user', content: [] } }),
      user({ message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] } }),
      user({ message: { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://x' } }] } }),
      user({ message: { role: 'user', content: 'x'.repeat(200_001) } }),
      user({ parent_tool_use_id: 'toolu_1' }),
    ].map((data) => JSON.stringify({ type: 'user_message', data })),
  ]
  for (const text of broken) client.ws.send(text)
  client.ws.send(Buffer.from('{"type":"interrupt"}'), { binary: true })
  client.ws.send(`{"type":"x","data":"${'x'.repeat(8 * 1024 * 1024)}"}`)
  await answers(client)
  expectErrors(client, broken.length + 2)
  await client.close()
})

it('ignores unknown types', async () => {
  const client = await openOriginalClient(compatUrl)
  for (const type of ['', 'ping', '__proto__', 'user_message ', 'constructor']) client.send({ type, data: { a: 1 } })
  await answers(client)
  expect(client.ofType('error')).toEqual([])
  await client.close()
})

it('survives arbitrary frames without affecting other clients', async () => {
  const [other, client] = [await openOriginalClient(compatUrl), await openOriginalClient(compatUrl)]
  const names = ['type', 'data', 'message', 'role', 'content', 'text', 'source', 'approvalId', 'decision'] as const
  for (let seed = 0; seed < 400; seed += 1) {
    const random = randomFrom(seed)
    client.ws.send(cutOff(random, JSON.stringify(frameLike(random, [...names]))))
  }
  await answers(other)
  await client.until(() => client.ofType('error').length > 200)
  for (const { error, data } of client.ofType('error')) {
    expect(error).toMatch(/^(Invalid message format: .|too many changes)/)
    expect(data).toBe(error)
  }
  expect(client.ofType('error').some(({ error }) => error?.startsWith('too many'))).toBe(true)
  await Promise.all([client.close(), other.close()])
})

function frameLike(random: Random, names: [string, ...string[]]): unknown {
  const type = oneOf(random, ['user_message', 'approval_response', 'question_response', 'x'])
  return random() < 0.3 ? randomJson(random, names) : { type, data: randomObject(random, names) }
}

const cutOff = (random: Random, text: string): string =>
  random() < 0.2 ? text.slice(0, Math.floor(random() * text.length)) : text

it('closes only the connection whose frame is far too large', async () => {
  const [other, client] = [await openOriginalClient(compatUrl), await openOriginalClient(compatUrl)]
  client.ws.send('x'.repeat(10 * 1024 * 1024))
  const [code] = await once(client.ws, 'close')
  expect(code).toBe(1009)
  await answers(other)
  await other.close()
})

it('leaks no listeners when clients connect and disconnect', async () => {
  const before = server.runtime.engine.listenerCount()
  for (let round = 0; round < 5; round += 1) {
    const clients = await Promise.all([1, 2, 3].map(() => openOriginalClient(compatUrl)))
    await Promise.all(clients.map(answers))
    await Promise.all(clients.map((client) => client.close()))
  }
  await expect.poll(() => server.runtime.engine.listenerCount()).toBe(before)
})

it('limits a flood of messages with an error', async () => {
  const client = await openOriginalClient(compatUrl)
  for (let count = 0; count < 300; count += 1) client.say('flood')
  await client.until(() => client.ofType('error').length > 0)
  expect(client.ofType('error')[0]?.error).toMatch(/in a short time|messages are already queued/)
  await client.close()
})
