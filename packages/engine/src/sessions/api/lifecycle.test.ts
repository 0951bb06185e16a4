import { tmpdir } from 'node:os'
import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentSession } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../../backends/scripted/script.ts'
import { randomIds } from '../../ports/random-ids.ts'
import { createMemoryStore } from '../../store/memory/create-memory-store.ts'
import { claudeSettings, testAgent } from '../../testing/agent-definition.fixture.ts'
import {
  answersOf,
  eventsOf,
  ls,
  refusedWith,
  rests,
  stall,
  stateOf,
  type TestRuntime,
  textStep,
} from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const runtimeOf = (script: Script) => openTestRuntime({ backend: createScriptedBackend({ script }) })

async function workingRuntime(script: Script = [[stall]]) {
  const runtime = await runtimeOf(script)
  const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
  await expect.poll(async () => (await runtime.sessions.snapshot(sessionId)).openTexts).toHaveLength(1)
  return { runtime, sessionId }
}

async function allow(runtime: TestRuntime, sessionId: SessionId): Promise<void> {
  for (const { approvalId } of (await stateOf(runtime, sessionId)).approvals) {
    await runtime.sessions.decide(approvalId, { decision: 'allow' }, 'ben')
  }
}

describe('messages that wait', () => {
  it('are listed, edited, taken back and put first before their turn comes', async () => {
    const { runtime, sessionId } = await workingRuntime([[stall], [], [], []])
    const { sessions } = runtime
    const two = await sessions.send(sessionId, { content: 'two' }, 'ana')
    const three = await sessions.send(sessionId, { content: 'three' }, 'ana')
    const four = await sessions.send(sessionId, { content: 'four' }, 'ana')
    await sessions.editMessage({ sessionId, messageId: three.messageId }, 'third', 'ben')
    await sessions.cancelMessage({ sessionId, messageId: two.messageId }, 'ben')
    await sessions.promoteMessage({ sessionId, messageId: four.messageId }, {}, 'ben')
    expect((await sessions.messages(sessionId)).map(({ content }) => content)).toEqual(['four', 'third'])
    await sessions.interrupt(sessionId, 'ana')
    await rests(runtime, sessionId, 'idle')
    const delivered = await eventsOf(runtime, sessionId, 'UserMessageDelivered')
    expect(delivered.map(({ data }) => data.messageId).slice(1)).toEqual([four.messageId, three.messageId])
    expect((await sessions.history(sessionId)).messages.map(({ content }) => content)).toContain('third')
  })

  it.each(['close', 'cancel'] as const)('are taken back by whoever ends the session (%s)', async (how) => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
    await runtime.sessions.pause(sessionId, 'ana')
    const { messageId } = await runtime.sessions.send(sessionId, { content: 'never mind' }, 'ana')
    await runtime.sessions[how](sessionId, 'ben')
    const cancelled = await eventsOf(runtime, sessionId, 'UserMessageCancelled')
    expect(cancelled.map(({ data }) => data)).toEqual([{ messageId, by: 'ben' }])
    expect((await stateOf(runtime, sessionId)).queued).toEqual([])
  })

  it('are taken back when the turn before them is cancelled', async () => {
    const { runtime, sessionId } = await workingRuntime()
    await runtime.sessions.send(sessionId, { content: 'never mind' }, 'ana')
    await runtime.sessions.cancel(sessionId, 'ben')
    await rests(runtime, sessionId, 'cancelled')
    expect(await eventsOf(runtime, sessionId, 'UserMessageCancelled')).toHaveLength(1)
    expect((await stateOf(runtime, sessionId)).queued).toEqual([])
  })

  it('belong to a session that exists', async () => {
    const runtime = await runtimeOf([])
    await refusedWith(runtime.sessions.messages('ses_nothere' as never), 'session.not-found')
  })
})

describe('a message for the running turn', () => {
  it('is heard in that turn, and the log says so', async () => {
    const script = (input: string): readonly Step[] =>
      input === 'one' ? [textStep('working'), { type: 'delay', ms: 300 }] : [textStep('heard you')]
    const runtime = await runtimeOf(script)
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await expect.poll(() => answersOf(runtime, sessionId)).toEqual(['working'])
    await runtime.sessions.send(sessionId, { content: 'also this', delivery: 'immediate' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const turns = await eventsOf(runtime, sessionId, 'TurnStarted')
    const delivered = await eventsOf(runtime, sessionId, 'UserMessageDelivered')
    expect(turns).toHaveLength(1)
    expect(delivered.map((event) => event.turnId)).toEqual([turns[0]?.turnId, turns[0]?.turnId])
    expect(await answersOf(runtime, sessionId)).toContain('heard you')
  })

  it('waits for the next turn where the backend does not take it', async () => {
    const backend = createScriptedBackend({ script: [[stall]] })
    const deaf = {
      ...backend,
      createSession: async (options: Parameters<typeof backend.createSession>[0]): Promise<AgentSession> => ({
        ...(await backend.createSession(options)),
        steer: async () => false,
      }),
    }
    const runtime = await openTestRuntime({ backend: deaf })
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'running')
    await runtime.sessions.send(sessionId, { content: 'two', delivery: 'immediate' }, 'ana')
    expect(await runtime.sessions.messages(sessionId)).toMatchObject([{ content: 'two', delivery: 'immediate' }])
    await runtime.sessions.interrupt(sessionId, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect(await eventsOf(runtime, sessionId, 'TurnStarted')).toHaveLength(2)
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('You said: two')
  })

  it('is never taken twice, however close to the end of a turn it comes', async () => {
    const runtime = await runtimeOf(() => [textStep('ok'), { type: 'delay', ms: 3 }])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'start' }, 'ana')
    for (let number = 0; number < 40; number += 1) {
      await runtime.sessions.send(sessionId, { content: `m${number}`, delivery: 'immediate' }, 'ana')
    }
    await rests(runtime, sessionId, 'idle')
    const delivered = (await eventsOf(runtime, sessionId, 'UserMessageDelivered')).map(({ data }) => data.messageId)
    expect(delivered).toHaveLength(41)
    expect(new Set(delivered).size).toBe(41)
    expect(await answersOf(runtime, sessionId)).toHaveLength(41)
  })
})

describe('pause and resume', () => {
  it('stop the turn, hold the queue, and let the agent go on with its work first', async () => {
    const { runtime, sessionId } = await workingRuntime([[stall]])
    await runtime.sessions.send(sessionId, { content: 'two' }, 'ana')
    await runtime.sessions.pause(sessionId, 'ben')
    await rests(runtime, sessionId, 'paused')
    expect(await eventsOf(runtime, sessionId, 'TurnStarted')).toHaveLength(1)
    await refusedWith(runtime.sessions.pause(sessionId, 'ben'), 'session.busy')
    await runtime.sessions.resume(sessionId, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual([
      'working',
      expect.stringContaining('You were stopped in the middle of your work'),
      'You said: two',
    ])
    const passed = (await eventsOf(runtime, sessionId, 'AgentSessionStatusChanged')).map(({ data }) => data.to)
    expect(passed).toEqual(expect.arrayContaining(['pausing', 'paused', 'resuming', 'queued', 'running', 'idle']))
  })

  it('keep an approval open, whose answer goes on after the resume', async () => {
    const runtime = await runtimeOf([[ls, textStep('done')]])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'list' }, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.pause(sessionId, 'ben')
    await rests(runtime, sessionId, 'paused')
    const [open] = (await stateOf(runtime, sessionId)).approvals
    if (open === undefined) throw new Error('the approval is gone')
    await runtime.sessions.decide(open.approvalId, { decision: 'allow' }, 'ben')
    expect(await stateOf(runtime, sessionId)).toMatchObject({ status: 'paused', approvals: [] })
    await runtime.sessions.resume(sessionId, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).join()).toContain('Approved call (re-issue exactly)')
  })

  it('outlive the server', async () => {
    const store = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
    const first = await openTestRuntime({ backend: createScriptedBackend({ script: [[stall]] }), store })
    const { sessionId } = await first.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await expect.poll(async () => (await first.sessions.snapshot(sessionId)).openTexts).toHaveLength(1)
    await first.sessions.pause(sessionId, 'ana')
    await rests(first, sessionId, 'paused')
    await first.coordinator.close()
    const second = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
    await second.recover()
    expect((await stateOf(second, sessionId)).status).toBe('paused')
    await second.sessions.resume(sessionId, 'ana')
    await rests(second, sessionId, 'idle')
  })

  it('have nothing to do for a session that rests by itself', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
    await refusedWith(runtime.sessions.resume(sessionId, 'ana'), 'session.not-running')
  })
})

describe('settings', () => {
  it('reach a process that runs, and the turns after it', async () => {
    const reported: unknown[] = []
    const backend = createScriptedBackend({ script: [] })
    const runtime = await openTestRuntime({
      backend: {
        ...backend,
        createSession: async (options) => {
          const session = await backend.createSession(options)
          return {
            ...session,
            setModel: async (model) => void reported.push(model),
            setPermissionMode: async (mode) => void reported.push(mode),
            setThinking: async (thinking) => void reported.push(thinking),
          }
        },
      },
    })
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const wanted = { model: 'low', permissionMode: 'plan', thinking: { budgetTokens: 2000 } } as const
    await runtime.sessions.change(sessionId, wanted, 'ben')
    expect(reported).toEqual(['claude-haiku-4-5', 'plan', { budgetTokens: 2000 }])
    expect(await stateOf(runtime, sessionId)).toMatchObject({ ...wanted, model: 'claude-haiku-4-5' })
  })

  it('hold also when the process cannot be told: the next one starts with them', async () => {
    const models: string[] = []
    const backend = createScriptedBackend({ script: [] })
    const runtime = await openTestRuntime({
      backend: {
        ...backend,
        createSession: async (options) => {
          models.push(options.model)
          const setModel = () => Promise.reject(new Error('the process is gone'))
          return { ...(await backend.createSession(options)), setModel }
        },
      },
    })
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    await runtime.sessions.change(sessionId, { model: 'low' }, 'ana')
    await runtime.sessions.send(sessionId, { content: 'two' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect(models).toEqual(['claude-sonnet-4-5-20250929', 'claude-haiku-4-5'])
  })

  it('are refused where they are unknown, wider than the agent file, or out of bounds', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
    const unknown = runtime.sessions.change(sessionId, { model: 'gpt-9' }, 'ana')
    await expect(unknown).rejects.toThrow(/there are auto, pro, high, low, claude-/)
    await refusedWith(unknown, 'model.unknown')
    const misspelled = runtime.sessions.change(sessionId, { model: 'claude-sonet-4' }, 'ana')
    await expect(misspelled).rejects.toThrow('there is no model "claude-sonet-4". Did you mean "claude-sonnet-4-5"?')
    await refusedWith(misspelled, 'model.unknown')
    await refusedWith(runtime.sessions.change(sessionId, { permissionMode: 'acceptAll' }, 'ana'), 'request.invalid')
    await refusedWith(runtime.sessions.change(sessionId, { thinking: { budgetTokens: 1 } }, 'ana'), 'request.invalid')
    await refusedWith(
      runtime.sessions.create({ agent: 'tester', thinking: { budgetTokens: 1 } }, 'ana'),
      'request.invalid',
    )
    await refusedWith(runtime.sessions.change('ses_nothere' as never, { title: 'x' }, 'ana'), 'session.not-found')
  })

  it('accept a model that the catalog does not list yet, with a warning that its price is unknown', async () => {
    const runtime = await runtimeOf([])
    const model = 'claude-sonnet-9-20300101'
    const warnings = [`the price of model "${model}" is unknown: no dollar limit, only turns and time`]
    const created = await runtime.sessions.create({ agent: 'tester', model }, 'ana')
    expect(created.warnings).toEqual(warnings)
    expect((await stateOf(runtime, created.sessionId)).model).toBe(model)
    expect(await runtime.sessions.change(created.sessionId, { model: 'low' }, 'ana')).not.toHaveProperty('warnings')
    expect((await runtime.sessions.change(created.sessionId, { model }, 'ana')).warnings).toEqual(warnings)
  })

  it.each(['ollama', 'azure_openai'] as const)('accept any model name when the provider is %s', async (provider) => {
    const model = { ...testAgent('/').model, provider, name: 'chat', id: 'chat' }
    const agent = { backend: 'loop', model } as const
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), agent })
    const created = await runtime.sessions.create({ agent: 'tester', model: 'claude-sonet-4' }, 'ana')
    expect(created).not.toHaveProperty('warnings')
    expect((await stateOf(runtime, created.sessionId)).model).toBe('claude-sonet-4')
    await refusedWith(runtime.sessions.create({ agent: 'tester', model: 'low' }, 'ana'), 'model.unknown')
  })

  it('take only models of the provider the agent uses', async () => {
    const model = { ...testAgent('/').model, provider: 'openai', name: 'gpt-5.2', id: 'gpt-5.2' } as const
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [] }),
      agent: { backend: 'loop', model },
    })
    const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
    for (const wanted of ['claude-haiku-4-5', 'low', 'auto']) {
      const changed = runtime.sessions.change(sessionId, { model: wanted }, 'ana')
      await expect(changed).rejects.toThrow(`"${wanted}" is not a model of openai, which this agent uses: there are`)
      await refusedWith(changed, 'model.unknown')
      await refusedWith(runtime.sessions.create({ agent: 'tester', model: wanted }, 'ana'), 'model.unknown')
    }
    expect((await stateOf(runtime, sessionId)).model).toBe('gpt-5.2')
  })

  it('begin with what the agent file says', async () => {
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [] }),
      agent: { claude: claudeSettings(tmpdir(), { thinking: { budgetTokens: 5000 } }) },
    })
    const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
    expect((await stateOf(runtime, sessionId)).thinking).toEqual({ budgetTokens: 5000 })
    const off = await runtime.sessions.create({ agent: 'tester', thinking: null }, 'ana')
    expect((await stateOf(runtime, off.sessionId)).thinking).toBeNull()
  })

  it('may raise a limit above the agent file, and a stopped session goes on', async () => {
    const runtime = await runtimeOf((input) =>
      input === 'one' ? [{ type: 'limit', limit: 'turns' }] : [textStep(input)],
    )
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'stopped_turns')
    await runtime.sessions.change(sessionId, { limits: { maxTurns: 500 } }, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect(await eventsOf(runtime, sessionId, 'BudgetChanged')).toMatchObject([
      { data: { to: { maxTurns: 500 }, by: 'ben' } },
    ])
    expect(await answersOf(runtime, sessionId)).toEqual([expect.stringContaining('go on with the task')])
  })

  it('may raise a limit of turns while the turn waits, and the session goes on at the old one', async () => {
    const request: Step = { type: 'usage', input: 1, output: 1 }
    const runtime = await runtimeOf((input) =>
      input === 'one' ? [request, ls, request, textStep('too far')] : [request, request, textStep('done')],
    )
    const { sessionId } = await runtime.sessions.create(
      { agent: 'tester', message: 'one', limits: { maxTurns: 1 } },
      'ana',
    )
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.change(sessionId, { limits: { maxTurns: 20 } }, 'ben')
    await allow(runtime, sessionId)
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['done'])
    expect(await eventsOf(runtime, sessionId, 'AgentSessionTurnLimitReached')).toEqual([])
  })

  it('may raise a limit of money while the turn waits, and the session goes on at the old one', async () => {
    // $0.12.
    const request: Step = { type: 'usage', input: 40_000, output: 0, costUsd: 0.12 }
    const script: Script = (input) =>
      input === 'one' ? [request, ls, request, textStep('too far')] : [request, request, textStep('done')]
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), isUnmetered: true })
    const limits = { maxBudgetUsd: 0.2 }
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.change(sessionId, { limits: { maxBudgetUsd: 5 } }, 'ben')
    await allow(runtime, sessionId)
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['done'])
    expect(await eventsOf(runtime, sessionId, 'AgentSessionBudgetExceeded')).toEqual([])
  })

  it('may raise a limit of time, and the session that used it up goes on', async () => {
    const runtime = await runtimeOf((input) => (input === 'one' ? [stall] : [textStep('done')]))
    const limits = { maxDurationMs: 1000 }
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(runtime, sessionId, 'failed')
    expect(await stateOf(runtime, sessionId)).toMatchObject({
      wasCutOff: true,
      lastError: 'the session has worked for 1.0 s, its limit: raise it and it goes on',
    })
    await refusedWith(runtime.sessions.resume(sessionId, 'ben'), 'session.not-running')
    await runtime.sessions.change(sessionId, { limits: { maxDurationMs: 600_000 } }, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['working', 'done'])
  })

  it('may raise a limit of time while the turn waits, and the session goes on at the old one', async () => {
    const runtime = await runtimeOf((input) => (input === 'one' ? [ls, stall] : [textStep('done')]))
    const limits = { maxDurationMs: 3000 }
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.change(sessionId, { limits: { maxDurationMs: 600_000 } }, 'ben')
    await allow(runtime, sessionId)
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['working', 'done'])
    expect(await eventsOf(runtime, sessionId, 'AgentSessionFailed')).toEqual([])
  })

  it('put a closed session away, out of the list', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', title: 'Old' }, 'ana')
    await runtime.sessions.close(sessionId, 'ana')
    await runtime.sessions.change(sessionId, { isArchived: true, tags: ['done'] }, 'ana')
    expect((await runtime.sessions.list({})).sessions).toEqual([])
    expect((await runtime.sessions.list({ archived: 'true', tag: 'done' })).sessions).toMatchObject([{ sessionId }])
    expect((await runtime.sessions.list({ archived: 'all' })).sessions).toMatchObject([{ sessionId }])
  })
})

it('tells what a session can do', async () => {
  const runtime = await runtimeOf([])
  const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
  expect(await runtime.sessions.capabilities(sessionId)).toMatchObject({ tools: expect.any(Array) })
  await runtime.sessions.close(sessionId, 'ana')
  await refusedWith(runtime.sessions.capabilities(sessionId), 'session.closed')
})

describe('a message to a subagent', () => {
  it('is handed to the lead with the name of the subagent', async () => {
    const runtime = await runtimeOf([
      [
        {
          type: 'subagent',
          agentType: 'explorer',
          description: 'look',
          steps: [textStep('looked')],
          summary: 'looked',
        },
      ],
    ])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'delegate' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const [subagent] = await eventsOf(runtime, sessionId, 'SubagentStarted')
    if (subagent === undefined) throw new Error('no subagent')
    const { agentId } = subagent.data
    const word = { content: 'and then?', seed: 'one try' }
    await runtime.sessions.messageSubagent({ sessionId, agentId }, word, 'ana')
    await rests(runtime, sessionId, 'idle')
    await runtime.sessions.messageSubagent({ sessionId, agentId }, word, 'ana')
    expect(await eventsOf(runtime, sessionId, 'UserMessageQueued')).toHaveLength(2)
    const reported = (await answersOf(runtime, sessionId)).at(-1)
    expect(reported).toContain(`to "${agentId}"`)
    expect(reported).toContain('and then?')
  })

  it('is refused for one this session never had', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
    const unknown = runtime.sessions.messageSubagent({ sessionId, agentId: 'a1' }, { content: 'hello' }, 'ana')
    await refusedWith(unknown, 'subagent.not-found')
  })
})
