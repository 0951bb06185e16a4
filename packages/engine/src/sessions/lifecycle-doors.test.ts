import { tmpdir } from 'node:os'
import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { claudeSettings, testAgent } from '../agent-definition.fixture.ts'
import type { AgentSession } from '../backends/backend.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../backends/scripted/script.ts'
import { randomIds } from '../random-ids.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { openTestHouse } from './engine.fixture.ts'
import {
  answersOf,
  eventsOf,
  ls,
  refusedWith,
  rests,
  say,
  stall,
  stateOf,
  type TestHouse,
} from './lifecycle.fixture.ts'

const houseOf = (script: Script) => openTestHouse({ backend: createScriptedBackend({ script }) })

async function workingHouse(script: Script = [[stall]]) {
  const house = await houseOf(script)
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
  await expect.poll(async () => (await house.sessions.snapshot(sessionId)).openTexts).toHaveLength(1)
  return { house, sessionId }
}

async function allow(house: TestHouse, sessionId: SessionId): Promise<void> {
  for (const { approvalId } of (await stateOf(house, sessionId)).approvals) {
    await house.sessions.decide(approvalId, { decision: 'allow' }, 'ben')
  }
}

describe('messages that wait', () => {
  it('are listed, edited, taken back and put first before their turn comes', async () => {
    const { house, sessionId } = await workingHouse([[stall], [], [], []])
    const { sessions } = house
    const two = await sessions.send(sessionId, { content: 'two' }, 'ana')
    const three = await sessions.send(sessionId, { content: 'three' }, 'ana')
    const four = await sessions.send(sessionId, { content: 'four' }, 'ana')
    await sessions.editMessage({ sessionId, messageId: three.messageId }, 'third', 'ben')
    await sessions.cancelMessage({ sessionId, messageId: two.messageId }, 'ben')
    await sessions.promoteMessage({ sessionId, messageId: four.messageId }, {}, 'ben')
    expect((await sessions.messages(sessionId)).map(({ content }) => content)).toEqual(['four', 'third'])
    await sessions.interrupt(sessionId, 'ana')
    await rests(house, sessionId, 'idle')
    const delivered = await eventsOf(house, sessionId, 'UserMessageDelivered')
    expect(delivered.map(({ data }) => data.messageId).slice(1)).toEqual([four.messageId, three.messageId])
    expect((await sessions.history(sessionId)).messages.map(({ content }) => content)).toContain('third')
  })

  it.each(['close', 'cancel'] as const)('are taken back by whoever ends the session (%s)', async (how) => {
    const house = await houseOf([])
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await house.sessions.pause(sessionId, 'ana')
    const { messageId } = await house.sessions.send(sessionId, { content: 'never mind' }, 'ana')
    await house.sessions[how](sessionId, 'ben')
    const cancelled = await eventsOf(house, sessionId, 'UserMessageCancelled')
    expect(cancelled.map(({ data }) => data)).toEqual([{ messageId, by: 'ben' }])
    expect((await stateOf(house, sessionId)).queued).toEqual([])
  })

  it('are taken back when the turn before them is cancelled', async () => {
    const { house, sessionId } = await workingHouse()
    await house.sessions.send(sessionId, { content: 'never mind' }, 'ana')
    await house.sessions.cancel(sessionId, 'ben')
    await rests(house, sessionId, 'cancelled')
    expect(await eventsOf(house, sessionId, 'UserMessageCancelled')).toHaveLength(1)
    expect((await stateOf(house, sessionId)).queued).toEqual([])
  })

  it('belong to a session that exists', async () => {
    const house = await houseOf([])
    await refusedWith(house.sessions.messages('ses_nothere' as never), 'session.not-found')
  })
})

describe('a message for the running turn', () => {
  it('is heard in that turn, and the log says so', async () => {
    const script = (input: string): readonly Step[] =>
      input === 'one' ? [say('working'), { type: 'delay', ms: 300 }] : [say('heard you')]
    const house = await houseOf(script)
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await expect.poll(() => answersOf(house, sessionId)).toEqual(['working'])
    await house.sessions.send(sessionId, { content: 'also this', delivery: 'immediate' }, 'ana')
    await rests(house, sessionId, 'idle')
    const turns = await eventsOf(house, sessionId, 'TurnStarted')
    const delivered = await eventsOf(house, sessionId, 'UserMessageDelivered')
    expect(turns).toHaveLength(1)
    expect(delivered.map((event) => event.turnId)).toEqual([turns[0]?.turnId, turns[0]?.turnId])
    expect(await answersOf(house, sessionId)).toContain('heard you')
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
    const house = await openTestHouse({ backend: deaf })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(house, sessionId, 'running')
    await house.sessions.send(sessionId, { content: 'two', delivery: 'immediate' }, 'ana')
    expect(await house.sessions.messages(sessionId)).toMatchObject([{ content: 'two', delivery: 'immediate' }])
    await house.sessions.interrupt(sessionId, 'ana')
    await rests(house, sessionId, 'idle')
    expect(await eventsOf(house, sessionId, 'TurnStarted')).toHaveLength(2)
    expect((await answersOf(house, sessionId)).at(-1)).toBe('You said: two')
  })

  it('is never taken twice, however close to the end of a turn it comes', async () => {
    const house = await houseOf(() => [say('ok'), { type: 'delay', ms: 3 }])
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'start' }, 'ana')
    for (let number = 0; number < 40; number += 1) {
      await house.sessions.send(sessionId, { content: `m${number}`, delivery: 'immediate' }, 'ana')
    }
    await rests(house, sessionId, 'idle')
    const delivered = (await eventsOf(house, sessionId, 'UserMessageDelivered')).map(({ data }) => data.messageId)
    expect(delivered).toHaveLength(41)
    expect(new Set(delivered).size).toBe(41)
    expect(await answersOf(house, sessionId)).toHaveLength(41)
  })
})

describe('pause and resume', () => {
  it('stop the turn, hold the queue, and let the agent go on with its work first', async () => {
    const { house, sessionId } = await workingHouse([[stall]])
    await house.sessions.send(sessionId, { content: 'two' }, 'ana')
    await house.sessions.pause(sessionId, 'ben')
    await rests(house, sessionId, 'paused')
    expect(await eventsOf(house, sessionId, 'TurnStarted')).toHaveLength(1)
    await refusedWith(house.sessions.pause(sessionId, 'ben'), 'session.busy')
    await house.sessions.resume(sessionId, 'ben')
    await rests(house, sessionId, 'idle')
    expect(await answersOf(house, sessionId)).toEqual([
      'working',
      expect.stringContaining('You were stopped in the middle of your work'),
      'You said: two',
    ])
    const passed = (await eventsOf(house, sessionId, 'AgentSessionStatusChanged')).map(({ data }) => data.to)
    expect(passed).toEqual(expect.arrayContaining(['pausing', 'paused', 'resuming', 'queued', 'running', 'idle']))
  })

  it('keep an approval open, whose answer goes on after the resume', async () => {
    const house = await houseOf([[ls, say('done')]])
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'list' }, 'ana')
    await rests(house, sessionId, 'waiting_approval')
    await house.sessions.pause(sessionId, 'ben')
    await rests(house, sessionId, 'paused')
    const [open] = (await stateOf(house, sessionId)).approvals
    if (open === undefined) throw new Error('the approval is gone')
    await house.sessions.decide(open.approvalId, { decision: 'allow' }, 'ben')
    expect(await stateOf(house, sessionId)).toMatchObject({ status: 'paused', approvals: [] })
    await house.sessions.resume(sessionId, 'ben')
    await rests(house, sessionId, 'idle')
    expect((await answersOf(house, sessionId)).join()).toContain('Approved call (re-issue exactly)')
  })

  it('outlive the server', async () => {
    const store = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
    const first = await openTestHouse({ backend: createScriptedBackend({ script: [[stall]] }), store })
    const { sessionId } = await first.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await expect.poll(async () => (await first.sessions.snapshot(sessionId)).openTexts).toHaveLength(1)
    await first.sessions.pause(sessionId, 'ana')
    await rests(first, sessionId, 'paused')
    await first.coordinator.close()
    const second = await openTestHouse({ backend: createScriptedBackend({ script: [] }), store })
    await second.recover()
    expect((await stateOf(second, sessionId)).status).toBe('paused')
    await second.sessions.resume(sessionId, 'ana')
    await rests(second, sessionId, 'idle')
  })

  it('have nothing to do for a session that rests by itself', async () => {
    const house = await houseOf([])
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await refusedWith(house.sessions.resume(sessionId, 'ana'), 'session.not-running')
  })
})

describe('settings', () => {
  it('reach a process that runs, and the turns after it', async () => {
    const told: unknown[] = []
    const backend = createScriptedBackend({ script: [] })
    const house = await openTestHouse({
      backend: {
        ...backend,
        createSession: async (options) => {
          const session = await backend.createSession(options)
          return {
            ...session,
            setModel: async (model) => void told.push(model),
            setPermissionMode: async (mode) => void told.push(mode),
            setThinking: async (thinking) => void told.push(thinking),
          }
        },
      },
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(house, sessionId, 'idle')
    const wanted = { model: 'low', permissionMode: 'plan', thinking: { budgetTokens: 2000 } } as const
    await house.sessions.change(sessionId, wanted, 'ben')
    expect(told).toEqual(['claude-haiku-4-5', 'plan', { budgetTokens: 2000 }])
    expect(await stateOf(house, sessionId)).toMatchObject({ ...wanted, model: 'claude-haiku-4-5' })
  })

  it('hold also when the process cannot be told: the next one starts with them', async () => {
    const models: string[] = []
    const backend = createScriptedBackend({ script: [] })
    const house = await openTestHouse({
      backend: {
        ...backend,
        createSession: async (options) => {
          models.push(options.model)
          const setModel = () => Promise.reject(new Error('the process is gone'))
          return { ...(await backend.createSession(options)), setModel }
        },
      },
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(house, sessionId, 'idle')
    await house.sessions.change(sessionId, { model: 'low' }, 'ana')
    await house.sessions.send(sessionId, { content: 'two' }, 'ana')
    await rests(house, sessionId, 'idle')
    expect(models).toEqual(['claude-sonnet-4-5-20250929', 'claude-haiku-4-5'])
  })

  it('are refused where they are unknown, wider than the agent file, or out of bounds', async () => {
    const house = await houseOf([])
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    const unknown = house.sessions.change(sessionId, { model: 'gpt-9' }, 'ana')
    await expect(unknown).rejects.toThrow(/there are auto, pro, high, low, claude-/)
    await refusedWith(unknown, 'model.unknown')
    const misspelled = house.sessions.change(sessionId, { model: 'claude-sonet-4' }, 'ana')
    await expect(misspelled).rejects.toThrow('there is no model "claude-sonet-4". Did you mean "claude-sonnet-4-5"?')
    await refusedWith(misspelled, 'model.unknown')
    await refusedWith(house.sessions.change(sessionId, { permissionMode: 'acceptAll' }, 'ana'), 'request.invalid')
    await refusedWith(house.sessions.change(sessionId, { thinking: { budgetTokens: 1 } }, 'ana'), 'request.invalid')
    await refusedWith(
      house.sessions.create({ agent: 'tester', thinking: { budgetTokens: 1 } }, 'ana'),
      'request.invalid',
    )
    await refusedWith(house.sessions.change('ses_nothere' as never, { title: 'x' }, 'ana'), 'session.not-found')
  })

  it('accept a model that the catalog does not list yet, with a warning that its price is unknown', async () => {
    const house = await houseOf([])
    const model = 'claude-sonnet-9-20300101'
    const warnings = [`the price of model "${model}" is unknown: no dollar limit, only turns and time`]
    const created = await house.sessions.create({ agent: 'tester', model }, 'ana')
    expect(created.warnings).toEqual(warnings)
    expect((await stateOf(house, created.sessionId)).model).toBe(model)
    expect(await house.sessions.change(created.sessionId, { model: 'low' }, 'ana')).not.toHaveProperty('warnings')
    expect((await house.sessions.change(created.sessionId, { model }, 'ana')).warnings).toEqual(warnings)
  })

  it.each(['ollama', 'azure_openai'] as const)('accept any model name when the provider is %s', async (provider) => {
    const model = { ...testAgent('/').model, provider, name: 'chat', id: 'chat' }
    const agent = { backend: 'loop', model } as const
    const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }), agent })
    const created = await house.sessions.create({ agent: 'tester', model: 'claude-sonet-4' }, 'ana')
    expect(created).not.toHaveProperty('warnings')
    expect((await stateOf(house, created.sessionId)).model).toBe('claude-sonet-4')
    await refusedWith(house.sessions.create({ agent: 'tester', model: 'low' }, 'ana'), 'model.unknown')
  })

  it('take only models of the provider the agent uses', async () => {
    const model = { ...testAgent('/').model, provider: 'openai', name: 'gpt-5.2', id: 'gpt-5.2' } as const
    const house = await openTestHouse({
      backend: createScriptedBackend({ script: [] }),
      agent: { backend: 'loop', model },
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    for (const wanted of ['claude-haiku-4-5', 'low', 'auto']) {
      const changed = house.sessions.change(sessionId, { model: wanted }, 'ana')
      await expect(changed).rejects.toThrow(`"${wanted}" is not a model of openai, which this agent uses: there are`)
      await refusedWith(changed, 'model.unknown')
      await refusedWith(house.sessions.create({ agent: 'tester', model: wanted }, 'ana'), 'model.unknown')
    }
    expect((await stateOf(house, sessionId)).model).toBe('gpt-5.2')
  })

  it('begin with what the agent file says', async () => {
    const house = await openTestHouse({
      backend: createScriptedBackend({ script: [] }),
      agent: { claude: claudeSettings(tmpdir(), { thinking: { budgetTokens: 5000 } }) },
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    expect((await stateOf(house, sessionId)).thinking).toEqual({ budgetTokens: 5000 })
    const off = await house.sessions.create({ agent: 'tester', thinking: null }, 'ana')
    expect((await stateOf(house, off.sessionId)).thinking).toBeNull()
  })

  it('may raise a limit above the agent file, and a stopped session goes on', async () => {
    const house = await houseOf((input) => (input === 'one' ? [{ type: 'limit', limit: 'turns' }] : [say(input)]))
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one' }, 'ana')
    await rests(house, sessionId, 'stopped_turns')
    await house.sessions.change(sessionId, { limits: { maxTurns: 500 } }, 'ben')
    await rests(house, sessionId, 'idle')
    expect(await eventsOf(house, sessionId, 'BudgetChanged')).toMatchObject([
      { data: { to: { maxTurns: 500 }, by: 'ben' } },
    ])
    expect(await answersOf(house, sessionId)).toEqual([expect.stringContaining('go on with the task')])
  })

  it('may raise a limit of turns while the turn waits, and the session goes on at the old one', async () => {
    const request: Step = { type: 'usage', input: 1, output: 1 }
    const house = await houseOf((input) =>
      input === 'one' ? [request, ls, request, say('too far')] : [request, request, say('done')],
    )
    const { sessionId } = await house.sessions.create(
      { agent: 'tester', message: 'one', limits: { maxTurns: 1 } },
      'ana',
    )
    await rests(house, sessionId, 'waiting_approval')
    await house.sessions.change(sessionId, { limits: { maxTurns: 20 } }, 'ben')
    await allow(house, sessionId)
    await rests(house, sessionId, 'idle')
    expect(await answersOf(house, sessionId)).toEqual(['done'])
    expect(await eventsOf(house, sessionId, 'AgentSessionTurnLimitReached')).toEqual([])
  })

  it('may raise a limit of money while the turn waits, and the session goes on at the old one', async () => {
    // $0.12.
    const request: Step = { type: 'usage', input: 40_000, output: 0, costUsd: 0.12 }
    const script: Script = (input) =>
      input === 'one' ? [request, ls, request, say('too far')] : [request, request, say('done')]
    const house = await openTestHouse({ backend: createScriptedBackend({ script }), isUnmetered: true })
    const limits = { maxBudgetUsd: 0.2 }
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(house, sessionId, 'waiting_approval')
    await house.sessions.change(sessionId, { limits: { maxBudgetUsd: 5 } }, 'ben')
    await allow(house, sessionId)
    await rests(house, sessionId, 'idle')
    expect(await answersOf(house, sessionId)).toEqual(['done'])
    expect(await eventsOf(house, sessionId, 'AgentSessionBudgetExceeded')).toEqual([])
  })

  it('may raise a limit of time, and the session that used it up goes on', async () => {
    const house = await houseOf((input) => (input === 'one' ? [stall] : [say('done')]))
    const limits = { maxDurationMs: 1000 }
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(house, sessionId, 'failed')
    expect(await stateOf(house, sessionId)).toMatchObject({
      wasCutOff: true,
      lastError: 'the session has worked for 1.0 s, its limit: raise it and it goes on',
    })
    await refusedWith(house.sessions.resume(sessionId, 'ben'), 'session.not-running')
    await house.sessions.change(sessionId, { limits: { maxDurationMs: 600_000 } }, 'ben')
    await rests(house, sessionId, 'idle')
    expect(await answersOf(house, sessionId)).toEqual(['working', 'done'])
  })

  it('may raise a limit of time while the turn waits, and the session goes on at the old one', async () => {
    const house = await houseOf((input) => (input === 'one' ? [ls, stall] : [say('done')]))
    const limits = { maxDurationMs: 3000 }
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(house, sessionId, 'waiting_approval')
    await house.sessions.change(sessionId, { limits: { maxDurationMs: 600_000 } }, 'ben')
    await allow(house, sessionId)
    await rests(house, sessionId, 'idle')
    expect(await answersOf(house, sessionId)).toEqual(['working', 'done'])
    expect(await eventsOf(house, sessionId, 'AgentSessionFailed')).toEqual([])
  })

  it('put a closed session away, out of the list', async () => {
    const house = await houseOf([])
    const { sessionId } = await house.sessions.create({ agent: 'tester', title: 'Old' }, 'ana')
    await house.sessions.close(sessionId, 'ana')
    await house.sessions.change(sessionId, { isArchived: true, tags: ['done'] }, 'ana')
    expect((await house.sessions.list({})).sessions).toEqual([])
    expect((await house.sessions.list({ archived: 'true', tag: 'done' })).sessions).toMatchObject([{ sessionId }])
    expect((await house.sessions.list({ archived: 'all' })).sessions).toMatchObject([{ sessionId }])
  })
})

it('tells what a session can do', async () => {
  const house = await houseOf([])
  const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
  expect(await house.sessions.capabilities(sessionId)).toMatchObject({ tools: expect.any(Array) })
  await house.sessions.close(sessionId, 'ana')
  await refusedWith(house.sessions.capabilities(sessionId), 'session.closed')
})

describe('a message to a subagent', () => {
  it('is handed to the lead with the name of the subagent', async () => {
    const house = await houseOf([
      [{ type: 'subagent', agentType: 'explorer', description: 'look', steps: [say('looked')], summary: 'looked' }],
    ])
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'delegate' }, 'ana')
    await rests(house, sessionId, 'idle')
    const [subagent] = await eventsOf(house, sessionId, 'SubagentStarted')
    if (subagent === undefined) throw new Error('no subagent')
    const { agentId } = subagent.data
    const word = { content: 'and then?', seed: 'one try' }
    await house.sessions.messageSubagent({ sessionId, agentId }, word, 'ana')
    await rests(house, sessionId, 'idle')
    await house.sessions.messageSubagent({ sessionId, agentId }, word, 'ana')
    expect(await eventsOf(house, sessionId, 'UserMessageQueued')).toHaveLength(2)
    const told = (await answersOf(house, sessionId)).at(-1)
    expect(told).toContain(`to "${agentId}"`)
    expect(told).toContain('and then?')
  })

  it('is refused for one this session never had', async () => {
    const house = await houseOf([])
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    const unknown = house.sessions.messageSubagent({ sessionId, agentId: 'a1' }, { content: 'hello' }, 'ana')
    await refusedWith(unknown, 'subagent.not-found')
  })
})
