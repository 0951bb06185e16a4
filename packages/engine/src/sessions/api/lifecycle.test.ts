import { describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import {
  answersOf,
  eventsOf,
  ls,
  refusedWith,
  rests,
  runtimeOf,
  stall,
  stateOf,
  textStep,
  workingRuntime,
} from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

describe('pause and resume', () => {
  it('stop the turn, hold the queue, and let the agent continue its work first', async () => {
    const { runtime, sessionId } = await workingRuntime([[stall]])
    await runtime.sessions.sendMessage(sessionId, { content: 'two' }, 'ana')
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

  it('keep an approval open, whose decision takes effect after the resume', async () => {
    const runtime = await runtimeOf([[ls, textStep('done')]])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'list' }, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    await runtime.sessions.pause(sessionId, 'ben')
    await rests(runtime, sessionId, 'paused')
    const [open] = (await stateOf(runtime, sessionId)).approvals
    if (open === undefined) throw new Error('the approval is gone')
    await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben')
    expect(await stateOf(runtime, sessionId)).toMatchObject({ status: 'paused', approvals: [] })
    await runtime.sessions.resume(sessionId, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).join()).toContain('Approved call (re-issue exactly)')
  })

  it('give the agent a message that the paused turn had not handed over, and nothing else', async () => {
    const scripted = createScriptedBackend({ script: [] })
    let open: () => void = () => undefined
    const opened = new Promise<void>((resolve) => (open = resolve))
    let isOpening = false
    const runtime = await openTestRuntime({
      backend: {
        ...scripted,
        async createSession(options) {
          isOpening = true
          await opened
          return scripted.createSession(options)
        },
      },
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await expect.poll(() => isOpening).toBe(true)
    await runtime.sessions.pause(sessionId, 'ben')
    open()
    await rests(runtime, sessionId, 'paused')
    expect((await stateOf(runtime, sessionId)).queued).toMatchObject([{ content: 'one' }])
    await runtime.sessions.resume(sessionId, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['You said: one'])
  })

  it('survive a restart of the server', async () => {
    const store = await openTestStore()
    const first = await openTestRuntime({ backend: createScriptedBackend({ script: [[stall]] }), store })
    const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await expect.poll(async () => (await first.sessions.getSession(sessionId)).openTexts).toHaveLength(1)
    await first.sessions.pause(sessionId, 'ana')
    await rests(first, sessionId, 'paused')
    await first.coordinator.close()
    const second = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
    await second.recover()
    expect((await stateOf(second, sessionId)).status).toBe('paused')
    await second.sessions.resume(sessionId, 'ana')
    await rests(second, sessionId, 'idle')
  })

  it('are refused for a session that rests by itself', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await refusedWith(runtime.sessions.resume(sessionId, 'ana'), 'session.not-running')
  })
})

it('reports the capabilities of a session', async () => {
  const runtime = await runtimeOf([])
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  expect(await runtime.sessions.capabilities(sessionId)).toMatchObject({ tools: expect.any(Array) })
  await runtime.sessions.close(sessionId, 'ana')
  await refusedWith(runtime.sessions.capabilities(sessionId), 'session.closed')
})
