// Answers that arrive while a turn is being stopped are never taken and then lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { draft, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend, SessionOptions } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { beforeAppend, openTestStore } from '../../testing/test-store.fixture.ts'
import { type AskSample, answerAll, asking, askSamples, client } from '../testing/ask-samples.fixture.ts'
import { backendOf, completedTurn } from '../testing/backend-of-turn.fixture.ts'
import { eventsOf, refusedWith, rests, stateOf, type TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

/** Like a real process, it learns of an interrupt a moment later than the engine. */
function receivingLate(backend: AgentBackend): AgentBackend {
  const late = (signal: AbortSignal): AbortSignal => {
    const later = new AbortController()
    signal.addEventListener('abort', () => setTimeout(() => later.abort(), 300))
    return later.signal
  }
  const slowed = (options: SessionOptions): SessionOptions => ({
    ...options,
    gate: { ...options.gate, ask: (call, signal, because) => options.gate.ask(call, late(signal), because) },
    questions: { ask: (question, signal) => options.questions.ask(question, late(signal)) },
    clientTools: { ...options.clientTools, call: (call, signal) => options.clientTools.call(call, late(signal)) },
  })
  return { ...backend, createSession: (options) => backend.createSession(slowed(options)) }
}

async function waiting(kind: AskSample, given?: EventStore) {
  const store = given ?? (await openTestStore())
  const runtime = await openTestRuntime({
    backend: receivingLate(createScriptedBackend({ script: asking(kind) })),
    store,
  })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go', client }, 'ana')
  await runtime.until(sessionId, kind.status)
  return { runtime, sessionId }
}

const done = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await eventsOf(runtime, sessionId, 'ToolExecuted'))
    .filter(({ data }) => !data.isError)
    .map(({ data }) => data.output)

describe.each(Object.values(askSamples))('an answer to a $kind', (kind) => {
  it('that arrives while its turn is being paused is reported after the resume', async () => {
    const { runtime, sessionId } = await waiting(kind)
    await runtime.sessions.pause(sessionId, 'ana')
    await answerAll(runtime, sessionId)
    await rests(runtime, sessionId, 'paused')
    expect(await done(runtime, sessionId)).toEqual([])
    await runtime.sessions.resume(sessionId, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect(await done(runtime, sessionId)).toEqual([kind.output])
  })

  it('that arrives while its turn is being interrupted is refused', async () => {
    const { runtime, sessionId } = await waiting(kind)
    await runtime.sessions.interrupt(sessionId, 'ana')
    await refusedWith(answerAll(runtime, sessionId), 'session.busy')
    await rests(runtime, sessionId, 'interrupted')
  })

  it('that arrives while the server shuts down is reported after the restart', async () => {
    const { runtime, sessionId } = await waiting(kind)
    const drained = runtime.coordinator.drain(10_000)
    await answerAll(runtime, sessionId)
    await drained
    const next = await openTestRuntime({
      backend: createScriptedBackend({ script: asking(kind) }),
      store: runtime.store,
    })
    await next.recover()
    await rests(next, sessionId, 'idle')
    expect(await done(next, sessionId)).toEqual([kind.output])
  })

  it('that was taken for a turn that is stopped first is reported after the restart', async () => {
    const real = await openTestStore()
    let isAnswering = false
    const answered = ['ApprovalDecided', 'QuestionAnswered', 'ClientToolReturned']
    const slow = beforeAppend(real, async (drafts) => {
      if (!drafts.some(({ type }) => answered.includes(type))) return
      isAnswering = true
      await sleep(200)
    })
    const { runtime, sessionId } = await waiting(kind, slow)
    const given = answerAll(runtime, sessionId)
    await expect.poll(() => isAnswering, { interval: 5 }).toBe(true)
    const drained = runtime.coordinator.drain(0)
    await given
    await drained
    expect(await eventsOf(runtime, sessionId, 'AnswerMissed')).toHaveLength(1)
    const next = await openTestRuntime({ backend: createScriptedBackend({ script: asking(kind) }), store: real })
    await next.recover()
    await rests(next, sessionId, 'idle')
    expect(await done(next, sessionId)).toEqual([kind.output])
  })
})

it('uses an answer that arrives just before a shutdown within the grace period', async () => {
  const { runtime, sessionId } = await waiting(askSamples.approval)
  await answerAll(runtime, sessionId)
  await runtime.coordinator.drain(10_000)
  expect(await done(runtime, sessionId)).toEqual(['notes.txt'])
})

describe('an allowed call that is stopped before it has a result', () => {
  const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 'toolu_1', agent: null }
  const never = new AbortController().signal
  const result = (withoutResult: boolean) =>
    draft('ToolExecuted', {
      toolName: 'Bash',
      toolUseId: 'toolu_1',
      output: 'rejected',
      isError: true,
      durationMs: 1,
      ...(withoutResult && { withoutResult }),
    })
  const interrupted = { ...completedTurn, data: { ...completedTurn.data, outcome: 'interrupted' as const } }

  /** A process that has the answer when it is stopped, and then reports the call as `withoutResult` says. */
  async function stopped(withoutResult: boolean) {
    let isStopped: () => void = () => undefined
    const stop = new Promise<void>((resolve) => {
      isStopped = resolve
    })
    const inputs: string[] = []
    const backend = backendOf(async function* (input, gate) {
      inputs.push(input)
      yield draft('AgentInvokedTool', { ...call, messageId: 'msg_1' })
      if ((await gate.check(call)).type === 'ask') await gate.ask(call, never)
      if (inputs.length > 1) return yield completedTurn
      isAllowed()
      await stop
      yield result(withoutResult)
      yield interrupted
    })
    let isAllowed: () => void = () => undefined
    const allowed = new Promise<void>((resolve) => {
      isAllowed = resolve
    })
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'waiting_approval')
    await answerAll(runtime, sessionId)
    await allowed
    return { runtime, sessionId, inputs, stop: () => isStopped() }
  }

  it('is reported after a pause as possibly run, and asked for again', async () => {
    const { runtime, sessionId, inputs, stop } = await stopped(true)
    await runtime.sessions.pause(sessionId, 'ana')
    stop()
    await rests(runtime, sessionId, 'paused')
    const [missed, ...more] = await eventsOf(runtime, sessionId, 'AnswerMissed')
    expect(missed?.data.answer).toMatchObject({ type: 'decision', isAllowed: true, mayHaveRun: true })
    expect(more).toEqual([])
    expect((await stateOf(runtime, sessionId)).grants).toEqual([])
    await runtime.sessions.resume(sessionId, 'ana')
    await rests(runtime, sessionId, 'waiting_approval')
    expect(inputs[1]).toContain('Approved call that was stopped (it may have run): {"tool":"Bash"')
    expect(inputs[1]).not.toContain('None of the approved')
    await answerAll(runtime, sessionId)
    await rests(runtime, sessionId, 'idle')
    expect((await stateOf(runtime, sessionId)).unreported).toEqual([])
  })

  it('is reported after the restart when the server shuts down', async () => {
    const { runtime, sessionId, stop } = await stopped(true)
    const drained = runtime.coordinator.drain(0)
    await sleep(100)
    stop()
    await drained
    expect(await eventsOf(runtime, sessionId, 'AnswerMissed')).toHaveLength(1)
    expect((await stateOf(runtime, sessionId)).queued).toMatchObject([{ origin: 'engine' }])
  })

  it('is not reported when it has its result after all', async () => {
    const { runtime, sessionId, stop } = await stopped(false)
    await runtime.sessions.pause(sessionId, 'ana')
    stop()
    await rests(runtime, sessionId, 'paused')
    expect(await eventsOf(runtime, sessionId, 'AnswerMissed')).toEqual([])
  })

  it('ends with its turn when a person interrupts it', async () => {
    const { runtime, sessionId, stop } = await stopped(true)
    await runtime.sessions.interrupt(sessionId, 'ana')
    stop()
    await rests(runtime, sessionId, 'interrupted')
    expect(await eventsOf(runtime, sessionId, 'AnswerMissed')).toEqual([])
  })
})
