import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '@quarterdeck/engine'
import { isQuarterdeckError, SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bash, type Script, say, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { type HostOptions, openTestHost, type TestHost } from './sidecar-host.fixture.ts'

async function open(options: HostOptions = {}): Promise<TestHost> {
  const host = await openTestHost(options)
  onTestFinished(async () => {
    host.read()
    host.stdin.end()
    await host.running.catch(() => undefined)
  })
  return host
}

async function startSession(host: TestHost, params: object = {}, handles: readonly string[] = []): Promise<string> {
  const { result, error } = await host.call('session.start', { agent: 'tester', ...params })
  expect(error).toBeUndefined()
  const sessionId = String((result as { sessionId?: string } | undefined)?.sessionId)
  expect((await host.call('session.subscribe', { sessionId, handles })).error).toBeUndefined()
  return sessionId
}

const typesOf = (host: TestHost) => host.events().map(({ type }) => type)
const ended = (host: TestHost) => host.events().filter(({ type }) => type === 'TurnEnded')
/** Streamed deltas come last. */
const streams = (host: TestHost) => expect.poll(() => typesOf(host).at(-1)).toMatch(/^AgentStream/)
const idle = (host: TestHost) => expect.poll(() => host.events().at(-1)).toMatchObject({ data: { to: 'idle' } })

describe('quarterdeck sidecar', () => {
  it('reports that it is ready, takes a message, streams the answer, closes the session, and ends with its input', async () => {
    const host = await open({ script: [[say('Good ', 'day.')]] })
    const ready = await host.find(({ method }) => method === 'server.ready')
    expect(host.messages[0]).toBe(ready)
    expect(ready).toMatchObject({
      jsonrpc: '2.0',
      params: { protocol: 2, version: expect.any(String), pid: process.pid, server: null },
    })
    const sessionId = await startSession(host)
    const sent = await host.call('session.message', { sessionId, content: 'hello' })
    expect(sent.result).toMatchObject({ sessionId, messageId: expect.stringMatching(/^umsg_/) })
    await idle(host)
    expect(ended(host)).toMatchObject([{ data: { outcome: 'completed', result: { response: 'Good day.' } } }])
    expect(typesOf(host)).toContain('AgentThought')
    expect((await host.call('session.close', { sessionId })).result).toMatchObject({ sessionId })
    expect((await host.call('session.get', { sessionId })).result).toMatchObject({ session: { status: 'completed' } })
    expect(await host.end()).toBe(0)
    expect(host.handlers()).toBe(0)
  })

  it('exits with 0 and writes nothing to stderr when its input is closed from the start', async () => {
    const host = await open()
    expect(await host.end()).toBe(0)
    expect(host.stderr()).not.toMatch(/error|destroyed/)
    expect(host.messages).toMatchObject([{ method: 'server.ready' }])
  })

  it('writes every event of a subscription before it ends with its input', async () => {
    const host = await open({ script: [[say('Good day.')]] })
    const sessionId = await startSession(host, { message: 'hello' })
    await idle(host)
    expect(await host.end()).toBe(0)
    const last = host.events().findLast(({ seq }) => seq !== undefined)?.seq ?? 0
    expect(last).toBeGreaterThan(0)
    const again = await open({ cwd: host.cwd })
    again.write({ jsonrpc: '2.0', id: 's', method: 'session.subscribe', params: { sessionId, after: 0 } })
    expect(await again.end()).toBe(0)
    expect(again.events().flatMap(({ seq }) => seq ?? [])).toEqual(Array.from({ length: last }, (_, at) => at + 1))
  })

  it('asks its host for an approval and accepts a decision as a call', async () => {
    const host = await open({ script: [[bash('ls')], [bash('pwd')], [bash('rm x')]] })
    const sessionId = await startSession(host, { message: 'go' }, ['approvals'])
    const request = await host.asked('approval.request')
    expect(request.params).toMatchObject({ sessionId, toolName: 'Bash', toolInput: { command: 'ls' } })
    host.write({ jsonrpc: '2.0', id: request.id, result: { decision: 'allow' } })
    await idle(host)
    expect(host.events().find(({ type }) => type === 'ToolExecuted')).toMatchObject({ data: { isError: false } })

    await host.call('session.subscribe', { sessionId, after: host.events().at(-1)?.seq ?? 0 })
    await host.call('session.message', { sessionId, content: 'again' })
    await expect.poll(() => host.events().at(-1)).toMatchObject({ data: { to: 'waiting_approval' } })
    const listed = (await host.call('session.approvals', { session: sessionId })).result as unknown as {
      approvals: { approvalId: string }[]
    }
    const [approval] = listed.approvals
    const decided = await host.call('session.approve', { ...approvalOf(approval), decision: 'deny', note: 'no' })
    expect(decided.result).toMatchObject({ sessionId })
    const second = await host.call('session.approve', { ...approvalOf(approval), decision: 'allow' })
    expect(second.error).toMatchObject({ code: -32_000, data: { code: 'approval.already-decided', status: 409 } })
    await idle(host)
  })

  it('interrupts, forks, resumes and aborts a session', async () => {
    const host = await open({
      script: (input) => (input === 'long' ? [{ type: 'stall', chunks: ['well '] }] : [say('ok')]),
    })
    const sessionId = await startSession(host, { message: 'long' })
    await streams(host)
    expect((await host.call('session.interrupt', { sessionId })).error).toBeUndefined()
    await expect.poll(() => ended(host)).toMatchObject([{ data: { outcome: 'interrupted' } }])
    const fork = await host.call('session.fork', { sessionId, title: 'another way' })
    expect(fork.result).toMatchObject({ sessionId: expect.stringMatching(/^ses_/) })
    await host.call('session.message', { sessionId, content: 'short' })
    await expect.poll(() => ended(host).at(-1)).toMatchObject({ data: { outcome: 'completed' } })
    await host.call('session.message', { sessionId, content: 'long' })
    await streams(host)
    expect((await host.call('session.abort', { sessionId })).error).toBeUndefined()
    await expect.poll(() => host.events().at(-1)).toMatchObject({ data: { to: 'cancelled' } })
    expect((await host.call('session.interrupt', { sessionId })).error?.data).toMatchObject({
      code: 'session.not-running',
    })
  })

  it('continues a session of an earlier run after the cursor of its host', async () => {
    const script: Script = (input, _turn, earlier) => [say(`${earlier.length} before ${input}`)]
    const first = await open({ script })
    const sessionId = await startSession(first, { message: 'one' })
    await idle(first)
    const cursor = first.events().at(-1)?.seq ?? 0
    expect(await first.end()).toBe(0)

    const second = await open({ script, cwd: first.cwd })
    await second.call('session.subscribe', { sessionId, after: cursor })
    await second.call('session.message', { sessionId, content: 'two' })
    await idle(second)
    const durable = second.events().flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
    expect(durable).toEqual(durable.map((_, index) => cursor + 1 + index))
    expect(ended(second)).toHaveLength(1)
  })

  it('lets a running turn finish when the input ends, and reports its end', async () => {
    const host = await open({ script: [[{ type: 'delay', ms: 300 }, say('done')]], flags: { graceSeconds: 30 } })
    await startSession(host, { message: 'go' })
    await expect.poll(() => typesOf(host)).toContain('TurnStarted')
    expect(await host.end()).toBe(0)
    await expect
      .poll(() => ended(host))
      .toMatchObject([{ data: { outcome: 'completed', result: { response: 'done' } } }])
  })

  it('answers every request that came before the input ended', async () => {
    const host = await open()
    for (const id of [1, 2, 3]) host.write({ jsonrpc: '2.0', id, method: 'agent.list' })
    expect(await host.end()).toBe(0)
    const answers = host.messages.flatMap((message) => (Array.isArray(message) ? [] : [message.id]))
    expect(answers.filter((id) => id !== undefined).toSorted()).toEqual([1, 2, 3])
  })

  it('keeps an open approval when the input ends, and asks again at its next start', async () => {
    const script: Script = [[bash('ls'), say('there')]]
    const first = await open({ script })
    const sessionId = await startSession(first, { message: 'go' }, ['approvals'])
    await first.asked('approval.request')
    expect(await first.end()).toBe(0)

    const second = await open({ script, cwd: first.cwd })
    await second.call('session.subscribe', { sessionId, handles: ['approvals'] })
    const request = await second.asked('approval.request')
    second.write({ jsonrpc: '2.0', id: request.id, result: { decision: 'allow' } })
    await expect.poll(() => typesOf(second)).toContain('ApprovalDecided')
    await idle(second)
  })

  it('accepts answers to questions of an earlier run from a host without a subscription', async () => {
    const stock = { type: 'tool', name: 'mcp__client__stock', input: {}, result: '' } as const
    const script: Script = (input) => [input === 'stock' ? stock : input === 'list' ? bash('ls') : say('told')]
    const client = { clientId: 'host', tools: [{ name: 'stock', description: '', inputSchema: { type: 'object' } }] }
    const first = await open({ script })
    const approving = await startSession(first, { message: 'list' }, ['approvals'])
    const calling = await startSession(first, { message: 'stock', client }, ['tools'])
    const approvalId = (await first.asked('approval.request')).params?.approvalId
    const callId = (await first.asked('tool.call')).params?.callId
    expect(await first.end()).toBe(0)

    const second = await open({ script, cwd: first.cwd })
    expect((await second.call('session.approve', { approvalId, decision: 'deny' })).error).toBeUndefined()
    expect((await second.call('session.toolResult', { callId, output: '7' })).error).toBeUndefined()
    for (const sessionId of [approving, calling]) {
      const status = async () => (await second.call('session.get', { sessionId })).result
      await expect.poll(status).toMatchObject({ session: { status: 'idle', lastResult: 'told' } })
    }
  })

  it('stops at a signal, and at once at a second one', async () => {
    const host = await open({ script: [[{ type: 'stall', chunks: ['well '] }]], flags: { graceSeconds: 600 } })
    await startSession(host, { message: 'go' })
    await streams(host)
    host.signal()
    await sleep(600) // Two signals within half a second count as one: npm forwards the signal that the terminal has already sent.
    host.signal()
    expect(await host.running).toBe(0)
  })

  it('ends when the reader of its output is gone', async () => {
    const host = await open({ script: [[say('hi')]] })
    await startSession(host)
    host.stdout.destroy()
    expect(await host.running).toBe(0)
  })
})

describe('quarterdeck sidecar with a misbehaving host', () => {
  // One sidecar for all tests: none may affect the next.
  let host: TestHost
  beforeAll(async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'quarterdeck-sidecar-'))
    await writeAgent(cwd)
    host = await openTestHost({ script: [], cwd })
    await host.find(({ method }) => method === 'server.ready')
  })
  afterAll(async () => {
    await host.end()
    await rm(host.cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  })

  it.each([
    ['{"jsonrpc":"2.0","id":1,"method"', -32_700, null],
    ['nonsense', -32_700, null],
    ['[]', -32_600, null],
    ['42', -32_600, null],
    ['{"id":7,"method":"server.info"}', -32_600, 7],
    ['{"jsonrpc":"2.0","id":{},"method":"server.info"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":8,"method":"no.such"}', -32_601, 8],
    ['{"jsonrpc":"2.0","id":9,"method":"__proto__"}', -32_601, 9],
    ['{"jsonrpc":"2.0","id":10,"method":"session.get","params":[1]}', -32_602, 10],
    ['{"jsonrpc":"2.0","id":11,"method":"session.message","params":{"content":"x"}}', -32_602, 11],
    ['{"jsonrpc":"2.0","id":12,"method":"session.get","params":{"sessionId":"x"}}', -32_000, 12],
  ])('answers %s with an error and continues', async (line, code, id) => {
    const before = host.messages.length
    host.write(line)
    await expect.poll(() => host.messages.length).toBeGreaterThan(before)
    expect(host.messages.slice(before)).toMatchObject([{ jsonrpc: '2.0', id, error: { code } }])
    expect((await host.call('server.info')).result).toBeDefined()
  })

  it('accepts a batch, an empty line, and a line that is not text', async () => {
    const before = host.messages.length
    host.write(
      '[{"jsonrpc":"2.0","id":"a","method":"server.info"},{"jsonrpc":"2.0","method":"server.info"},{"jsonrpc":"2.0","id":"b","method":"nope"}]',
    )
    await expect.poll(() => host.messages.slice(before)).toMatchObject([[{ id: 'a' }, { id: 'b', error: {} }]])
    host.write('')
    host.write('\r')
    host.stdin.write(Buffer.from([0xc3, 0x28, 0x0a]))
    await expect.poll(() => host.messages.slice(before + 1)).toMatchObject([{ id: null, error: { code: -32_600 } }])
  })

  it('skips a line that is too long without buffering it', async () => {
    const before = host.messages.length
    const piece = 'x'.repeat(1024 * 1024)
    const heap = process.memoryUsage().arrayBuffers
    for (let sent = 0; sent < 60; sent += 1) {
      if (!host.stdin.write(piece)) await new Promise((resolve) => host.stdin.once('drain', resolve))
    }
    expect(process.memoryUsage().arrayBuffers - heap).toBeLessThan(45 * piece.length)
    host.write('')
    await expect.poll(() => host.messages.slice(before)).toMatchObject([{ id: null, error: { code: -32_600 } }])
    expect((await host.call('server.info')).result).toBeDefined()
  })

  it('survives random bytes', async () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const sound = '{"jsonrpc":"2.0","id":1,"method":"session.start","params":{"agent":"nobody"}}'
    for (let round = 0; round < 300; round += 1) {
      const bytes = Buffer.from(sound)
      for (let change = 0; change <= random(4); change += 1) bytes[random(bytes.length)] = random(256)
      host.stdin.write(Buffer.concat([bytes, Buffer.from('\n')]))
    }
    expect((await host.call('server.info')).result).toBeDefined()
    expect(host.stderr()).not.toContain('unexpectedly')
  })

  it('slows down a host that sends requests and reads no answers', async () => {
    const host = await open({ isSlow: true })
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent.list' })}\n`
    const buffered = () => host.stdout.readableLength + host.stdout.writableLength
    let written = 0
    const pour = () => {
      while (!host.stdin.writableNeedDrain && written < 5000) {
        written += 1
        host.stdin.write(line)
      }
    }
    // Writes until the sidecar stops reading and the pipe is full.
    await expect
      .poll(() => {
        pour()
        return buffered()
      })
      .toBeGreaterThan(128 * 1024)
    await sleep(500)
    pour()
    expect(written).toBeLessThan(5000)
    expect(buffered()).toBeLessThan(256 * 1024)
    host.read()
    await expect.poll(() => host.messages.length).toBeGreaterThanOrEqual(written)
  })

  it('holds events back from a host that does not read, and loses none', async () => {
    const words = 'w'.repeat(4000)
    const steps = Array.from({ length: 150 }, () => ({ type: 'thinking', text: words }) as const)
    const host = await open({ script: [[...steps, say('end')]], isSlow: true })
    host.write({ jsonrpc: '2.0', id: 1, method: 'session.start', params: { agent: 'tester', message: 'go' } })
    const text = () => String(host.stdout.read() ?? '')
    let seen = ''
    await expect
      .poll(() => {
        seen += text()
        return /"id":1,"result":\{"sessionId":"(ses_\w+)"/.exec(seen)?.[1]
      })
      .toBeDefined()
    const sessionId = /"sessionId":"(ses_\w+)"/.exec(seen)?.[1]
    host.write({ jsonrpc: '2.0', id: 2, method: 'session.subscribe', params: { sessionId } })
    const buffered = () => host.stdout.readableLength + host.stdout.writableLength
    const log = await openLog(join(host.cwd, '.quarterdeck'))
    onTestFinished(log.close)
    const status = async () => (await log.getSession(SessionId.parse(sessionId))).session.status
    await expect.poll(status).toBe('idle')
    expect(buffered()).toBeGreaterThan(64 * 1024)
    expect(buffered()).toBeLessThan(256 * 1024)
    host.read()
    await idle(host)
    const durable = host.events().flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
    expect(durable).toEqual(durable.map((_, index) => 1 + index))
    expect(durable.length).toBeGreaterThan(150)
  })

  it('ends although its host does not read the last output', async () => {
    const slow = await open({ isSlow: true })
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent.list' })}\n`
    slow.stdin.write(line.repeat(500))
    await expect.poll(() => slow.stdout.writableLength).toBeGreaterThan(0)
    expect(await slow.end()).toBe(0)
    expect(slow.exits()).toEqual([0])
  })
})

describe('quarterdeck sidecar --connect', () => {
  it('forwards to a server with the same methods and events, and the server keeps the session', async () => {
    const testServer = await openTestServer([[bash('ls'), say('there')]])
    const { terminal } = await testServer.openTerminal()
    const host = await open({ cwd: terminal.cwd, flags: { connect: testServer.url } })
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
    const host = await open({ cwd: terminal.cwd, flags: { connect: url, tokenFile: '.quarterdeck/token' } })
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
    const host = await open({ flags: { connect: testServer.url, tokenFile } })
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
  const host = await open({ cwd: terminal.cwd, script: [] })
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

const approvalOf = (approval: { approvalId: string } | undefined) => ({ approvalId: approval?.approvalId })
