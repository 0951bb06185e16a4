import { tmpdir } from 'node:os'
import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../../backends/scripted/script.ts'
import { claudeSettings, testAgent } from '../../testing/agent-definition.fixture.ts'
import {
  answersOf,
  eventsOf,
  ls,
  refusedWith,
  rests,
  runtimeOf,
  stall,
  stateOf,
  type TestRuntime,
  textStep,
} from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

async function allow(runtime: TestRuntime, sessionId: SessionId): Promise<void> {
  for (const { approvalId } of (await stateOf(runtime, sessionId)).approvals) {
    await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
  }
}

describe('settings', () => {
  it('reach a running process and the turns after it', async () => {
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
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const wanted = { model: 'low', permissionMode: 'plan', thinking: { budgetTokens: 2000 } } as const
    await runtime.sessions.changeSession(sessionId, wanted, 'ben')
    expect(reported).toEqual(['claude-haiku-4-5', 'plan', { budgetTokens: 2000 }])
    expect(await stateOf(runtime, sessionId)).toMatchObject({ ...wanted, model: 'claude-haiku-4-5' })
  })

  it('apply even when the process does not take them: the next process starts with them', async () => {
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
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    await runtime.sessions.changeSession(sessionId, { model: 'low' }, 'ana')
    await runtime.sessions.sendMessage(sessionId, { content: 'two' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect(models).toEqual(['claude-sonnet-4-5-20250929', 'claude-haiku-4-5'])
  })

  it('are refused when unknown, wider than the agent file, or out of bounds', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const unknown = runtime.sessions.changeSession(sessionId, { model: 'gpt-9' }, 'ana')
    await expect(unknown).rejects.toThrow(/there are auto, pro, high, low, claude-/)
    await refusedWith(unknown, 'model.unknown')
    const misspelled = runtime.sessions.changeSession(sessionId, { model: 'claude-sonet-4' }, 'ana')
    await expect(misspelled).rejects.toThrow('there is no model "claude-sonet-4". Did you mean "claude-sonnet-4-5"?')
    await refusedWith(misspelled, 'model.unknown')
    await refusedWith(
      runtime.sessions.changeSession(sessionId, { permissionMode: 'acceptAll' }, 'ana'),
      'request.invalid',
    )
    await refusedWith(
      runtime.sessions.changeSession(sessionId, { thinking: { budgetTokens: 1 } }, 'ana'),
      'request.invalid',
    )
    await refusedWith(
      runtime.sessions.createSession({ agent: 'tester', thinking: { budgetTokens: 1 } }, 'ana'),
      'request.invalid',
    )
    await refusedWith(
      runtime.sessions.changeSession('ses_nothere' as never, { title: 'x' }, 'ana'),
      'session.not-found',
    )
  })

  it('accept a model that the catalog does not list yet, with a warning that its price is unknown', async () => {
    const runtime = await runtimeOf([])
    const model = 'claude-sonnet-9-20300101'
    const warnings = [`the price of model "${model}" is unknown: dollar limits do not apply, only turn and time limits`]
    const created = await runtime.sessions.createSession({ agent: 'tester', model }, 'ana')
    expect(created.warnings).toEqual(warnings)
    expect((await stateOf(runtime, created.sessionId)).model).toBe(model)
    expect(await runtime.sessions.changeSession(created.sessionId, { model: 'low' }, 'ana')).not.toHaveProperty(
      'warnings',
    )
    expect((await runtime.sessions.changeSession(created.sessionId, { model }, 'ana')).warnings).toEqual(warnings)
  })

  it.each(['ollama', 'azure_openai'] as const)('accept any model name when the provider is %s', async (provider) => {
    const model = { ...testAgent('/').model, provider, name: 'chat', id: 'chat' }
    const agent = { backend: 'loop', model } as const
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), agent })
    const created = await runtime.sessions.createSession({ agent: 'tester', model: 'claude-sonet-4' }, 'ana')
    expect(created).not.toHaveProperty('warnings')
    expect((await stateOf(runtime, created.sessionId)).model).toBe('claude-sonet-4')
    await refusedWith(runtime.sessions.createSession({ agent: 'tester', model: 'low' }, 'ana'), 'model.unknown')
  })

  it("accept only models of the agent's provider", async () => {
    const model = { ...testAgent('/').model, provider: 'openai', name: 'gpt-5.2', id: 'gpt-5.2' } as const
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [] }),
      agent: { backend: 'loop', model },
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    for (const wanted of ['claude-haiku-4-5', 'low', 'auto']) {
      const changed = runtime.sessions.changeSession(sessionId, { model: wanted }, 'ana')
      await expect(changed).rejects.toThrow(`"${wanted}" is not a model of openai, which this agent uses: there are`)
      await refusedWith(changed, 'model.unknown')
      await refusedWith(runtime.sessions.createSession({ agent: 'tester', model: wanted }, 'ana'), 'model.unknown')
    }
    expect((await stateOf(runtime, sessionId)).model).toBe('gpt-5.2')
  })

  it('start with the values of the agent file', async () => {
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [] }),
      agent: { claude: claudeSettings(tmpdir(), { thinking: { budgetTokens: 5000 } }) },
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    expect((await stateOf(runtime, sessionId)).thinking).toEqual({ budgetTokens: 5000 })
    const off = await runtime.sessions.createSession({ agent: 'tester', thinking: null }, 'ana')
    expect((await stateOf(runtime, off.sessionId)).thinking).toBeNull()
  })

  it('may raise a limit above the agent file, and a stopped session continues', async () => {
    const runtime = await runtimeOf((input) =>
      input === 'one' ? [{ type: 'limit', limit: 'turns' }] : [textStep(input)],
    )
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'stopped_turns')
    await runtime.sessions.changeSession(sessionId, { limits: { maxTurns: 500 } }, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect(await eventsOf(runtime, sessionId, 'BudgetChanged')).toMatchObject([
      { data: { to: { maxTurns: 500 }, by: 'ben' } },
    ])
    expect(await answersOf(runtime, sessionId)).toEqual([expect.stringContaining('go on with the task')])
  })

  it('may raise a turn limit during a turn, and the session continues past the old limit', async () => {
    const request: Step = { type: 'usage', input: 1, output: 1 }
    const runtime = await runtimeOf((input) =>
      input === 'one' ? [request, ls, request, textStep('too far')] : [request, request, textStep('done')],
    )
    const { sessionId } = await runtime.sessions.createSession(
      { agent: 'tester', message: 'one', limits: { maxTurns: 1 } },
      'ana',
    )
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.changeSession(sessionId, { limits: { maxTurns: 20 } }, 'ben')
    await allow(runtime, sessionId)
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['done'])
    expect(await eventsOf(runtime, sessionId, 'AgentSessionTurnLimitReached')).toEqual([])
  })

  it('may raise a money limit during a turn, and the session continues past the old limit', async () => {
    // $0.12.
    const request: Step = { type: 'usage', input: 40_000, output: 0, costUsd: 0.12 }
    const script: Script = (input) =>
      input === 'one' ? [request, ls, request, textStep('too far')] : [request, request, textStep('done')]
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), isUnmetered: true })
    const limits = { maxBudgetUsd: 0.2 }
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.changeSession(sessionId, { limits: { maxBudgetUsd: 5 } }, 'ben')
    await allow(runtime, sessionId)
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['done'])
    expect(await eventsOf(runtime, sessionId, 'AgentSessionBudgetExceeded')).toEqual([])
  })

  it('may raise a time limit, and a session that had reached it continues', async () => {
    const runtime = await runtimeOf((input) => (input === 'one' ? [stall] : [textStep('done')]))
    const limits = { maxDurationMs: 1000 }
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(runtime, sessionId, 'failed')
    expect(await stateOf(runtime, sessionId)).toMatchObject({
      wasCutOff: true,
      lastError: 'the session has worked for 1.0 s, its limit: raise it to continue',
    })
    await refusedWith(runtime.sessions.resume(sessionId, 'ben'), 'session.not-running')
    await runtime.sessions.changeSession(sessionId, { limits: { maxDurationMs: 600_000 } }, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['working', 'done'])
  })

  it('may raise a time limit during a turn, and the session continues past the old limit', async () => {
    const runtime = await runtimeOf((input) => (input === 'one' ? [ls, stall] : [textStep('done')]))
    const limits = { maxDurationMs: 3000 }
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one', limits }, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.changeSession(sessionId, { limits: { maxDurationMs: 600_000 } }, 'ben')
    await allow(runtime, sessionId)
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['working', 'done'])
    expect(await eventsOf(runtime, sessionId, 'AgentSessionFailed')).toEqual([])
  })

  it('archive a closed session and remove it from the list', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', title: 'Old' }, 'ana')
    await runtime.sessions.close(sessionId, 'ana')
    await runtime.sessions.changeSession(sessionId, { isArchived: true, tags: ['done'] }, 'ana')
    expect((await runtime.sessions.listSessions({})).sessions).toEqual([])
    expect((await runtime.sessions.listSessions({ archived: 'true', tag: 'done' })).sessions).toMatchObject([
      { sessionId },
    ])
    expect((await runtime.sessions.listSessions({ archived: 'all' })).sessions).toMatchObject([{ sessionId }])
  })
})
