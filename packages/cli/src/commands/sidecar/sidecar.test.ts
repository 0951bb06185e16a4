import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { bash, type Script, say } from '../../connect/scripted-agent.fixture.ts'
import { ended, idle, openHost, startSession, streams, typesOf } from './sidecar-host.fixture.ts'

describe('quarterdeck sidecar', () => {
  it('reports that it is ready, takes a message, streams the answer, closes the session, and ends with its input', async () => {
    const host = await openHost({ script: [[say('Good ', 'day.')]] })
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
    const host = await openHost()
    expect(await host.end()).toBe(0)
    expect(host.stderr()).not.toMatch(/error|destroyed/)
    expect(host.messages).toMatchObject([{ method: 'server.ready' }])
  })

  it('writes every event of a subscription before it ends with its input', async () => {
    const host = await openHost({ script: [[say('Good day.')]] })
    const sessionId = await startSession(host, { message: 'hello' })
    await idle(host)
    expect(await host.end()).toBe(0)
    const last = host.events().findLast(({ seq }) => seq !== undefined)?.seq ?? 0
    expect(last).toBeGreaterThan(0)
    const again = await openHost({ cwd: host.cwd })
    again.write({ jsonrpc: '2.0', id: 's', method: 'session.subscribe', params: { sessionId, after: 0 } })
    expect(await again.end()).toBe(0)
    expect(again.events().flatMap(({ seq }) => seq ?? [])).toEqual(Array.from({ length: last }, (_, at) => at + 1))
  })

  it('asks its host for an approval and accepts a decision as a call', async () => {
    const host = await openHost({ script: [[bash('ls')], [bash('pwd')], [bash('rm x')]] })
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
    const host = await openHost({
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
    const first = await openHost({ script })
    const sessionId = await startSession(first, { message: 'one' })
    await idle(first)
    const cursor = first.events().at(-1)?.seq ?? 0
    expect(await first.end()).toBe(0)

    const second = await openHost({ script, cwd: first.cwd })
    await second.call('session.subscribe', { sessionId, after: cursor })
    await second.call('session.message', { sessionId, content: 'two' })
    await idle(second)
    const durable = second.events().flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
    expect(durable).toEqual(durable.map((_, index) => cursor + 1 + index))
    expect(ended(second)).toHaveLength(1)
  })

  it('lets a running turn finish when the input ends, and reports its end', async () => {
    const host = await openHost({ script: [[{ type: 'delay', ms: 300 }, say('done')]], flags: { graceSeconds: 30 } })
    await startSession(host, { message: 'go' })
    await expect.poll(() => typesOf(host)).toContain('TurnStarted')
    expect(await host.end()).toBe(0)
    await expect
      .poll(() => ended(host))
      .toMatchObject([{ data: { outcome: 'completed', result: { response: 'done' } } }])
  })

  it('answers every request that came before the input ended', async () => {
    const host = await openHost()
    for (const id of [1, 2, 3]) host.write({ jsonrpc: '2.0', id, method: 'agent.list' })
    expect(await host.end()).toBe(0)
    const answers = host.messages.flatMap((message) => (Array.isArray(message) ? [] : [message.id]))
    expect(answers.filter((id) => id !== undefined).toSorted()).toEqual([1, 2, 3])
  })

  it('keeps an open approval when the input ends, and asks again at its next start', async () => {
    const script: Script = [[bash('ls'), say('there')]]
    const first = await openHost({ script })
    const sessionId = await startSession(first, { message: 'go' }, ['approvals'])
    await first.asked('approval.request')
    expect(await first.end()).toBe(0)

    const second = await openHost({ script, cwd: first.cwd })
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
    const first = await openHost({ script })
    const approving = await startSession(first, { message: 'list' }, ['approvals'])
    const calling = await startSession(first, { message: 'stock', client }, ['tools'])
    const approvalId = (await first.asked('approval.request')).params?.approvalId
    const callId = (await first.asked('tool.call')).params?.callId
    expect(await first.end()).toBe(0)

    const second = await openHost({ script, cwd: first.cwd })
    expect((await second.call('session.approve', { approvalId, decision: 'deny' })).error).toBeUndefined()
    expect((await second.call('session.toolResult', { callId, output: '7' })).error).toBeUndefined()
    for (const sessionId of [approving, calling]) {
      const status = async () => (await second.call('session.get', { sessionId })).result
      await expect.poll(status).toMatchObject({ session: { status: 'idle', lastResult: 'told' } })
    }
  })

  it('stops at a signal, and at once at a second one', async () => {
    const host = await openHost({ script: [[{ type: 'stall', chunks: ['well '] }]], flags: { graceSeconds: 600 } })
    await startSession(host, { message: 'go' })
    await streams(host)
    host.signal()
    await sleep(600) // Two signals within half a second count as one: npm forwards the signal that the terminal has already sent.
    host.signal()
    expect(await host.running).toBe(0)
  })

  it('ends when the reader of its output is gone', async () => {
    const host = await openHost({ script: [[say('hi')]] })
    await startSession(host)
    host.stdout.destroy()
    expect(await host.running).toBe(0)
  })
})

const approvalOf = (approval: { approvalId: string } | undefined) => ({ approvalId: approval?.approvalId })
