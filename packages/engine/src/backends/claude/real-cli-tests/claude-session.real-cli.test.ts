// The lifecycle of a session on the real CLI: across processes, crashes, restarts and approvals.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { modelCatalog } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ToolCall } from '../../../ports/tool-call.ts'
import { descendantsOf, identify, isRunning } from '../../../system/linux-processes.ts'
import type { AgentSession, BackendEvent } from '../../backend.ts'
import { collect, ended, find, gateOf, types } from '../../contract/backend-events.contract.ts'
import { type ClaudeHarness, type ClaudeHarnessOptions, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function open(options: ClaudeHarnessOptions): Promise<ClaudeHarness> {
  const harness = await openClaudeHarness(options)
  cleanups.push(harness.close)
  return harness
}

/** Kills the CLI itself with SIGKILL, not its sandbox wrapper. */
function killCli(harness: ClaudeHarness): void {
  for (const pid of harness.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
}

const run = (session: AgentSession, prompt: string) => collect(session.run(prompt, never))
const bash = (command: string) => ({ name: 'Bash', input: { command } })
const patient = { timeout: 60_000, interval: 20 }

describe('a session across processes', () => {
  it('continues in a new process after a close and counts only its own turn', async () => {
    const cache = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const usage = { input_tokens: 1000, output_tokens: 50, ...cache }
    const harness = await open({
      steps: [
        { when: { turn: 1 }, then: { text: 'first', usage } },
        { when: { turn: 2 }, then: { text: 'second', usage } },
      ],
    })
    const first = await harness.backend.createSession(harness.options())
    const before = await run(first, 'one')
    const { backendSessionId } = find(before, 'AgentSessionStarted').data
    await first.close()
    const second = await harness.backend.createSession(harness.options({ resume: backendSessionId }))
    const after = await run(second, 'two')
    expect(find(after, 'AgentSessionStarted').data.backendSessionId).toBe(backendSessionId)
    expect(ended(after).data.result.response).toBe('second')
    expect(ended(after).data.modelUsage).toEqual(ended(before).data.modelUsage)
    expect(ended(after).data.reportedCostUsd).toBeCloseTo(ended(before).data.reportedCostUsd ?? 0, 10)
    expect(find(after, 'UsageRecorded').data.tokens).toMatchObject({ input: 1000, output: 50 })
    expect(types(after).filter((type) => type === 'UsageRecorded')).toHaveLength(1)
  })

  it('continues in a new process after its CLI was killed during a turn', async () => {
    const harness = await open({
      steps: [
        { when: { text: 'hello' }, then: { text: 'hi' } },
        { when: { text: 'begin' }, then: { text: 'some words', fault: { type: 'stall', after_deltas: 2 } } },
        { when: { text: 'go on' }, then: { text: 'still here' } },
      ],
    })
    const first = await harness.backend.createSession(harness.options())
    const before: BackendEvent[] = await run(first, 'hello')
    let isKilled = false // a second token may arrive after the kill
    for await (const event of first.run('begin', never)) {
      before.push(event)
      if (event.type !== 'AgentStreamToken' || isKilled) continue
      isKilled = true
      killCli(harness)
    }
    expect(find(before, 'BackendCrashed').data).toMatchObject({
      signal: expect.stringMatching(/SIGKILL|unknown/),
      stderr: '',
    })
    expect(ended(before).data.outcome).toBe('crashed')
    const resume = find(before, 'AgentSessionStarted').data.backendSessionId
    const second = await harness.backend.createSession(harness.options({ resume }))
    const after = await run(second, 'go on')
    expect(ended(after).data.result.response).toBe('still here')
    expect(find(after, 'AgentSessionStarted').data.backendSessionId).toBe(resume)
  })

  it('restarts by itself after its CLI died while idle, and reports it', async () => {
    const harness = await open({
      steps: [{ then: { text: 'first' } }, { when: { turn: 2 }, then: { text: 'second' } }],
    })
    const session = await harness.backend.createSession(harness.options())
    await run(session, 'one')
    const [wrapper] = harness.pids().map(identify)
    killCli(harness)
    await vi.waitUntil(() => wrapper !== undefined && !isRunning(wrapper), patient)
    const after = await run(session, 'two')
    expect(types(after)).toContain('BackendCrashed')
    expect(ended(after).data).toMatchObject({ outcome: 'completed', result: { response: 'second' } })
  })

  it('gives the next process only the remaining budget, at the prices of the config file', async () => {
    const usage = { output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const harness = await open({
      catalog: modelCatalog.map((model) => ({
        ...model,
        price: { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 },
      })),
      steps: [
        { when: { text: 'one' }, then: { text: 'first', usage: { ...usage, input_tokens: 100_000 } } },
        { when: { text: 'two' }, then: { tools: [bash('true')], usage: { ...usage, input_tokens: 200_000 } } },
        { then: { text: 'too much' } },
      ],
    })
    const limits = { maxTurns: 20, maxBudgetUsd: 1.5, maxDurationMs: 600_000 }
    const session = await harness.backend.createSession(harness.options({ limits }))
    expect(find(await run(session, 'one'), 'UsageRecorded').data.costUsd).toBe(1)
    const [wrapper] = harness.pids().map(identify)
    killCli(harness)
    await vi.waitUntil(() => wrapper !== undefined && !isRunning(wrapper), patient)
    // At its own prices the CLI charges 0.60 for this, which is more than the remaining 0.50.
    expect(ended(await run(session, 'two')).data.outcome).toBe('budget_limit')
  })

  it('starts a new conversation and reports it when the old one no longer exists', async () => {
    const harness = await open({ steps: [{ then: { text: 'a fresh start' } }] })
    const resume = '11111111-1111-4111-8111-111111111111'
    const session = await harness.backend.createSession(harness.options({ resume }))
    const events = await run(session, 'hi')
    expect(find(events, 'RawBackendMessage').data).toMatchObject({ kind: 'resume_failed', message: { resume } })
    expect(ended(events).data).toMatchObject({ outcome: 'completed', result: { response: 'a fresh start' } })
    expect(find(events, 'AgentSessionStarted').data.backendSessionId).not.toBe(resume)
  })

  it('leaves no process, record or scratch folder behind when it is closed', async () => {
    const harness = await open({ steps: [{ then: { text: 'hello' } }] })
    const session = await harness.backend.createSession(harness.options())
    await run(session, 'hi')
    const running = harness.pids().map(identify)
    expect(running.map(isRunning)).toEqual([true])
    await session.close()
    expect(running.map(isRunning)).toEqual([false])
    expect(harness.pids()).toEqual([])
    expect(readdirSync(join(harness.dataDir, 'claude', 'scratch'))).toEqual([])
    expect(existsSync(join(harness.dataDir, 'claude', 'ses_claudetest', 'config', 'settings.json'))).toBe(true)
  })

  it('uses another model from the next request on', async () => {
    const harness = await open({ steps: [{ repeat: true, then: { text: 'hello' } }] })
    const session = await harness.backend.createSession(harness.options())
    await run(session, 'one')
    await session.setModel('claude-haiku-4-5')
    const events = await run(session, 'two')
    expect(harness.simulator.served().requests.at(-1)?.requestedModel).toBe('claude-haiku-4-5')
    expect(find(events, 'UsageRecorded').data.model).toBe('claude-haiku-4-5')
  })
})

describe('permissions on the real CLI', () => {
  it('ask a person for every call, including `ls` and Read', async () => {
    const harness = await open({
      steps: [
        { then: { tools: [bash('ls'), { name: 'Read', input: { file_path: 'notes.txt' } }] } },
        { then: { text: 'seen' } },
      ],
    })
    writeFileSync(join(harness.cwd, 'notes.txt'), 'remember the milk\n')
    const asked: ToolCall[] = []
    const gate = gateOf({
      check: async () => ({ type: 'ask' }),
      ask: async (call) => {
        asked.push(call)
        return { type: 'allow', input: call.toolInput }
      },
    })
    const session = await harness.backend.createSession(harness.options({ permissionMode: 'manual', gate }))
    const events = await run(session, 'look')
    expect(asked.map((call) => call.toolName).sort()).toEqual(['Bash', 'Read'])
    expect(events.filter((event) => event.type === 'ToolExecuted').every((event) => !event.data.isError)).toBe(true)
  })

  it('deny every call when the gate fails', async () => {
    const harness = await open({ steps: [{ then: { tools: [bash('ls')] } }, { then: { text: 'a pity' } }] })
    const gate = gateOf({
      check: async () => {
        throw new Error('the store is gone')
      },
    })
    const session = await harness.backend.createSession(harness.options({ gate }))
    const events = await run(session, 'look')
    expect(find(events, 'ToolExecuted').data).toMatchObject({ isError: true })
    expect(find(events, 'ToolExecuted').data.output).toContain('the permission check failed')
  })

  it('report a call before a person is asked about it', async () => {
    const harness = await open({ steps: [{ then: { tools: [bash('ls')] } }, { then: { text: 'done' } }] })
    const order: string[] = []
    const gate = gateOf({
      check: async (call) => {
        order.push(`asked ${call.toolName}`)
        return { type: 'allow', input: call.toolInput }
      },
    })
    const session = await harness.backend.createSession(harness.options({ gate }))
    for await (const event of session.run('look', never)) {
      if (event.type === 'AgentInvokedTool') order.push(`told ${event.data.toolName}`)
    }
    expect(order).toEqual(['told Bash', 'asked Bash'])
  })

  it('pass a prompt on literally: a file named in it is not read', async () => {
    const bodies: string[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on('end', () => {
        bodies.push(body)
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const harness = await open({ steps: [{ then: { text: 'unused' } }] })
    const secret = join(harness.root, 'outside.txt')
    writeFileSync(secret, 'canary-of-a-file\n')
    const modelAccess = { type: 'gateway', baseUrl: `http://127.0.0.1:${port}`, token: 'none' } as const
    const session = await harness.backend.createSession(harness.options({ modelAccess }))
    await run(session, `please read @${secret}`)
    const asked = bodies.join('\n')
    expect(asked).toContain('please read @')
    expect(asked).not.toContain('canary-of-a-file')
  })
})

describe('interrupting the real CLI', () => {
  it('works at any moment of a turn, even before its process starts', async () => {
    const harness = await open({
      steps: [{ repeat: true, then: { text: 'many words to say', fault: { type: 'stall', after_deltas: 2 } } }],
    })
    for (const waitMs of [0, 50, 200, 300, 350, 400, 450, 600]) {
      const session = await harness.backend.createSession(harness.options())
      const running = run(session, 'talk')
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      await session.interrupt()
      expect(ended(await running).data.outcome).toBe('interrupted')
      await session.close()
    }
  })

  it('sends earlier messages to the model without executing them', async () => {
    const harness = await open({ steps: [{ when: { text: 'my name is Ada' }, then: { text: 'Ada' } }] })
    const earlier = [
      { role: 'user', content: 'my name is Ada' },
      { role: 'assistant', content: 'hello Ada' },
    ] as const
    const result = await harness.backend.invokeOnce('what is my name?', harness.options(), earlier)
    expect(result.response).toBe('Ada')
    expect(harness.simulator.served().requests).toHaveLength(1)
  })
})
