// Processes as clients see them: only through queue positions.
import type { QueuePlaceChanged, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../backends/backend.ts'
import type { Step } from '../backends/scripted/script.ts'
import { ofType, openApproval, startSession, type TestRuntime } from '../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import { createCountingBackend } from './counting-backend.fixture.ts'

const patient = { timeout: 60_000 }
const ls: Step = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }
const statusOf = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await runtime.sessions.getSession(sessionId)).session.status
const isAsleep = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await runtime.sessions.getSession(sessionId)).session.isHibernated

async function startAndRest(runtime: TestRuntime): Promise<SessionId> {
  const sessionId = await startSession(runtime)
  await runtime.until(sessionId, 'idle')
  return sessionId
}

describe('the queue', () => {
  it('runs many sessions with few processes, each once, and shows all of them their queue position', async () => {
    const counting = createCountingBackend(() => [
      { type: 'delay', ms: 5 },
      { type: 'text', chunks: ['done'] },
    ])
    const runtime = await openTestRuntime({
      backend: counting.backend,
      processes: { maxResident: 3, maxRunningTurns: 2 },
    })
    const queuePositions: QueuePlaceChanged['data']['queuePosition'][] = []
    const ids: SessionId[] = []
    for (let index = 0; index < 30; index += 1) {
      const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
      runtime.bus.subscribe(sessionId, (events) => {
        for (const event of events ?? [])
          if (event.type === 'QueuePlaceChanged') queuePositions.push(event.data.queuePosition)
      })
      ids.push(sessionId)
    }
    await Promise.all(ids.map((sessionId) => runtime.sessions.sendMessage(sessionId, { content: 'go' }, 'ana')))
    let queue = await runtime.sessions.queue()
    const turnsNow = async () => {
      queue = await runtime.sessions.queue()
      return queue.turns
    }
    await expect.poll(turnsNow, { ...patient, interval: 1 }).toEqual({ running: 2, limit: 2 })
    expect(queue.processes).toMatchObject({ limit: 3 })
    expect(queue.waiting.map(({ queuePosition }) => queuePosition.position)).toEqual(
      queue.waiting.map((_, index) => index + 1),
    )
    await Promise.all(ids.map((sessionId) => runtime.until(sessionId, 'idle')))
    expect(counting.most()).toBeLessThanOrEqual(3)
    const answers = await Promise.all(ids.map(async (id) => ofType(await runtime.log(id), 'AgentThought').length))
    expect(answers).toEqual(ids.map(() => 1))
    expect(queuePositions.some((queuePosition) => queuePosition?.position === 20)).toBe(true)
    expect(queuePositions.filter((queuePosition) => queuePosition === null).length).toBeGreaterThanOrEqual(20)
    expect((await runtime.sessions.queue()).waiting).toEqual([])
  })

  it('shows the queue position of a session that is opened later', async () => {
    const { backend } = createCountingBackend([[{ type: 'stall', chunks: ['hm'] }]])
    const runtime = await openTestRuntime({ backend, processes: { maxRunningTurns: 1 } })
    const first = await startSession(runtime)
    await runtime.until(first, 'running')
    const second = await startSession(runtime)
    await expect
      .poll(async () => (await runtime.sessions.getSession(second)).queuePosition, patient)
      .toEqual({ reason: 'turn', position: 1, waiting: 1 })
    expect(await statusOf(runtime, second)).toBe('queued')
    await runtime.sessions.interrupt(first, 'ana')
    await runtime.until(second, 'running')
    expect((await runtime.sessions.getSession(second)).queuePosition).toBeNull()
  })

  it('lets others run while a turn waits for a person, and continues that turn before those that have not begun', async () => {
    const script = (input: string): readonly Step[] => (input === 'ask' ? [ls] : [{ type: 'stall', chunks: ['hm'] }])
    const { backend } = createCountingBackend((input) => script(input))
    const runtime = await openTestRuntime({ backend, processes: { maxRunningTurns: 1 } })
    const asking = await startSession(runtime, 'ask')
    const approvalId = await openApproval(runtime, asking)
    const second = await startSession(runtime)
    await runtime.until(second, 'running')
    const third = await startSession(runtime)
    await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
    await expect
      .poll(async () => (await runtime.sessions.getSession(asking)).queuePosition, patient)
      .toMatchObject({ reason: 'turn', position: 1 })
    expect((await runtime.sessions.getSession(third)).queuePosition).toMatchObject({ position: 2 })
    await runtime.sessions.interrupt(second, 'ana')
    await runtime.until(asking, 'idle')
    await runtime.until(third, 'running')
    const ran = ofType(await runtime.log(asking), 'ToolExecuted')
    expect(ran.map(({ data }) => data.output)).toEqual(['a.txt'])
  })

  it('drops a cancelled session and moves the next one up', async () => {
    const { backend } = createCountingBackend([[{ type: 'stall', chunks: ['hm'] }]])
    const runtime = await openTestRuntime({ backend, processes: { maxRunningTurns: 1 } })
    const first = await startSession(runtime)
    await runtime.until(first, 'running')
    const second = await startSession(runtime)
    const third = await startSession(runtime)
    await runtime.sessions.cancel(second, 'ana')
    await expect
      .poll(async () => (await runtime.sessions.getSession(third)).queuePosition, patient)
      .toMatchObject({ position: 1 })
    await runtime.sessions.interrupt(first, 'ana')
    await runtime.until(third, 'running')
    expect(ofType(await runtime.log(second), 'TurnStarted')).toEqual([])
  })
})

describe('a process slot', () => {
  const turnsOf = (runtime: TestRuntime, sessionId: SessionId) => async () =>
    ofType(await runtime.log(sessionId), 'TurnEnded').length

  it('is kept by a turn that replaces its process', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend })
    const sessionId = await startAndRest(runtime)
    await runtime.sessions.changeSession(sessionId, { limits: { maxBudgetUsd: 4 } }, 'ana')
    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await expect.poll(turnsOf(runtime, sessionId), patient).toBe(2)
    expect(counting.opened).toHaveLength(2)
    expect((await runtime.sessions.queue()).processes.resident).toBe(1)
  })

  it('is taken again by a message that arrives while the process ends', async () => {
    const counting = createCountingBackend([])
    let finishClosing: () => void = () => undefined
    const gone = new Promise<void>((resolve) => {
      finishClosing = resolve
    })
    let isClosing = false
    const createSession: AgentBackend['createSession'] = async (options) => {
      const session = await counting.backend.createSession(options)
      const close = async () => {
        isClosing = true
        await gone
        await session.close()
      }
      return { ...session, close }
    }
    const runtime = await openTestRuntime({
      backend: { ...counting.backend, createSession },
      processes: { hibernateAfterMs: 400 },
    })
    const sessionId = await startAndRest(runtime)
    await expect.poll(() => isClosing, patient).toBe(true)
    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    finishClosing()
    await expect.poll(() => counting.opened.length, patient).toBe(2)
    expect((await runtime.sessions.queue()).processes.resident).toBe(1)
    await expect.poll(turnsOf(runtime, sessionId), patient).toBe(2)
  })
})

describe('a lent process', () => {
  const full = { maxResident: 1, lendTimeoutMs: 100 }
  const stalling = () => createCountingBackend(() => [{ type: 'stall', chunks: ['hm'] }])

  it('is refused after a while when all processes work', async () => {
    const runtime = await openTestRuntime({ backend: stalling().backend, processes: full })
    await runtime.until(await startSession(runtime), 'running')
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await expect(runtime.sessions.capabilities(sessionId)).rejects.toMatchObject({ code: 'session.busy' })
    expect((await runtime.sessions.queue()).waiting).toEqual([])
  })

  it('is refused by a closing server, to queued and new callers alike', async () => {
    const counting = stalling()
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { ...full, lendTimeoutMs: 600_000 } })
    await runtime.until(await startSession(runtime), 'running')
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const waiting = runtime.sessions.capabilities(sessionId)
    await expect.poll(async () => (await runtime.sessions.queue()).waiting.length, patient).toBe(1)
    const drained = runtime.coordinator.drain(10)
    await expect(waiting).rejects.toMatchObject({ code: 'server.draining' })
    await drained
    await expect(runtime.sessions.capabilities(sessionId)).rejects.toMatchObject({ code: 'server.draining' })
    expect(counting.opened).toHaveLength(1)
  })

  it('gets the model of the first turn that follows', async () => {
    const counting = createCountingBackend([])
    const reported: string[] = []
    const createSession: AgentBackend['createSession'] = async (options) => {
      reported.push(options.model)
      const session = await counting.backend.createSession(options)
      return { ...session, setModel: async (model) => void reported.push(model) }
    }
    const runtime = await openTestRuntime({ backend: { ...counting.backend, createSession } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', model: 'auto' }, 'ana')
    await runtime.sessions.capabilities(sessionId)
    await runtime.sessions.sendMessage(sessionId, { content: 'how are you?' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const { lastModel } = (await runtime.sessions.getSession(sessionId)).session
    expect(reported).toHaveLength(2)
    expect(reported.at(-1)).toBe(lastModel)
    expect(counting.warmed).toEqual([sessionId])
  })
})

describe('hibernation', () => {
  it('ends the process of a resting session, and the next message continues the same conversation', async () => {
    const counting = createCountingBackend((_input, _turn, earlier) => [
      { type: 'text', chunks: [`heard ${earlier.length}`] },
    ])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { hibernateAfterMs: 60 } })
    const sessionId = await startAndRest(runtime)
    await expect.poll(counting.now, patient).toBe(0)
    await expect.poll(() => isAsleep(runtime, sessionId), patient).toBe(true)
    expect(await statusOf(runtime, sessionId)).toBe('idle')
    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await expect.poll(async () => ofType(await runtime.log(sessionId), 'TurnEnded').length, patient).toBe(2)
    const log = await runtime.log(sessionId)
    expect(ofType(log, 'AgentSessionHibernated')[0]?.data.reason).toBe('idle')
    expect(ofType(log, 'AgentSessionWoken')[0]?.data.reason).toBe('message')
    expect(ofType(log, 'AgentThought').map(({ data }) => data.text)).toEqual(['heard 0', 'heard 1'])
  })

  it('keeps followers connected and shows them later events', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { hibernateAfterMs: 60 } })
    const sessionId = await startAndRest(runtime)
    const seen: string[] = []
    const stop = new AbortController()
    const following = (async () => {
      for await (const event of runtime.sessions.follow(sessionId, 0, stop.signal)) seen.push(event.type)
    })()
    await expect.poll(() => isAsleep(runtime, sessionId), patient).toBe(true)
    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await expect.poll(() => seen.filter((type) => type === 'TurnEnded').length, patient).toBe(2)
    expect(seen).toContain('AgentSessionHibernated')
    stop.abort()
    await following
  })

  it('takes the process of a turn that only waits for a person, and the decision brings it back', async () => {
    const counting = createCountingBackend((input) => (input === 'go' ? [ls] : [{ type: 'text', chunks: [input] }]))
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { hibernateWaitingAfterMs: 60 } })
    const sessionId = await startSession(runtime)
    const approvalId = await openApproval(runtime, sessionId)
    await expect.poll(counting.now, patient).toBe(0)
    await expect.poll(() => isAsleep(runtime, sessionId), patient).toBe(true)
    expect(await statusOf(runtime, sessionId)).toBe('waiting_approval')
    expect(ofType(await runtime.log(sessionId), 'AgentSessionHibernated')[0]?.data.reason).toBe('waiting')
    await runtime.sessions.decideApproval(approvalId, { decision: 'deny' }, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'AgentThought').at(-1)?.data.text).toContain('Denied')
  })

  it('takes no process from a working turn, however long it works', async () => {
    const counting = createCountingBackend([[{ type: 'delay', ms: 400 }]])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { hibernateAfterMs: 40 } })
    const sessionId = await startAndRest(runtime)
    expect(ofType(await runtime.log(sessionId), 'TurnEnded')[0]?.data.outcome).toBe('completed')
  })

  it('ends the longest resting process first when memory is short', async () => {
    let free = 10
    const counting = createCountingBackend([])
    const processes = { memoryFloorBytes: 5, stuckAfterMs: 400 }
    const runtime = await openTestRuntime({ backend: counting.backend, processes, freeMemory: () => free })
    const first = await startAndRest(runtime)
    const second = await startAndRest(runtime)
    free = 1
    await expect.poll(() => isAsleep(runtime, first), patient).toBe(true)
    free = 10
    expect(ofType(await runtime.log(first), 'AgentSessionHibernated')[0]?.data.reason).toBe('memory')
    await runtime.sessions.sendMessage(second, { content: 'still there?' }, 'ana')
    await expect.poll(async () => ofType(await runtime.log(second), 'TurnEnded').length, patient).toBe(2)
  })

  it('replaces an old process and continues the conversation', async () => {
    const counting = createCountingBackend(
      (_input, _turn, earlier) => [{ type: 'text', chunks: [`heard ${earlier.length}`] }],
      () => ({ residentBytes: 500, turns: 1 }),
    )
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { recycleAboveBytes: 400 } })
    const sessionId = await startSession(runtime)
    await runtime.sessions.sendMessage(sessionId, { content: 'and' }, 'ana')
    await expect.poll(async () => ofType(await runtime.log(sessionId), 'TurnEnded').length, patient).toBe(2)
    const log = await runtime.log(sessionId)
    expect(ofType(log, 'AgentSessionHibernated')[0]?.data.reason).toBe('recycled')
    expect(ofType(log, 'AgentThought').map(({ data }) => data.text)).toEqual(['heard 0', 'heard 1'])
    expect(counting.opened).toHaveLength(2)
    expect(counting.most()).toBe(1)
  })
})

describe('waking', () => {
  it('starts the process of a hibernated session ahead of a message, once', async () => {
    let free = 10
    const counting = createCountingBackend([])
    const processes = { memoryFloorBytes: 5, stuckAfterMs: 400 }
    const runtime = await openTestRuntime({ backend: counting.backend, processes, freeMemory: () => free })
    const sessionId = await startAndRest(runtime)
    free = 1
    await expect.poll(() => isAsleep(runtime, sessionId), patient).toBe(true)
    free = 10
    await Promise.all([runtime.sessions.wake(sessionId), runtime.sessions.wake(sessionId)])
    await expect.poll(() => counting.warmed, patient).toEqual([sessionId])
    expect(ofType(await runtime.log(sessionId), 'AgentSessionWoken').map(({ data }) => data.reason)).toEqual(['intent'])
    expect(await isAsleep(runtime, sessionId)).toBe(false)
    await runtime.sessions.sendMessage(sessionId, { content: 'hello' }, 'ana')
    await expect.poll(async () => ofType(await runtime.log(sessionId), 'TurnEnded').length, patient).toBe(2)
    expect(counting.opened).toHaveLength(2)
  })

  it('does nothing at capacity, and nothing to a busy process', async () => {
    const counting = createCountingBackend((input) => (input === 'work' ? [{ type: 'stall', chunks: ['hm'] }] : []))
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { maxResident: 1 } })
    const resting = await startAndRest(runtime)
    const busy = await startSession(runtime, 'work')
    await runtime.until(busy, 'running')
    await expect.poll(() => isAsleep(runtime, resting), patient).toBe(true)
    await runtime.sessions.wake(resting)
    expect(await isAsleep(runtime, resting)).toBe(true)
    expect(counting.warmed).toEqual([])
    expect(await statusOf(runtime, busy)).toBe('running')
  })

  it('refuses a closed session', async () => {
    const runtime = await openTestRuntime({ backend: createCountingBackend([]).backend })
    const sessionId = await startAndRest(runtime)
    await runtime.sessions.close(sessionId, 'ana')
    await expect(runtime.sessions.wake(sessionId)).rejects.toMatchObject({ code: 'session.closed' })
  })
})

describe('drain', () => {
  it('leaves the queue as it is, hibernates resting sessions, and keeps asks open', async () => {
    const script = (input: string): readonly Step[] =>
      input === 'ask' ? [ls] : input === 'rest' ? [] : [{ type: 'stall', chunks: ['hm'] }]
    const counting = createCountingBackend((input) => script(input))
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { maxRunningTurns: 1 } })
    const resting = await startSession(runtime, 'rest')
    await runtime.until(resting, 'idle')
    const asking = await startSession(runtime, 'ask')
    await openApproval(runtime, asking)
    const running = await startSession(runtime)
    await runtime.until(running, 'running')
    const waiting = await startSession(runtime)
    await runtime.coordinator.drain(50)
    expect(counting.now()).toBe(0)
    expect(await statusOf(runtime, waiting)).toBe('queued')
    expect(await statusOf(runtime, running)).toBe('interrupted')
    expect((await runtime.sessions.getSession(asking)).session).toMatchObject({
      status: 'waiting_approval',
      approvals: [expect.anything()],
      isHibernated: true,
    })
    expect(ofType(await runtime.log(resting), 'AgentSessionHibernated')[0]?.data.reason).toBe('drain')
    const next = await openTestRuntime({ backend: counting.backend, store: runtime.store })
    await next.recover()
    await next.until(waiting, 'running')
  })
})
