// Load that one client may put on the chat socket without affecting others.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Client, createClient } from '@quarterdeck/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../app/start-server.ts'
import { runtimeOptions, type Script } from '../../runtime/runtime.fixture.ts'
import { openChat, textOf } from './chat-client.fixture.ts'

const script: Script = (input) => [{ type: 'text', chunks: input === 'long' ? longText : [`You said ${input}`] }]
const longText = Array.from({ length: 200 }, (_, index) => `${index} ${'word '.repeat(2000)}`)

let server: RunningServer
let client: Client
let url: string

beforeAll(async () => {
  const runtime = await runtimeOptions(script)
  server = await startServer({
    runtime,
    host: '127.0.0.1',
    port: 0,
    compatListeners: [{ wire: 'chat', port: 0 }],
    rateLimits: { requests: { perSecond: 1000, burst: 10_000 } },
  })
  url = `${server.compatListeners[0]?.url}/ws/chat`
  const token = (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()
  client = createClient({ baseUrl: server.url, token })
})
afterAll(() => server.close())

/** A socket on the main port with its own key. */
async function openWith(key: Parameters<Client['createKey']>[0], query = '?agent=hello') {
  const { token } = await client.createKey(key)
  return openChat(`${server.url}/ws/chat${query}`, { authorization: `Bearer ${token}` })
}

describe('the chat socket under pressure', () => {
  it('answers a flood of invalid frames one by one, soon with a rate limit, without affecting others', async () => {
    const [hostile, quiet] = [await openWith({ name: 'hostile' }), await openWith({ name: 'quiet' })]
    const frames = ['{', 'null', '[]', '{"message":7}', '{"type":"approval"}', '', '"', '{"type":"model_change"}']
    for (let round = 0; round < 2000; round += 1) hostile.send(frames[round % frames.length])
    quiet.send({ message: 'hi' })
    expect(textOf(await quiet.completed())).toBe('You said hi')
    await expect.poll(() => hostile.chunks.length, { timeout: 60_000 }).toBe(2001)
    expect(new Set(hostile.chunks.slice(1).map(({ type }) => type))).toEqual(new Set(['error']))
    expect(hostile.chunks.some(({ content }) => content.startsWith('Error: too many changes'))).toBe(true)
    await Promise.all([hostile.close(), quiet.close()])
  })

  it('counts all frames of a key against its rate, including invalid and forbidden ones', async () => {
    const { sessionId } = await client.createSession({ agent: 'hello' })
    const key = { name: 'looker', scope: 'viewer', owner: 'operator', requestsPerMinute: 4 } as const
    const chat = await openWith(key, `?sessionId=${sessionId}`)
    for (const frame of ['{', '{"message":"hi"}', '{"type":"approval","id":"apr_none0001","decision":"allow"}', '{']) {
      chat.send(frame)
    }
    await expect.poll(() => chat.chunks.length, { timeout: 60_000 }).toBe(5)
    expect(chat.chunks.slice(1).map(({ content }) => content)).toEqual([
      'Invalid JSON format. Expected: {"message": "your message"}',
      'Error processing message: a key with the scope "viewer" cannot start or change sessions; this needs admin, operator or agent',
      'Error: a key with the scope "viewer" cannot answer approvals and questions or change the model, mode and limits of sessions; this needs admin or operator',
      expect.stringMatching(
        /^Error: more than the 4 requests a minute of this key in a short time: try again in \d+ s$/,
      ),
    ])
    await chat.close()
  })

  it('limits the messages of a key, and reports it', async () => {
    const chat = await openWith({ name: 'eager' })
    for (let round = 0; round < 150; round += 1) chat.send({ message: '', type: 'interrupt' })
    await expect.poll(() => chat.chunks.length, { timeout: 60_000 }).toBe(151)
    expect(chat.chunks.some(({ content }) => content.includes('too many changes'))).toBe(true)
    await chat.close()
  })

  it('waits for a client that does not read, and delivers the whole text later', async () => {
    const chat = await openChat(url)
    await chat.next('connected')
    chat.send({ message: 'long' })
    await chat.until(({ type }) => type === 'text')
    chat.socket.pause()
    await new Promise((resolve) => setTimeout(resolve, 500))
    chat.socket.resume()
    await chat.completed()
    expect(textOf(chat.chunks)).toBe(longText.join(''))
    await chat.close()
  })

  it('leaks nothing when clients start a session each and leave', async () => {
    const { engine } = server.runtime
    const count = async () => (await engine.sessions.listSessions({ limit: 200 })).sessions.length
    const before = { sessions: await count(), sockets: openSockets() }
    const comeAndGo = async () => {
      const chats = await Promise.all(Array.from({ length: 50 }, () => openChat(url)))
      await Promise.all(chats.map((chat) => chat.next('connected')))
      for (const chat of chats) chat.socket.terminate()
      await expect.poll(() => engine.listenerCount(), { timeout: 60_000 }).toBe(0)
    }
    await comeAndGo()
    const settled = heapInUse()
    // A thousand clients that join: routes/mount-socket-route.test.ts.
    for (let round = 0; round < 5; round += 1) await comeAndGo()
    const countAfterAnother = async () => {
      const chat = await openChat(url)
      await chat.next('connected')
      await chat.close()
      return (await count()) - before.sessions
    }
    await expect.poll(countAfterAnother, { timeout: 60_000 }).toBeLessThanOrEqual(2)
    await expect.poll(openSockets, { timeout: 60_000 }).toBeLessThanOrEqual(before.sockets)
    expect(heapInUse() - settled).toBeLessThan(5 * 1024 * 1024)
  })
})

const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage().heapUsed
}
