// Processes as a session's clients see them: not at all, but for their place in line.
import type { EventType, QueuePlaceChanged, SessionEvent, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../backends/backend.ts'
import type { Step } from '../backends/scripted/script.ts'
import { backendOf } from '../sessions/backend-of-turn.fixture.ts'
import { openTestHouse } from '../sessions/engine.fixture.ts'
import { createCountingBackend } from './counting-backend.fixture.ts'

type House = Awaited<ReturnType<typeof openTestHouse>>

const patient = { timeout: 60_000 }
const ls: Step = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }
const only = <Type extends EventType>(events: readonly SessionEvent[], type: Type) =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)

const statusOf = async (house: House, sessionId: SessionId) => (await house.sessions.snapshot(sessionId)).session.status
const isAsleep = async (house: House, sessionId: SessionId) =>
  (await house.sessions.snapshot(sessionId)).session.isHibernated

async function start(house: House, message = 'go'): Promise<SessionId> {
  const { sessionId } = await house.sessions.create({ agent: 'tester', message }, 'ana')
  return sessionId
}

async function startAndRest(house: House): Promise<SessionId> {
  const sessionId = await start(house)
  await house.until(sessionId, 'idle')
  return sessionId
}

async function openApproval(house: House, sessionId: SessionId) {
  await house.until(sessionId, 'waiting_approval')
  const [open] = (await house.sessions.approvals(sessionId)).approvals
  if (open === undefined) throw new Error('no approval is open')
  return open.approvalId
}

describe('the line', () => {
  it('runs many sessions with few processes, each once, and shows everybody their place', async () => {
    const counting = createCountingBackend(() => [
      { type: 'delay', ms: 5 },
      { type: 'text', chunks: ['done'] },
    ])
    const house = await openTestHouse({ backend: counting.backend, processes: { maxResident: 3, maxRunningTurns: 2 } })
    const places: QueuePlaceChanged['data']['place'][] = []
    const ids: SessionId[] = []
    for (let index = 0; index < 30; index += 1) {
      const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
      house.bus.subscribe(sessionId, (events) => {
        for (const event of events ?? []) if (event.type === 'QueuePlaceChanged') places.push(event.data.place)
      })
      ids.push(sessionId)
    }
    await Promise.all(ids.map((sessionId) => house.sessions.send(sessionId, { content: 'go' }, 'ana')))
    const queue = await house.sessions.queue()
    expect(queue.turns).toEqual({ running: 2, limit: 2 })
    expect(queue.processes).toMatchObject({ limit: 3 })
    expect(queue.waiting.map(({ place }) => place.position)).toEqual(queue.waiting.map((_, index) => index + 1))
    await Promise.all(ids.map((sessionId) => house.until(sessionId, 'idle')))
    expect(counting.most()).toBeLessThanOrEqual(3)
    const answers = await Promise.all(ids.map(async (id) => only(await house.log(id), 'AgentThought').length))
    expect(answers).toEqual(ids.map(() => 1))
    expect(places.some((place) => place?.position === 20)).toBe(true)
    expect(places.filter((place) => place === null).length).toBeGreaterThanOrEqual(20)
    expect((await house.sessions.queue()).waiting).toEqual([])
  })

  it('tells a session that is opened later where it stands', async () => {
    const { backend } = createCountingBackend([[{ type: 'stall', chunks: ['hm'] }]])
    const house = await openTestHouse({ backend, processes: { maxRunningTurns: 1 } })
    const first = await start(house)
    await house.until(first, 'running')
    const second = await start(house)
    await expect
      .poll(async () => (await house.sessions.snapshot(second)).place, patient)
      .toEqual({ reason: 'turn', position: 1, waiting: 1 })
    expect(await statusOf(house, second)).toBe('queued')
    await house.sessions.interrupt(first, 'ana')
    await house.until(second, 'running')
    expect((await house.sessions.snapshot(second)).place).toBeNull()
  })

  it('lets others run while a turn waits for a person, and that turn go on before those who have not begun', async () => {
    const script = (input: string): readonly Step[] => (input === 'ask' ? [ls] : [{ type: 'stall', chunks: ['hm'] }])
    const { backend } = createCountingBackend((input) => script(input))
    const house = await openTestHouse({ backend, processes: { maxRunningTurns: 1 } })
    const asking = await start(house, 'ask')
    const approvalId = await openApproval(house, asking)
    const second = await start(house)
    await house.until(second, 'running')
    const third = await start(house)
    await house.sessions.decide(approvalId, { decision: 'allow' }, 'ben')
    await expect
      .poll(async () => (await house.sessions.snapshot(asking)).place, patient)
      .toMatchObject({ reason: 'turn', position: 1 })
    expect((await house.sessions.snapshot(third)).place).toMatchObject({ position: 2 })
    await house.sessions.interrupt(second, 'ana')
    await house.until(asking, 'idle')
    await house.until(third, 'running')
    const ran = only(await house.log(asking), 'ToolExecuted')
    expect(ran.map(({ data }) => data.output)).toEqual(['a.txt'])
  })

  it('lets a cancelled session leave the line, and the next one move up', async () => {
    const { backend } = createCountingBackend([[{ type: 'stall', chunks: ['hm'] }]])
    const house = await openTestHouse({ backend, processes: { maxRunningTurns: 1 } })
    const first = await start(house)
    await house.until(first, 'running')
    const second = await start(house)
    const third = await start(house)
    await house.sessions.cancel(second, 'ana')
    await expect.poll(async () => (await house.sessions.snapshot(third)).place, patient).toMatchObject({ position: 1 })
    await house.sessions.interrupt(first, 'ana')
    await house.until(third, 'running')
    expect(only(await house.log(second), 'TurnStarted')).toEqual([])
  })
})

describe('a place', () => {
  const turnsOf = (house: House, sessionId: SessionId) => async () =>
    only(await house.log(sessionId), 'TurnEnded').length

  it('is kept by a turn that replaces its process', async () => {
    const counting = createCountingBackend([])
    const house = await openTestHouse({ backend: counting.backend })
    const sessionId = await startAndRest(house)
    await house.sessions.change(sessionId, { limits: { maxBudgetUsd: 4 } }, 'ana')
    await house.sessions.send(sessionId, { content: 'again' }, 'ana')
    await expect.poll(turnsOf(house, sessionId), patient).toBe(2)
    expect(counting.opened).toHaveLength(2)
    expect((await house.sessions.queue()).processes.resident).toBe(1)
  })

  it('is taken again by a message that meets a process on its way out', async () => {
    const counting = createCountingBackend([])
    let letGo: () => void = () => undefined
    const gone = new Promise<void>((resolve) => {
      letGo = resolve
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
    const house = await openTestHouse({
      backend: { ...counting.backend, createSession },
      processes: { hibernateAfterMs: 400 },
    })
    const sessionId = await startAndRest(house)
    await expect.poll(() => isClosing, patient).toBe(true)
    await house.sessions.send(sessionId, { content: 'again' }, 'ana')
    letGo()
    await expect.poll(() => counting.opened.length, patient).toBe(2)
    expect((await house.sessions.queue()).processes.resident).toBe(1)
    await expect.poll(turnsOf(house, sessionId), patient).toBe(2)
  })
})

describe('a process that is lent', () => {
  const full = { maxResident: 1, lendPatienceMs: 100 }
  const stalling = () => createCountingBackend(() => [{ type: 'stall', chunks: ['hm'] }])

  it('is refused after a while when all of them work', async () => {
    const house = await openTestHouse({ backend: stalling().backend, processes: full })
    await house.until(await start(house), 'running')
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await expect(house.sessions.capabilities(sessionId)).rejects.toMatchObject({ code: 'session.busy' })
    expect((await house.sessions.queue()).waiting).toEqual([])
  })

  it('is refused by a house that closes, to who waits and to who comes', async () => {
    const counting = stalling()
    const house = await openTestHouse({ backend: counting.backend, processes: { ...full, lendPatienceMs: 600_000 } })
    await house.until(await start(house), 'running')
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    const waiting = house.sessions.capabilities(sessionId)
    await expect.poll(async () => (await house.sessions.queue()).waiting.length, patient).toBe(1)
    const drained = house.coordinator.drain(10)
    await expect(waiting).rejects.toMatchObject({ code: 'server.draining' })
    await drained
    await expect(house.sessions.capabilities(sessionId)).rejects.toMatchObject({ code: 'server.draining' })
    expect(counting.opened).toHaveLength(1)
  })

  it('is told the model of the first turn that follows', async () => {
    const counting = createCountingBackend([])
    const told: string[] = []
    const createSession: AgentBackend['createSession'] = async (options) => {
      told.push(options.model)
      const session = await counting.backend.createSession(options)
      return { ...session, setModel: async (model) => void told.push(model) }
    }
    const house = await openTestHouse({ backend: { ...counting.backend, createSession } })
    const { sessionId } = await house.sessions.create({ agent: 'tester', model: 'auto' }, 'ana')
    await house.sessions.capabilities(sessionId)
    await house.sessions.send(sessionId, { content: 'how are you?' }, 'ana')
    await house.until(sessionId, 'idle')
    const { lastModel } = (await house.sessions.snapshot(sessionId)).session
    expect(told).toHaveLength(2)
    expect(told.at(-1)).toBe(lastModel)
    expect(counting.warmed).toEqual([sessionId])
  })
})

describe('hibernation', () => {
  it('ends the process of a session that rests, and the next message goes on with the same conversation', async () => {
    const counting = createCountingBackend((_input, _turn, earlier) => [
      { type: 'text', chunks: [`heard ${earlier.length}`] },
    ])
    const house = await openTestHouse({ backend: counting.backend, processes: { hibernateAfterMs: 60 } })
    const sessionId = await startAndRest(house)
    await expect.poll(counting.now, patient).toBe(0)
    await expect.poll(() => isAsleep(house, sessionId), patient).toBe(true)
    expect(await statusOf(house, sessionId)).toBe('idle')
    await house.sessions.send(sessionId, { content: 'again' }, 'ana')
    await expect.poll(async () => only(await house.log(sessionId), 'TurnEnded').length, patient).toBe(2)
    const log = await house.log(sessionId)
    expect(only(log, 'AgentSessionHibernated')[0]?.data.reason).toBe('idle')
    expect(only(log, 'AgentSessionWoken')[0]?.data.reason).toBe('message')
    expect(only(log, 'AgentThought').map(({ data }) => data.text)).toEqual(['heard 0', 'heard 1'])
  })

  it('keeps who follows connected, and shows them what comes after the sleep', async () => {
    const counting = createCountingBackend([])
    const house = await openTestHouse({ backend: counting.backend, processes: { hibernateAfterMs: 60 } })
    const sessionId = await startAndRest(house)
    const seen: string[] = []
    const stop = new AbortController()
    const following = (async () => {
      for await (const event of house.sessions.follow(sessionId, 0, stop.signal)) seen.push(event.type)
    })()
    await expect.poll(() => isAsleep(house, sessionId), patient).toBe(true)
    await house.sessions.send(sessionId, { content: 'again' }, 'ana')
    await expect.poll(() => seen.filter((type) => type === 'TurnEnded').length, patient).toBe(2)
    expect(seen).toContain('AgentSessionHibernated')
    stop.abort()
    await following
  })

  it('takes the process of a turn that only waits for a person, and the decision brings it back', async () => {
    const counting = createCountingBackend((input) => (input === 'go' ? [ls] : [{ type: 'text', chunks: [input] }]))
    const house = await openTestHouse({ backend: counting.backend, processes: { hibernateWaitingAfterMs: 60 } })
    const sessionId = await start(house)
    const approvalId = await openApproval(house, sessionId)
    await expect.poll(counting.now, patient).toBe(0)
    await expect.poll(() => isAsleep(house, sessionId), patient).toBe(true)
    expect(await statusOf(house, sessionId)).toBe('waiting_approval')
    expect(only(await house.log(sessionId), 'AgentSessionHibernated')[0]?.data.reason).toBe('waiting')
    await house.sessions.decide(approvalId, { decision: 'deny' }, 'ben')
    await house.until(sessionId, 'idle')
    expect(only(await house.log(sessionId), 'AgentThought').at(-1)?.data.text).toContain('Denied')
  })

  it('takes no process from a turn that works, however long it takes', async () => {
    const counting = createCountingBackend([[{ type: 'delay', ms: 400 }]])
    const house = await openTestHouse({ backend: counting.backend, processes: { hibernateAfterMs: 40 } })
    const sessionId = await startAndRest(house)
    expect(only(await house.log(sessionId), 'TurnEnded')[0]?.data.outcome).toBe('completed')
  })

  it('lets the longest resting one go first when memory is short', async () => {
    let free = 10
    const counting = createCountingBackend([])
    const processes = { memoryFloorBytes: 5, stuckAfterMs: 400 }
    const house = await openTestHouse({ backend: counting.backend, processes, freeMemory: () => free })
    const first = await startAndRest(house)
    const second = await startAndRest(house)
    free = 1
    await expect.poll(() => isAsleep(house, first), patient).toBe(true)
    free = 10
    expect(only(await house.log(first), 'AgentSessionHibernated')[0]?.data.reason).toBe('memory')
    await house.sessions.send(second, { content: 'still there?' }, 'ana')
    await expect.poll(async () => only(await house.log(second), 'TurnEnded').length, patient).toBe(2)
  })

  it('replaces a process that has grown old, and the conversation goes on', async () => {
    const counting = createCountingBackend(
      (_input, _turn, earlier) => [{ type: 'text', chunks: [`heard ${earlier.length}`] }],
      () => ({ residentBytes: 500, turns: 1 }),
    )
    const house = await openTestHouse({ backend: counting.backend, processes: { recycleAboveBytes: 400 } })
    const sessionId = await start(house)
    await house.sessions.send(sessionId, { content: 'and' }, 'ana')
    await expect.poll(async () => only(await house.log(sessionId), 'TurnEnded').length, patient).toBe(2)
    const log = await house.log(sessionId)
    expect(only(log, 'AgentSessionHibernated')[0]?.data.reason).toBe('recycled')
    expect(only(log, 'AgentThought').map(({ data }) => data.text)).toEqual(['heard 0', 'heard 1'])
    expect(counting.opened).toHaveLength(2)
    expect(counting.most()).toBe(1)
  })
})

describe('waking', () => {
  it('starts the process of a hibernated session before anybody writes, once', async () => {
    let free = 10
    const counting = createCountingBackend([])
    const processes = { memoryFloorBytes: 5, stuckAfterMs: 400 }
    const house = await openTestHouse({ backend: counting.backend, processes, freeMemory: () => free })
    const sessionId = await startAndRest(house)
    free = 1
    await expect.poll(() => isAsleep(house, sessionId), patient).toBe(true)
    free = 10
    await Promise.all([house.sessions.wake(sessionId), house.sessions.wake(sessionId)])
    await expect.poll(() => counting.warmed, patient).toEqual([sessionId])
    expect(only(await house.log(sessionId), 'AgentSessionWoken').map(({ data }) => data.reason)).toEqual(['intent'])
    expect(await isAsleep(house, sessionId)).toBe(false)
    await house.sessions.send(sessionId, { content: 'hello' }, 'ana')
    await expect.poll(async () => only(await house.log(sessionId), 'TurnEnded').length, patient).toBe(2)
    expect(counting.opened).toHaveLength(2)
  })

  it('does nothing where there is no room, and nothing to a busy process', async () => {
    const counting = createCountingBackend((input) => (input === 'work' ? [{ type: 'stall', chunks: ['hm'] }] : []))
    const house = await openTestHouse({ backend: counting.backend, processes: { maxResident: 1 } })
    const resting = await startAndRest(house)
    const busy = await start(house, 'work')
    await house.until(busy, 'running')
    await expect.poll(() => isAsleep(house, resting), patient).toBe(true)
    await house.sessions.wake(resting)
    expect(await isAsleep(house, resting)).toBe(true)
    expect(counting.warmed).toEqual([])
    expect(await statusOf(house, busy)).toBe('running')
  })

  it('refuses a closed session', async () => {
    const house = await openTestHouse({ backend: createCountingBackend([]).backend })
    const sessionId = await startAndRest(house)
    await house.sessions.close(sessionId, 'ana')
    await expect(house.sessions.wake(sessionId)).rejects.toMatchObject({ code: 'session.closed' })
  })
})

describe('a stuck turn', () => {
  it('is stopped and says so, and the session goes on', async () => {
    const { backend } = createCountingBackend((input) => (input === 'go' ? [{ type: 'stall', chunks: [] }] : []))
    const house = await openTestHouse({ backend, processes: { stuckAfterMs: 100 } })
    const sessionId = await start(house)
    await house.until(sessionId, 'failed')
    const [ended] = only(await house.log(sessionId), 'TurnEnded')
    expect(ended?.data.outcome).toBe('failed')
    expect(ended?.data.result.errorReason).toMatch(/nothing happened/)
    await house.sessions.send(sessionId, { content: 'again' }, 'ana')
    await house.until(sessionId, 'idle')
  })

  it('is given up when its backend does not even hear the interruption', async () => {
    const backend = backendOf(async function* () {
      await new Promise(() => undefined)
    })
    const house = await openTestHouse({ backend, processes: { stuckAfterMs: 100, endPatienceMs: 200 } })
    const sessionId = await start(house)
    await house.until(sessionId, 'failed')
    expect(only(await house.log(sessionId), 'TurnEnded')[0]?.data.result.errorReason).toMatch(/nothing happened/)
  })

  it('is not one that waits for a person', async () => {
    const { backend } = createCountingBackend([[ls]])
    const house = await openTestHouse({ backend, processes: { stuckAfterMs: 60 } })
    const sessionId = await start(house)
    const approvalId = await openApproval(house, sessionId)
    await new Promise((resolve) => setTimeout(resolve, 400))
    await house.sessions.decide(approvalId, { decision: 'allow' }, 'ben')
    await house.until(sessionId, 'idle')
  })
})

describe('drain', () => {
  it('leaves the line as it is, hibernates what rests, and keeps what was asked', async () => {
    const script = (input: string): readonly Step[] =>
      input === 'ask' ? [ls] : input === 'rest' ? [] : [{ type: 'stall', chunks: ['hm'] }]
    const counting = createCountingBackend((input) => script(input))
    const house = await openTestHouse({ backend: counting.backend, processes: { maxRunningTurns: 1 } })
    const resting = await start(house, 'rest')
    await house.until(resting, 'idle')
    const asking = await start(house, 'ask')
    await openApproval(house, asking)
    const running = await start(house)
    await house.until(running, 'running')
    const waiting = await start(house)
    await house.coordinator.drain(50)
    expect(counting.now()).toBe(0)
    expect(await statusOf(house, waiting)).toBe('queued')
    expect(await statusOf(house, running)).toBe('interrupted')
    expect((await house.sessions.snapshot(asking)).session).toMatchObject({
      status: 'waiting_approval',
      approvals: [expect.anything()],
      isHibernated: true,
    })
    expect(only(await house.log(resting), 'AgentSessionHibernated')[0]?.data.reason).toBe('drain')
    const next = await openTestHouse({ backend: counting.backend, store: house.store })
    await next.recover()
    await next.until(waiting, 'running')
  })
})
