// Hosts that send unreadable messages, or do not read.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '@quarterdeck/engine'
import { SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { say, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { idle, openHost, openTestHost, type TestHost } from './sidecar-host.fixture.ts'

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
    const host = await openHost({ isSlow: true })
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
    const host = await openHost({ script: [[...steps, say('end')]], isSlow: true })
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
    const slow = await openHost({ isSlow: true })
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent.list' })}\n`
    slow.stdin.write(line.repeat(500))
    await expect.poll(() => slow.stdout.writableLength).toBeGreaterThan(0)
    expect(await slow.end()).toBe(0)
    expect(slow.exits()).toEqual([0])
  })
})
