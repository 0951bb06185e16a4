import {
  type ApprovalId,
  type ClientCallId,
  type ErrorCode,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
} from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../backends/scripted/script.ts'
import { randomIds } from '../random-ids.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { createAskExpiry } from './ask-expiry.ts'
import { openTestHouse } from './engine.fixture.ts'

const calls: Step = { type: 'tool', name: 'mcp__client__get_time', input: {}, result: '' }
const client = (clientId: string) => ({
  clientId,
  tools: [{ name: 'get_time', description: 'time', inputSchema: { type: 'object' } }],
})

/** A session whose call waits for its clients, and an expiry whose clock the test moves. */
async function waitingCall(...others: readonly string[]) {
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [[calls]] }) })
  const { sessionId } = await house.sessions.create({ agent: 'tester', client: client('tab') }, 'ana')
  for (const clientId of others) await house.sessions.attachClient(sessionId, client(clientId), 'ana')
  await house.sessions.send(sessionId, { content: 'go' }, 'ana')
  await house.until(sessionId, 'waiting_client')
  const { clientCalls, ...state } = (await house.sessions.snapshot(sessionId)).session
  const [call] = clientCalls
  if (call === undefined) throw new Error('nothing is called')
  let now = new Date(call.at)
  let looks = 0
  let refusal: ErrorCode | null = null
  const live = await house.coordinator.open(sessionId)
  const expiry = createAskExpiry({
    async open(sessionId) {
      looks += 1
      if (refusal !== null) throw new QuarterdeckError(refusal, 'not now')
      return house.coordinator.open(sessionId)
    },
    onSettled: house.coordinator.kick,
    clock: { now: () => now },
    ids: randomIds,
    logger: silentLogger,
  })
  // The log holds nothing else: only text in progress is no event of it.
  const unsubscribe = house.bus.subscribe(sessionId, (events) =>
    expiry.hear(live.writer.state(), (events ?? []) as readonly SessionEvent[]),
  )
  onTestFinished(() => {
    unsubscribe()
    expiry.stop()
  })
  const watch = () => expiry.watchAll({ ...state, clientCalls })
  const move = (ms: number) => {
    now = new Date(now.getTime() + ms)
  }
  const pass = (ms: number) => {
    move(ms)
    watch()
  }
  /** Looks now: something is due that nobody has asked. */
  const lookNow = () => expiry.watch(sessionId, 'apr_nobody' as ApprovalId, new Date(0).toISOString())
  const refuse = (code: ErrorCode | null) => {
    refusal = code
  }
  const calledOf = async (id: SessionId) => (await house.sessions.clientCalls(id)).calls
  return {
    ...house,
    ...{ sessionId, call, expiry, pass, move, watch, lookNow, refuse },
    looked: () => looks,
    calledOf,
    callId: call.callId as ClientCallId,
  }
}

it('a client that does not answer is given up on when another one can, and may still return its result', async () => {
  const house = await waitingCall('phone')
  house.expiry.watchCall(house.sessionId, { ...house.call, deadlineAt: house.call.at })
  const leader = async () => (await house.calledOf(house.sessionId))[0]?.leader
  await expect.poll(leader, { timeout: 60_000 }).toBe('phone')
  await house.sessions.returnClientCall(house.callId, { output: 'noon' }, 'ana')
  await house.until(house.sessionId, 'idle')
})

it('a client that is alone may take as long as the call is parked', async () => {
  const house = await waitingCall()
  house.expiry.watchCall(house.sessionId, { ...house.call, deadlineAt: house.call.at })
  await expect.poll(house.looked, { timeout: 60_000 }).toBe(1)
  // Comes after whatever the look has led to.
  await house.sessions.attachClient(house.sessionId, { clientId: 'other', tools: [] }, 'ana')
  expect((await house.calledOf(house.sessionId))[0]?.leader).toBe('tab')
})

it('a call that was parked too long fails, also when the clock jumps there', async () => {
  const house = await waitingCall()
  house.pass(25 * 3_600_000)
  await house.until(house.sessionId, 'idle')
  const log = await house.log(house.sessionId)
  const executed = log.find((event) => event.type === 'ToolExecuted')
  expect(executed?.data).toMatchObject({ isError: true, output: 'No client returned a result in time.' })
})

it('an ask that was answered is not looked at when its time comes', async () => {
  const house = await waitingCall()
  house.watch()
  await house.sessions.returnClientCall(house.callId, { output: 'noon' }, 'ana')
  await house.until(house.sessionId, 'idle')
  house.move(25 * 3_600_000)
  house.lookNow()
  await expect.poll(house.looked, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(house.looked()).toBe(1)
})

it('a call that could not fail in time because nothing could be written fails as soon as it can', async () => {
  const house = await waitingCall()
  house.refuse('store.unavailable')
  house.expiry.watchCall(house.sessionId, { ...house.call, leader: null, parkedUntil: house.call.at })
  await expect.poll(house.looked, { timeout: 60_000 }).toBe(1)
  house.refuse(null)
  house.move(60_000)
  house.lookNow()
  await house.until(house.sessionId, 'idle')
})

it('an ask of a session that another process holds is left to that process', async () => {
  const house = await waitingCall()
  house.refuse('session.held-elsewhere')
  house.expiry.watchCall(house.sessionId, { ...house.call, leader: null, parkedUntil: house.call.at })
  await expect.poll(house.looked, { timeout: 60_000 }).toBe(1)
  house.move(60_000)
  house.lookNow()
  await expect.poll(house.looked, { timeout: 60_000 }).toBeGreaterThan(1)
  expect(house.looked()).toBe(2)
})

it('asks of a session that is not ours any more are not looked at', async () => {
  const house = await waitingCall()
  house.watch()
  house.expiry.forget(house.sessionId)
  house.move(25 * 3_600_000)
  house.lookNow()
  await expect.poll(house.looked, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(house.looked()).toBe(1)
})

describe('a session that was given up is not taken again for what it asked', () => {
  const other = { id: 'another', role: 'command', pid: 1, startTime: '0', address: null } as const

  /** Which sessions were taken since, once everything that was due has been looked at. */
  async function leasedAfter(giveUp: (house: LeasingHouse, sessionId: SessionId) => Promise<unknown>) {
    const house = await leasingHouse()
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    const mark = (await house.sessions.create({ agent: 'tester' }, 'ana')).sessionId
    await house.sessions.close(mark, 'ana')
    const soon = new Date(Date.now() + 500).toISOString()
    house.coordinator.expiry.watch(sessionId, 'apr_late' as ApprovalId, soon)
    await giveUp(house, sessionId)
    house.leased.length = 0
    await expect.poll(() => new Date().toISOString() > soon, { timeout: 60_000 }).toBe(true)
    house.coordinator.expiry.watch(mark, 'apr_mark' as ApprovalId, soon)
    await expect.poll(() => house.leased, { timeout: 60_000 }).toContain(mark)
    return { leased: house.leased, mark }
  }

  it('because it is closed', async () => {
    const { leased, mark } = await leasedAfter((house, sessionId) => house.sessions.close(sessionId, 'ana'))
    expect(leased).toEqual([mark])
  })

  it('because another process has taken it', async () => {
    const { leased, mark } = await leasedAfter(async (house, sessionId) => {
      await house.store.lease(sessionId, other, () => false)
      await expect(house.sessions.change(sessionId, { title: 'mine' }, 'ana')).rejects.toThrow()
      await expect.poll(() => house.coordinator.openTexts(sessionId), { timeout: 60_000 }).toBe(null)
    })
    expect(leased).toEqual([mark])
  })
})

type LeasingHouse = Awaited<ReturnType<typeof leasingHouse>>

async function leasingHouse() {
  const store = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
  const leased: SessionId[] = []
  const lease: typeof store.lease = (sessionId, ...rest) => {
    leased.push(sessionId)
    return store.lease(sessionId, ...rest)
  }
  const backend = createScriptedBackend({ script: [] })
  return { ...(await openTestHouse({ backend, store: { ...store, lease } })), leased }
}

it('a client that was alone is given up on when another one has come and time has passed', async () => {
  const house = await waitingCall()
  house.expiry.watchCall(house.sessionId, { ...house.call, deadlineAt: house.call.at })
  await expect.poll(house.looked, { timeout: 60_000 }).toBe(1)
  await house.sessions.attachClient(house.sessionId, client('phone'), 'ana')
  house.move(5 * 60_000)
  house.lookNow()
  const leader = async () => (await house.calledOf(house.sessionId))[0]?.leader
  await expect.poll(leader, { timeout: 60_000 }).toBe('phone')
})

it('a hundred thousand asks are watched as one is', async () => {
  const house = await waitingCall()
  for (let index = 0; index < 100_000; index += 1) {
    house.expiry.watch(house.sessionId, `apr_${index}` as ApprovalId, house.call.parkedUntil)
  }
  house.lookNow()
  await expect.poll(house.looked, { timeout: 60_000 }).toBe(1)
})
