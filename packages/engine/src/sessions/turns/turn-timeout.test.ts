// `execution.llm_timeout`: how long one turn may work.
import { errorReasons } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { gateOf } from '../../backends/contract/backend-events.contract.ts'
import { optionsOf } from '../../backends/contract/backend-harness.contract.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../../backends/scripted/script.ts'
import { answersOf, eventsOf, ls, rests, stall, textStep } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a turn that exceeds its working time', () => {
  it('timeout exceeded: ends as timeout, names the limit, and the session continues', async () => {
    const script: readonly (readonly Step[])[] = [[stall], [textStep('again')]]
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), agent: { turnTimeoutMs: 300 } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
    await rests(runtime, sessionId, 'failed')
    const [ended] = await eventsOf(runtime, sessionId, 'TurnEnded')
    expect(ended?.data).toMatchObject({
      outcome: 'timeout',
      result: { isError: true, errorReason: errorReasons.timeout },
    })
    expect(ended?.data.durationMs).toBeGreaterThanOrEqual(300)
    const [failed] = await eventsOf(runtime, sessionId, 'AgentSessionFailed')
    expect(failed?.data).toMatchObject({
      reason: errorReasons.timeout,
      errors: [expect.stringContaining('llm_timeout')],
    })
    await runtime.sessions.sendMessage(sessionId, { content: 'and now?' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('again')
  })

  it('does not count the time a person takes', async () => {
    const backend = createScriptedBackend({ script: [[ls, textStep('done')]] })
    const runtime = await openTestRuntime({ backend, agent: { turnTimeoutMs: 1500 } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    await wait(2500)
    const [asked] = await eventsOf(runtime, sessionId, 'ApprovalRequested')
    if (asked === undefined) throw new Error('nobody was asked')
    await runtime.sessions.decideApproval(asked.data.approvalId, { decision: 'allow' }, 'ben')
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['done'])
  })

  it('is not extended by more time for the session', async () => {
    const backend = createScriptedBackend({ script: [[stall]] })
    const runtime = await openTestRuntime({ backend, agent: { turnTimeoutMs: 1000 } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
    await rests(runtime, sessionId, 'running')
    await runtime.sessions.changeSession(sessionId, { limits: { maxDurationMs: 7_200_000 } }, 'ana')
    await rests(runtime, sessionId, 'failed')
    expect(await eventsOf(runtime, sessionId, 'TurnStarted')).toHaveLength(1)
  })
})

describe('invokeOnce', () => {
  const modelAccess = { type: 'gateway', baseUrl: 'http://127.0.0.1:9', token: 'none' } as const
  const sessionOptions = { cwd: '/', model: 'a-model', modelSource: 'simulator', modelAccess } as const
  const backendWith = (script: readonly Step[], turnTimeoutMs: number) => {
    const backend = createScriptedBackend({ script: [script], turnTimeoutMs })
    return { backend, options: sessionOptions, crash: async () => undefined, close: backend.teardown }
  }

  it('timeout exceeded: returns a result with the timeout as its reason', async () => {
    const late = backendWith([textStep('I begin'), stall], 200)
    expect(await late.backend.invokeOnce('hi', optionsOf(late))).toMatchObject({
      isError: true,
      errorReason: errorReasons.timeout,
    })
  })

  it('does not count the time a person takes', async () => {
    const patient = backendWith([ls, textStep('done')], 1500)
    const gate = gateOf({
      check: async () => ({ type: 'ask' }),
      ask: async ({ toolInput }) => {
        await wait(2500)
        return { type: 'allow', input: toolInput }
      },
    })
    expect(await patient.backend.invokeOnce('hi', optionsOf(patient, { gate }))).toMatchObject({ response: 'done' })
  })
})
