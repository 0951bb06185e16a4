import {
  type ApprovalId,
  type ClientCallId,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
} from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../backends/scripted/script.ts'
import { randomIds } from '../random-ids.ts'
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
  let isFull = false
  const live = await house.coordinator.open(sessionId)
  const expiry = createAskExpiry({
    async open(sessionId) {
      looks += 1
      if (isFull) throw new QuarterdeckError('store.unavailable', 'the disk is full')
      return house.coordinator.open(sessionId)
    },
    onSettled: house.coordinator.kick,
    clock: { now: () => now },
    ids: randomIds,
    logger: silentLogger,
  })
  // The log holds nothing else: only text in progress is no event of it.
  const unsubscribe = house.bus.subscribe(sessionId, (events) =>
    expiry.hear(live.writer.state(), events as readonly SessionEvent[]),
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
  const fill = (full: boolean) => {
    isFull = full
  }
  const calledOf = async (id: SessionId) => (await house.sessions.clientCalls(id)).calls
  return {
    ...house,
    ...{ sessionId, call, expiry, pass, move, watch, lookNow, fill },
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
  house.fill(true)
  house.expiry.watchCall(house.sessionId, { ...house.call, leader: null, parkedUntil: house.call.at })
  await expect.poll(house.looked, { timeout: 60_000 }).toBe(1)
  house.fill(false)
  house.move(60_000)
  house.lookNow()
  await house.until(house.sessionId, 'idle')
})

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
