// Failures around a turn and their effect on the session.
import { tmpdir } from 'node:os'
import { type AgentDefinition, draft, type EventDraft, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../../backends/scripted/script.ts'
import { type Logger, silentLogger } from '../../ports/logger.ts'
import { testAgent } from '../../testing/agent-definition.fixture.ts'
import { beforeAppend, openTestStore } from '../../testing/test-store.fixture.ts'
import { backendOf, completedTurn } from '../testing/backend-of-turn.fixture.ts'
import { ofType, openApproval, type TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const bash = (command: string): Step => ({
  type: 'tool',
  name: 'Bash',
  input: { command },
  result: (input) => `ran ${String(input.command)}`,
})

function createSwitch() {
  let throwIt: () => void = () => undefined
  const thrown = new Promise<void>((resolve) => {
    throwIt = resolve
  })
  return { thrown, throwIt: () => throwIt() }
}

/** A store whose disk fails an append as `refusal` says. */
const storeRefusing = async (refusal: (drafts: readonly EventDraft[]) => Error | null) =>
  beforeAppend(await openTestStore(), (drafts) => {
    const error = refusal(drafts)
    if (error !== null) throw error
  })

async function startAndWait(runtime: TestRuntime, ...statuses: readonly ['idle' | 'failed']) {
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await runtime.until(sessionId, ...statuses)
  return { sessionId, log: await runtime.log(sessionId) }
}

async function startWithApproval(runtime: TestRuntime) {
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  return { sessionId, approvalId: await openApproval(runtime, sessionId) }
}

describe('usage and text', () => {
  it('books nothing a second time when the gateway books', async () => {
    const backend = createScriptedBackend({ script: [[{ type: 'usage', input: 10, output: 5 }]] })
    const { log } = await startAndWait(await openTestRuntime({ backend }), 'idle')
    expect(ofType(log, 'UsageRecorded')).toEqual([])
  })

  it('logs text that a backend left unfinished', async () => {
    const backend = backendOf(async function* () {
      yield { type: 'AgentStreamToken', agent: null, data: { text: 'half a', messageId: 'm1', kind: 'text' } }
      yield completedTurn
    })
    const { log } = await startAndWait(await openTestRuntime({ backend }), 'idle')
    expect(ofType(log, 'AgentStreamDiscarded')[0]?.data.text).toBe('half a')
  })
})

describe('time, processes, ends', () => {
  it('does not count the time a person takes', async () => {
    const limits = { maxTurns: 5, maxBudgetUsd: 1, maxDurationMs: 1500 }
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [[bash('ls')]] }),
      agent: { limits },
    })
    const { sessionId, approvalId } = await startWithApproval(runtime)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'TurnEnded')[0]?.data.outcome).toBe('completed')
  })

  it('leaves a question open when the server drains or the process dies', async () => {
    const script = [[bash('ls')]]
    const drained = await openTestRuntime({ backend: createScriptedBackend({ script }) })
    const one = await startWithApproval(drained)
    await drained.coordinator.drain(0)
    expect((await drained.sessions.getSession(one.sessionId)).session.approvals).toHaveLength(1)

    const killed = createSwitch()
    const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 't1', agent: null }
    const backend = backendOf(async function* (_, gate) {
      yield draft('AgentInvokedTool', { ...call, messageId: 'm1' })
      await Promise.race([killed.thrown, gate.ask(call, new AbortController().signal)])
      yield draft('BackendCrashed', { exitCode: null, signal: 'SIGKILL', stderr: '' })
      yield { ...completedTurn, data: { ...completedTurn.data, outcome: 'crashed' as const } }
    })
    const crashed = await openTestRuntime({ backend })
    const other = await startWithApproval(crashed)
    killed.throwIt()
    await expect
      .poll(async () => (await crashed.sessions.getSession(other.sessionId)).session.turn, { timeout: 60_000 })
      .toBeNull()
    expect((await crashed.sessions.getSession(other.sessionId)).session).toMatchObject({
      status: 'waiting_approval',
      approvals: [{ approvalId: other.approvalId }],
    })
  })

  it('takes an answer while a dead process is being removed, and passes it to the next one', async () => {
    const [killed, cleared] = [createSwitch(), createSwitch()]
    const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 't1', agent: null }
    const inputs: string[] = []
    const turns = backendOf(async function* (input, gate) {
      if (inputs.push(input) > 1) return yield completedTurn
      yield draft('AgentInvokedTool', { ...call, messageId: 'm1' })
      await Promise.race([killed.thrown, gate.ask(call, new AbortController().signal)])
      yield { ...completedTurn, data: { ...completedTurn.data, outcome: 'crashed' as const } }
    })
    let isClosing = false
    const close = () => {
      isClosing = true
      return cleared.thrown
    }
    const createSession: AgentBackend['createSession'] = async (options) => ({
      ...(await turns.createSession(options)),
      close,
    })
    const runtime = await openTestRuntime({ backend: { ...turns, createSession } })
    const { sessionId, approvalId } = await startWithApproval(runtime)
    killed.throwIt()
    await expect.poll(() => isClosing).toBe(true)
    await runtime.sessions.decideApproval(approvalId, { decision: 'deny', note: 'not now' }, 'ben')
    cleared.throwIt()
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'ApprovalDecided')).toMatchObject([{ data: { wasLive: false } }])
    expect(inputs).toHaveLength(2)
    expect(inputs[1]).toContain('not now')
  })

  it('closes the model access with the session', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
    const { sessionId } = await startAndWait(runtime, 'idle')
    expect(runtime.closed).toEqual([])
    await runtime.sessions.close(sessionId, 'ana')
    expect(runtime.closed).toEqual([sessionId])
  })

  it('keeps a limited number of resting processes, and the other sessions continue where they were', async () => {
    const scripted = createScriptedBackend({ script: [] })
    let open = 0
    const backend: AgentBackend = {
      ...scripted,
      async createSession(options) {
        const session = await scripted.createSession(options)
        open += 1
        return { ...session, close: () => session.close().finally(() => (open -= 1)) }
      },
    }
    const runtime = await openTestRuntime({ backend, processes: { maxResident: 1 } })
    const first = await startAndWait(runtime, 'idle')
    await startAndWait(runtime, 'idle')
    await expect.poll(() => open, { timeout: 60_000 }).toBe(1)
    await runtime.sessions.sendMessage(first.sessionId, { content: 'again' }, 'ana')
    await expect
      .poll(async () => ofType(await runtime.log(first.sessionId), 'AgentThought').length, { timeout: 60_000 })
      .toBe(2)
  })

  it('waits until a full disk has space and then continues', async () => {
    let failures = 2
    const store = await storeRefusing((drafts) => {
      const isEnd = drafts.some((one) => one.type === 'TurnEnded')
      return isEnd && failures-- > 0 ? new QuarterdeckError('store.unavailable', 'no space left') : null
    })
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
    const { sessionId } = await startAndWait(runtime, 'idle')
    await runtime.sessions.sendMessage(sessionId, { content: 'still there?' }, 'ana')
    await expect.poll(async () => ofType(await runtime.log(sessionId), 'TurnEnded').length, { timeout: 60_000 }).toBe(2)
  })

  it('retries the start of a turn on a full disk', async () => {
    let isFull = true
    let tries = 0
    const store = await storeRefusing((drafts) => {
      if (!drafts.some((one) => one.type === 'TurnStarted')) return null
      tries += 1
      return isFull ? new QuarterdeckError('store.unavailable', 'no space left') : null
    })
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(tries).toBeLessThan(4)
    isFull = false
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'TurnEnded')).toHaveLength(1)
  })

  it('does not retry a turn in a session that another process writes to', async () => {
    let tries = 0
    const store = await storeRefusing((drafts) => {
      if (!drafts.some((one) => one.type === 'TurnStarted')) return null
      tries += 1
      return tries < 20 ? new QuarterdeckError('store.conflict', 'another process was here') : null
    })
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
    await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(tries).toBe(1)
  })

  it('writes nothing to a session whose lease another process has taken', async () => {
    const store = await storeRefusing(() => null)
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const other = { id: 'another', role: 'server', pid: 1, startTime: '0', address: null } as const
    await store.lease(sessionId, other, () => false)
    const sent = runtime.sessions.sendMessage(sessionId, { content: 'go' }, 'ana')
    await expect(sent).rejects.toMatchObject({ code: 'store.conflict', facts: { fencing: 1, current: 2 } })
    expect(await runtime.log(sessionId)).toHaveLength(1)
  })

  it('completes a cancel whose last event could not be written at first', async () => {
    let failures = 1
    const store = await storeRefusing((drafts) => {
      const isLast = drafts.some((one) => one.type === 'AgentSessionStatusChanged' && one.data.to === 'cancelled')
      return isLast && failures-- > 0 ? new QuarterdeckError('store.unavailable', 'no space left') : null
    })
    const backend = createScriptedBackend({ script: [[{ type: 'stall', chunks: ['hm'] }]] })
    const runtime = await openTestRuntime({ backend, store })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'running')
    await runtime.sessions.cancel(sessionId, 'ben')
    await expect.poll(() => runtime.closed, { timeout: 60_000 }).toEqual([sessionId])
    expect((await runtime.sessions.getSession(sessionId)).session.status).toBe('cancelled')
  })
})

describe('a model chosen while the backend starts', () => {
  const haiku = 'claude-haiku-4-5'

  it('is used from the start', async () => {
    const scripted = createScriptedBackend({ script: [] })
    const [asked, isChosen] = [createSwitch(), createSwitch()]
    const backend: AgentBackend = {
      ...scripted,
      async createSession(options) {
        asked.throwIt()
        await isChosen.thrown
        return scripted.createSession(options)
      },
    }
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await asked.thrown
    await runtime.sessions.changeSession(sessionId, { model: haiku }, 'ana')
    isChosen.throwIt()
    await runtime.until(sessionId, 'idle', 'failed')
    expect(ofType(await runtime.log(sessionId), 'AgentSessionStarted')[0]?.data.model).toBe(haiku)
    expect((await runtime.sessions.getSession(sessionId)).session.model).toBe(haiku)
  })

  it('stays chosen when the process still reports the previous one', async () => {
    const [asked, isChosen] = [createSwitch(), createSwitch()]
    const started = draft('AgentSessionStarted', {
      sessionId: 'ses_000001' as SessionId, // a literal that matches the id's shape
      model: testAgent('/').model.id,
      modelSource: 'simulator',
      permissionMode: 'manual',
      backendSessionId: 'slow-1',
      cwd: '/',
      apiKeySource: 'none',
      outputStyle: 'default',
      tools: [],
      mcpServers: [],
      slashCommands: [],
    })
    const backend = backendOf(async function* () {
      asked.throwIt()
      await isChosen.thrown
      yield started
      yield completedTurn
    })
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await asked.thrown
    await runtime.sessions.changeSession(sessionId, { model: haiku }, 'ana')
    isChosen.throwIt()
    await runtime.until(sessionId, 'idle', 'failed')
    expect((await runtime.sessions.getSession(sessionId)).session).toMatchObject({
      model: haiku,
      backendSessionId: 'slow-1',
    })
  })
})

describe('after a crash of the server', () => {
  it.each([
    ['continue', 2],
    ['wait', 1],
  ] as const)('an agent that says %s has %d messages', async (onCrash, messages) => {
    const agent: Partial<AgentDefinition> = { onCrash }
    const script: Step[][] = [
      [
        { type: 'text', chunks: ['I begin.'] },
        { type: 'stall', chunks: ['I was say'] },
      ],
    ]
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), agent })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    // Only work that the agent has begun is interrupted; the rest is simply queued again.
    await expect.poll(async () => ofType(await runtime.log(sessionId), 'AgentThought')).toHaveLength(1)
    await expect.poll(() => runtime.store.openTexts(sessionId)).toHaveLength(1)
    const next = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store: runtime.store, agent })
    await next.recover()
    expect(ofType(await next.log(sessionId), 'UserMessageQueued')).toHaveLength(messages)
  })

  it('an agent that says continue gets its message again if it had finished nothing', async () => {
    const agent: Partial<AgentDefinition> = { onCrash: 'continue' }
    const script: Step[][] = [[{ type: 'stall', chunks: ['I was say'] }]]
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), agent })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await expect.poll(() => runtime.store.openTexts(sessionId)).toHaveLength(1)
    const next = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store: runtime.store, agent })
    await next.recover()
    await next.until(sessionId, 'idle')
    const log = await next.log(sessionId)
    expect(ofType(log, 'UserMessageQueued').map(({ data }) => data.content)).toEqual(['go'])
    expect(ofType(log, 'AgentThought').map(({ data }) => data.text)).toEqual(['You said: go'])
  })

  it('a warning gives the reason when the agent of an interrupted session cannot be loaded', async () => {
    const backend = createScriptedBackend({ script: [[{ type: 'stall', chunks: ['I was say'] }]] })
    const { sessions, store } = await openTestRuntime({ backend })
    const { sessionId } = await sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await expect.poll(() => store.openTexts(sessionId)).toHaveLength(1)
    const broken = new QuarterdeckError('config.invalid', 'the file is broken')
    const definitionNow = () => {
      throw broken
    }
    const warnings: Readonly<Record<string, unknown>>[] = []
    const logger: Logger = { ...silentLogger, warn: (facts) => warnings.push(facts) }
    const next = await openTestRuntime({ backend, store, definitionNow, logger })
    await next.recover()
    expect(warnings).toContainEqual({ sessionId, agentName: 'tester', error: broken })
    expect((await store.load(sessionId))?.status).toBe('interrupted')
  })
})

describe('rules that no approval can lift', () => {
  it('refuse an edit that runs an excluded command', async () => {
    const claude = {
      ...testAgent(tmpdir()).claude,
      bash: { enabled: true, excludedCommands: ['curl'], allowUnsafe: false },
    }
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [[bash('ls')]] }),
      agent: { claude },
    })
    const { sessionId, approvalId } = await startWithApproval(runtime)
    // Bypasses the operation, which refuses it too: the file may have changed since.
    const { asks } = await runtime.coordinator.open(sessionId)
    asks.answer(approvalId, { type: 'allow', input: { command: 'curl example.org' } })
    await runtime.until(sessionId, 'idle')
    const [result] = ofType(await runtime.log(sessionId), 'ToolExecuted')
    expect(result?.data).toMatchObject({ isError: true })
    expect(result?.data.output).toMatch(/curl/)
  })

  it("refuse a wider permission mode than the file's", async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
    await expect(
      runtime.sessions.createSession({ agent: 'tester', permissionMode: 'acceptAll' }, 'ana'),
    ).rejects.toThrow(QuarterdeckError)
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', permissionMode: 'plan' }, 'ana')
    expect((await runtime.sessions.getSession(sessionId)).session.permissionMode).toBe('plan')
  })
})
