import { tmpdir } from 'node:os'
import {
  type EventType,
  isDurable,
  isQuarterdeckError,
  type JsonObject,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../../backends/scripted/script.ts'
import { testAgent } from '../../testing/agent-definition.fixture.ts'
import { ofType } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const textStep = (...chunks: string[]): Step => ({ type: 'text', chunks })
const bash = (command: string, result = 'ok'): Extract<Step, { type: 'tool' }> => ({
  type: 'tool',
  name: 'Bash',
  input: { command },
  result,
})

const typesOf = (events: readonly StreamedEvent[]): readonly EventType[] =>
  events.filter(isDurable).map((event) => event.type)
describe('a turn', () => {
  it('is logged from the message to its end, in order and without gaps', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[textStep('Hel', 'lo')]] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'hi' }, 'ana')
    const seen = await runtime.until(sessionId, 'idle')
    expect(typesOf(seen)).toEqual([
      'AgentSessionCreated',
      'UserMessageQueued',
      'AgentSessionStatusChanged',
      'AgentSessionStatusChanged',
      'TurnStarted',
      'UserMessageDelivered',
      'AgentSessionStarted',
      'AgentThought',
      'TurnEnded',
      'AgentSessionStatusChanged',
    ])
    expect(seen.filter(isDurable).map((event) => event.seq)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 1),
    )
    expect((await runtime.sessions.getSession(sessionId)).session).toMatchObject({
      status: 'idle',
      title: 'hi',
      owner: 'ana',
    })
  })

  it('answers messages in order, one turn each', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await runtime.sessions.sendMessage(sessionId, { content: 'two' }, 'ana')
    await runtime.sessions.sendMessage(sessionId, { content: 'three' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const answers = ofType(await runtime.log(sessionId), 'AgentThought').map((event) => event.data.text)
    expect(answers).toEqual(['You said: one', 'You said: two', 'You said: three'])
  })

  it('is not repeated when a request is retried with the same seed', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
    const body = { agent: 'tester', message: 'one' }
    const first = await runtime.sessions.createSession(body, 'ana', 'seed-1')
    const again = await runtime.sessions.createSession(body, 'ana', 'seed-1')
    expect(again.sessionId).toBe(first.sessionId)
    await runtime.sessions.sendMessage(first.sessionId, { content: 'two' }, 'ana', 'seed-2')
    await runtime.sessions.sendMessage(first.sessionId, { content: 'two' }, 'ana', 'seed-2')
    await runtime.until(first.sessionId, 'idle')
    expect(ofType(await runtime.log(first.sessionId), 'UserMessageQueued')).toHaveLength(2)
  })

  it('closes a task with its result', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[textStep('done')]] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', mode: 'task', message: 'go' }, 'ana')
    const seen = await runtime.until(sessionId, 'completed')
    expect(typesOf(seen)).toContain('AgentSessionCompleted')
    await expect(runtime.sessions.sendMessage(sessionId, { content: 'more' }, 'ana')).rejects.toThrow(/completed/)
  })

  it('can be interrupted, and the session continues', async () => {
    const script = [[{ type: 'stall', chunks: ['I was say'] } satisfies Step], [textStep('again')]]
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'running')
    await runtime.sessions.interrupt(sessionId, 'ben')
    await runtime.until(sessionId, 'interrupted')
    await runtime.sessions.sendMessage(sessionId, { content: 'go on' }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'AgentThought').at(-1)?.data.text).toBe('again')
  })

  it('ends as a time-out when it exceeds its time limit', async () => {
    const limits = { maxTurns: 5, maxBudgetUsd: 1, maxDurationMs: 30 }
    const backend = createScriptedBackend({ script: [[{ type: 'stall', chunks: ['hm'] }]] })
    const runtime = await openTestRuntime({ backend, agent: { limits } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'failed')
    expect(ofType(await runtime.log(sessionId), 'TurnEnded')[0]?.data).toMatchObject({
      outcome: 'timeout',
      result: { errorReason: 'timeout exceeded' },
    })
  })

  it('reports a crash of its process, and the next message continues the same backend session', async () => {
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [[textStep('hm'), { type: 'crash' }]] }),
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    const seen = await runtime.until(sessionId, 'failed')
    expect(typesOf(seen)).toContain('BackendCrashed')
    await runtime.sessions.sendMessage(sessionId, { content: 'still there?' }, 'ana')
    await runtime.until(sessionId, 'failed', 'idle')
    const starts = ofType(await runtime.log(sessionId), 'AgentSessionStarted').map(
      (event) => event.data.backendSessionId,
    )
    expect(new Set(starts).size).toBe(1)
  })
})

describe('an approval', () => {
  it('holds the call until a person allows it, and names that person', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[bash('ls', 'a.txt')]] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'list' }, 'ana')
    await runtime.until(sessionId, 'waiting_approval')
    const [open] = (await runtime.sessions.listApprovals({})).approvals
    expect(open).toMatchObject({ toolName: 'Bash', toolInput: { command: 'ls' }, sessionRule: { tool: 'Bash' } })
    if (open === undefined) throw new Error('no approval is open')
    await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben')
    await runtime.until(sessionId, 'idle')
    const log = await runtime.log(sessionId)
    expect(ofType(log, 'ApprovalDecided')[0]?.data).toMatchObject({ by: 'ben', decision: 'allow', wasLive: true })
    expect(ofType(log, 'ToolExecuted')[0]?.data).toMatchObject({ output: 'a.txt', isError: false })
  })

  it('accepts the first of two concurrent decisions and refuses the second', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[bash('ls')]] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'list' }, 'ana')
    await runtime.until(sessionId, 'waiting_approval')
    const [open] = (await runtime.sessions.listApprovals({ session: sessionId })).approvals
    if (open === undefined) throw new Error('no approval is open')
    const both = await Promise.allSettled([
      runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben'),
      runtime.sessions.decideApproval(open.approvalId, { decision: 'deny' }, 'cara'),
    ])
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = both.find((one) => one.status === 'rejected')
    expect(isQuarterdeckError(refused?.reason, 'approval.already-decided')).toBe(true)
    await runtime.until(sessionId, 'idle')
  })

  it('runs the edited input, and passes a denial to the agent with the note', async () => {
    const echo = { ...bash('ls'), result: (input: JsonObject) => `ran ${String(input.command)}` }
    const backend = createScriptedBackend({ script: [[echo, bash('rm x')]] })
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    for (const decision of [
      { decision: 'allow', input: { command: 'ls -l' } },
      { decision: 'deny', note: 'keep x' },
    ] as const) {
      await expect
        .poll(async () => (await runtime.sessions.listApprovals({ session: sessionId })).approvals.length)
        .toBe(1)
      const [open] = (await runtime.sessions.listApprovals({ session: sessionId })).approvals
      if (open !== undefined) await runtime.sessions.decideApproval(open.approvalId, decision, 'ben')
    }
    await runtime.until(sessionId, 'idle')
    const results = ofType(await runtime.log(sessionId), 'ToolExecuted').map((event) => event.data)
    expect(results[0]?.output).toBe('ran ls -l')
    expect(results[1]).toMatchObject({ isError: true })
    expect(results[1]?.output).toMatch(/keep x/)
  })

  it('passes the note of an allow into the continuing turn', async () => {
    const backend = createScriptedBackend({ script: [[bash('ls'), { type: 'delay', ms: 50 }, textStep('done')]] })
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'waiting_approval')
    const [open] = (await runtime.sessions.listApprovals({ session: sessionId })).approvals
    if (open !== undefined) {
      await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow', note: 'but only once' }, 'ben')
    }
    await expect
      .poll(async () => ofType(await runtime.log(sessionId), 'UserMessageDelivered').length, { timeout: 30_000 })
      .toBe(2)
    const reported = ofType(await runtime.log(sessionId), 'UserMessageQueued').map((event) => event.data)
    expect(reported[1]).toMatchObject({ content: 'but only once', by: 'ben', delivery: 'immediate' })
  })

  it('is not asked for again after it was allowed for the session', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[bash('ls'), bash('ls')]] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'waiting_approval')
    const [open] = (await runtime.sessions.listApprovals({ session: sessionId })).approvals
    if (open === undefined) throw new Error('no approval is open')
    await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow_session' }, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'ApprovalRequested')).toHaveLength(1)
    expect(ofType(await runtime.log(sessionId), 'ToolExecuted')).toHaveLength(2)
  })

  it('is denied with a reason when there is no person to ask, and never hangs', async () => {
    const backend = createScriptedBackend({ script: [[bash('ls')]] })
    const runtime = await openTestRuntime({ backend, canAsk: false })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const [result] = ofType(await runtime.log(sessionId), 'ToolExecuted')
    expect(result?.data).toMatchObject({ isError: true })
    expect(result?.data.output).toMatch(/approvals/)
  })
})

describe('recovery after a crash', () => {
  it('ends the interrupted turn, keeps the seen text, and keeps the approval open', async () => {
    const first = createScriptedBackend({ script: [[textStep('Looking.'), bash('ls', 'a.txt')]] })
    const runtime = await openTestRuntime({ backend: first })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'list' }, 'ana')
    await runtime.until(sessionId, 'waiting_approval')

    // The first runtime is simply abandoned, as a killed process would be.
    const wakeCall = bash('ls', 'a.txt')
    const second = createScriptedBackend({
      script: (input) => (input.includes('Approved call') ? [wakeCall, textStep('done')] : []),
    })
    const next = await openTestRuntime({ backend: second, store: runtime.store })
    expect(await next.recover()).toBe(1)
    expect((await next.sessions.getSession(sessionId)).session).toMatchObject({
      status: 'waiting_approval',
      turn: null,
    })
    const [open] = (await next.sessions.listApprovals({})).approvals
    if (open === undefined) throw new Error('the approval is gone')
    await next.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben')
    await next.until(sessionId, 'idle')
    const log = await next.log(sessionId)
    expect(ofType(log, 'ApprovalRequested')).toHaveLength(1)
    expect(ofType(log, 'ApprovalUsed')).toHaveLength(1)
    expect(ofType(log, 'ToolExecuted')).toHaveLength(1)
    expect(ofType(log, 'ApprovalDecided')[0]?.data).toMatchObject({ by: 'ben', wasLive: false })
  })

  it('keeps the text that a person saw', async () => {
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [[{ type: 'stall', chunks: ['I was say'] }]] }),
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    const stop = new AbortController()
    for await (const event of runtime.sessions.follow(sessionId, 0, stop.signal)) if (!isDurable(event)) break
    const next = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store: runtime.store })
    await next.recover()
    expect(ofType(await next.log(sessionId), 'AgentStreamDiscarded')[0]?.data.text).toBe('I was say')
    expect((await next.sessions.getSession(sessionId)).session.status).toBe('interrupted')
  })
})

describe('following', () => {
  it('gives a late reader the text in progress, then only new tokens', async () => {
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [[{ type: 'stall', chunks: ['one ', 'two'] }]] }),
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await expect
      .poll(async () => (await runtime.sessions.getSession(sessionId)).openTexts[0]?.data.text)
      .toBe('one two')
    const stop = new AbortController()
    const seen: StreamedEvent[] = []
    for await (const event of runtime.sessions.follow(sessionId, 0, stop.signal)) {
      seen.push(event)
      if (!isDurable(event)) break
    }
    expect(seen.at(-1)).toMatchObject({ type: 'AgentStreamSnapshot', data: { text: 'one two' } })
    await runtime.sessions.cancel(sessionId, 'ana')
    await runtime.until(sessionId, 'cancelled')
  })

  it('refuses a cursor beyond the log and leaves no listener behind', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const reader = runtime.sessions.follow(sessionId, 99, new AbortController().signal)[Symbol.asyncIterator]()
    await expect(reader.next()).rejects.toThrow(/ends at 1/)
    expect(runtime.bus.listenerCount()).toBe(0)
  })
})

describe('limits and models', () => {
  it('accepts narrower limits and refuses wider ones', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
    await expect(runtime.sessions.createSession({ agent: 'tester', limits: { maxTurns: 51 } }, 'ana')).rejects.toThrow(
      /more than/,
    )
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', limits: { maxTurns: 2 } }, 'ana')
    expect((await runtime.sessions.getSession(sessionId)).session.limits.maxTurns).toBe(2)
  })

  it('resolves a tier and refuses a model of another provider', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', model: 'low' }, 'ana')
    expect((await runtime.sessions.getSession(sessionId)).session.model).toBe('claude-haiku-4-5')
    await expect(runtime.sessions.createSession({ agent: 'tester', model: 'gpt-0' }, 'ana')).rejects.toThrow(
      'is not a model of',
    )
  })
})

describe('secrets and bounds', () => {
  it('removes a secret from the log and the stream, and still runs the call unchanged', async () => {
    const secret = 'hunter2-hunter2'
    const echo = { ...bash(`login ${secret}`), result: (input: JsonObject) => `ran ${String(input.command).length}` }
    const script = [[textStep('the word is hun', 'ter2-hun', 'ter2'), echo]]
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), secrets: [secret] })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: `use ${secret}` }, 'ana')
    const seen = [...(await runtime.until(sessionId, 'waiting_approval'))]
    const [open] = (await runtime.sessions.listApprovals({ session: sessionId })).approvals
    if (open === undefined) throw new Error('no approval is open')
    await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben')
    seen.push(...(await runtime.until(sessionId, 'idle')))
    expect(JSON.stringify([seen, await runtime.log(sessionId)])).not.toContain(secret)
    const [result] = ofType(await runtime.log(sessionId), 'ToolExecuted')
    expect(result?.data.output).toBe(`ran ${`login ${secret}`.length}`)
  })

  it('excludes secret files from an approved search', async () => {
    const grep: Step = { type: 'tool', name: 'Grep', input: { pattern: 'x' }, result: (input) => JSON.stringify(input) }
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[grep]] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'waiting_approval')
    const [open] = (await runtime.sessions.listApprovals({ session: sessionId })).approvals
    if (open === undefined) throw new Error('no approval is open')
    await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'ToolExecuted')[0]?.data.output).toMatch(/!.*\.env/)
  })

  it('expires a question that is not answered in time', async () => {
    const approvals = { allow: [], deny: [], expiresAfterMs: 20 }
    const backend = createScriptedBackend({ script: [[bash('ls')]] })
    const runtime = await openTestRuntime({ backend, agent: { approvals } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const log = await runtime.log(sessionId)
    expect(ofType(log, 'ApprovalExpired')).toHaveLength(1)
    expect(ofType(log, 'ToolExecuted')[0]?.data).toMatchObject({ isError: true })
  })

  it('limits how many subagents work at once', async () => {
    const agent = (id: string): Extract<Step, { type: 'tool' }> => ({
      type: 'tool',
      name: 'Agent',
      input: { subagent_type: 'explorer', prompt: id },
      result: 'found',
      toolUseId: id,
    })
    const script = [[{ type: 'parallel', tools: [agent('one'), agent('two'), agent('three')] } satisfies Step]]
    const claude = {
      ...testAgent(tmpdir()).claude,
      permissionMode: 'acceptAll',
      subagents: { enabled: true, maxParallel: 2 },
    } as const
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), agent: { claude } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const refused = ofType(await runtime.log(sessionId), 'ToolExecuted').filter((event) => event.data.isError)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.data.output).toMatch(/At most 2 subagents/)
  })
})
