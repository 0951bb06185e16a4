// A sidecar and a server: the one it forwards to, and one that runs on its data folder.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isQuarterdeckError } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bash, say } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { ended, idle, openHost, openTestHost, startSession, typesOf } from './sidecar-host.fixture.ts'

describe('quarterdeck sidecar --connect', () => {
  it('forwards to a server with the same methods and events, and the server keeps the session', async () => {
    const testServer = await openTestServer([[bash('ls'), say('there')]])
    const { terminal } = await testServer.openTerminal()
    const host = await openHost({ cwd: terminal.cwd, flags: { connect: testServer.url } })
    expect(await host.find(({ method }) => method === 'server.ready')).toMatchObject({
      params: { server: testServer.url },
    })
    const sessionId = await startSession(host, { message: 'go' }, ['approvals'])
    const request = await host.asked('approval.request')
    host.write({ jsonrpc: '2.0', id: request.id, result: { decision: 'allow' } })
    await idle(host)
    expect(ended(host)).toMatchObject([{ data: { result: { response: 'there' } } }])
    const refused = await host.call('session.interrupt', { sessionId })
    expect(refused.error).toMatchObject({ code: -32_000, data: { code: 'session.not-running' } })
    const wrong = await host.call('session.message', { sessionId, content: '' })
    expect(wrong.error).toMatchObject({ code: -32_602, message: expect.stringContaining('params.content') })
    expect(await host.end()).toBe(0)
    expect((await testServer.sessions.listSessions({})).sessions).toMatchObject([{ sessionId, status: 'idle' }])
  })

  it('answers open requests when it is stopped', async () => {
    const testServer = await openTestServer([])
    const { terminal } = await testServer.openTerminal()
    const { url, asked, letGo } = await openSlowServer(testServer.url)
    const host = await openHost({ cwd: terminal.cwd, flags: { connect: url, tokenFile: '.quarterdeck/token' } })
    await host.find(({ method }) => method === 'server.ready')
    host.write({ jsonrpc: '2.0', id: 'last', method: 'agent.list' })
    await asked
    host.signal()
    await sleep(50)
    letGo()
    expect(await host.running).toBe(0)
    expect(await host.find(({ id }) => id === 'last')).toMatchObject({ result: { agents: expect.any(Array) } })
  })

  it('sends a key from a file', async () => {
    const testServer = await openTestServer([])
    const { terminal } = await testServer.openTerminal()
    const tokenFile = join(terminal.cwd, '.quarterdeck', 'token')
    expect((await readFile(tokenFile, 'utf8')).length).toBeGreaterThan(20)
    const host = await openHost({ flags: { connect: testServer.url, tokenFile } })
    expect((await host.call('server.info')).result).toBeDefined()
    expect(await host.end()).toBe(0)
  })

  it.each([
    [{ connect: 'nonsense' }, 'request.invalid'],
    [{ connect: 'http://127.0.0.1:1' }, 'server.unreachable'],
    [{ connect: 'http://127.0.0.1:1', modelSource: 'simulator' } as const, 'request.invalid'],
    [{ connect: 'http://127.0.0.1:1', tokenFile: 'no-such-file' }, 'config.unreadable'],
    [{ tokenFile: 'token' }, 'request.invalid'],
  ])('refuses %j before it is ready', async (flags, code) => {
    const host = await openTestHost({ flags, env: { QUARTERDECK_TOKEN: 'made-up' } })
    await expect(host.running).rejects.toSatisfy((error) => isQuarterdeckError(error) && error.code === code)
    expect(host.messages).toEqual([])
  })
})

it('reports that a server runs on its data folder and that its sessions belong to that server', async () => {
  const testServer = await openTestServer([[{ type: 'stall', chunks: ['well '] }]])
  const { terminal } = await testServer.openTerminal()
  const host = await openHost({ cwd: terminal.cwd, script: [] })
  await host.find(({ method }) => method === 'server.ready')
  expect(host.stderr()).toContain(`quarterdeck sidecar --connect ${testServer.url}`)
  const { sessionId } = await testServer.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await host.call('session.subscribe', { sessionId })
  await expect.poll(() => typesOf(host)).toContain('TurnStarted')
  const refused = await host.call('session.message', { sessionId, content: 'me too' })
  expect(refused.error).toMatchObject({ code: -32_000, data: { code: 'session.held-elsewhere' } })
})

/** The server, with a delay for requests to /v1/agents. */
async function openSlowServer(baseUrl: string) {
  let letGo: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let notify: () => void = () => undefined
  const asked = new Promise<void>((resolve) => {
    notify = resolve
  })
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers
    if (request.url?.startsWith('/v1/agents') === true) {
      notify()
      await gate
    }
    const answer = await fetch(`${baseUrl}${request.url}`, { headers: { authorization } })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    letGo()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port, not on a path
  return { url: `http://127.0.0.1:${port}`, asked, letGo }
}
