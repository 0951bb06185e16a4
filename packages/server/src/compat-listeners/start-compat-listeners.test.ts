import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { startServer } from '../app/start-server.ts'
import { runtimeOptions } from '../runtime/runtime.fixture.ts'
import { agentFile, statusOfSocket, unsafe } from './compat-listeners.fixture.ts'

const patience = { timeout: 30_000 }

describe('a server with compatibility listeners', () => {
  async function start(
    files: Readonly<Record<string, string>>,
    compatListeners: NonNullable<Parameters<typeof startServer>[0]['compatListeners']>,
  ) {
    const runtime = await runtimeOptions([])
    for (const [name, text] of Object.entries(files))
      await writeFile(join(runtime.cwd, 'agents', `${name}.agent.yaml`), text)
    const paths = Object.keys(files).map((name) => join(runtime.cwd, 'agents', `${name}.agent.yaml`))
    const agentPaths = paths.length === 0 ? runtime.agentPaths : paths
    const started = await startServer({
      runtime: { ...runtime, agentPaths },
      host: '127.0.0.1',
      port: 0,
      compatListeners,
    })
    onTestFinished(() => started.close())
    return started
  }

  it('refuses to start when a requested port is taken, and names it', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void holder.close())
    await new Promise((resolve) => holder.once('listening', resolve))
    const address = holder.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(start({}, [{ wire: 'chat', port }])).rejects.toThrow(`--compat chat:PORT`)
  })

  it.each([
    ['an agent that is not there', { a: agentFile('a') }, { agent: 'b' }, 'there is no agent "b"'],
    [
      'more than one and none named',
      { a: agentFile('a'), b: agentFile('b') },
      {},
      'name the agent of the compatibility listener "chat"',
    ],
    ['one that may do anything', { a: agentFile('a', unsafe) }, {}, 'i_understand_this_is_unsafe'],
  ])('refuses to start for %s', async (...[, files, plan, words]) => {
    await expect(start(files, [{ wire: 'chat', port: 0, ...plan }])).rejects.toThrow(words)
  })

  it('opens a listener for an agent that may do anything if its file allows it explicitly', async () => {
    const meant = unsafe.replace('acceptAll,', 'acceptAll, i_understand_this_is_unsafe: true,')
    const { compatListeners } = await start({ a: agentFile('a', meant) }, [{ wire: 'chat', port: 0 }])
    expect(compatListeners).toMatchObject([{ agent: 'a' }])
  })

  it('accepts no new clients and no new work while it stops', async () => {
    const started = await start({}, [
      { wire: 'chat', port: 0 },
      { wire: 'claude-agent-server', port: 0 },
    ])
    const addresses = started.compatListeners.map(({ wire, url }) => `${url}${wire === 'chat' ? '/ws/chat' : '/ws'}`)
    const there = addresses.map((url) => new WebSocket(url.replace(/^http/, 'ws')))
    const received = there.map((socket) => {
      const texts: string[] = []
      socket.on('message', (data) => texts.push(String(data)))
      return texts
    })
    await expect.poll(() => received.every((texts) => texts.length === 1), patience).toBe(true)
    await started.drain(0)
    for (const url of addresses) expect(await statusOfSocket(url, {})).toBe(503)
    const userMessage = { type: 'user', message: { role: 'user', content: 'hi' } }
    for (const socket of there) socket.send(JSON.stringify({ message: 'hi', type: 'user_message', data: userMessage }))
    await expect
      .poll(() => received.map(([, second]) => second?.includes('shutting down')), patience)
      .toEqual([true, true])
  })

  it('closes them when it stops', async () => {
    const started = await start({}, [{ wire: 'chat', port: 0 }])
    const [compatClient] = started.compatListeners
    const socket = new WebSocket(`${compatClient?.url.replace(/^http/, 'ws')}/ws/chat`)
    await new Promise((resolve) => socket.once('message', resolve))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    await started.close()
    expect(await closed).toBe(1001)
    await expect(fetch(`${compatClient?.url}/health`)).rejects.toThrow()
  })
})
