import {
  type ApprovalId,
  type ClientCallId,
  type ErrorCode,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
} from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../../backends/scripted/script.ts'
import { silentLogger } from '../../ports/logger.ts'
import { randomIds } from '../../ports/random-ids.ts'
import { createMemoryStore } from '../../store/memory/create-memory-store.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'
import { createAskExpiry } from './ask-expiry.ts'

const calls: Step = { type: 'tool', name: 'mcp__client__get_time', input: {}, result: '' }
const client = (clientId: string) => ({
  clientId,
  tools: [{ name: 'get_time', description: 'time', inputSchema: { type: 'object' } }],
})

/** A session whose call waits for its clients, and an expiry whose clock the test moves. */
async function waitingCall(...others: readonly string[]) {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[calls]] }) })
  const { sessionId } = await runtime.sessions.create({ agent: 'tester', client: client('tab') }, 'ana')
  for (const clientId of others) await runtime.sessions.attachClient(sessionId, client(clientId), 'ana')
  await runtime.sessions.send(sessionId, { content: 'go' }, 'ana')
  await runtime.until(sessionId, 'waiting_client')
  const { clientCalls, ...state } = (await runtime.sessions.snapshot(sessionId)).session
  const [call] = clientCalls
  if (call === undefined) throw new Error('nothing is called')
  let now = new Date(call.at)
  let checks = 0
  let refusal: ErrorCode | null = null
  const running = await runtime.coordinator.open(sessionId)
  const expiry = createAskExpiry({
    async open(sessionId) {
      checks += 1
      if (refusal !== null) throw new QuarterdeckError(refusal, 'not now')
      return runtime.coordinator.open(sessionId)
    },
    onSettled: runtime.coordinator.kick,
    clock: { now: () => now },
    ids: randomIds,
    logger: silentLogger,
  })
  // The log holds nothing else: only text in progress is no event of it.
  const unsubscribe = runtime.bus.subscribe(sessionId, (events) =>
    expiry.observe(running.writer.state(), (events ?? []) as readonly SessionEvent[]),
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
  const checkNow = () => expiry.watch(sessionId, 'apr_nobody' as ApprovalId, new Date(0).toISOString())
  const refuse = (code: ErrorCode | null) => {
    refusal = code
  }
  const calledOf = async (id: SessionId) => (await runtime.sessions.clientCalls(id)).calls
  return {
    ...runtime,
    sessionId,
    call,
    expiry,
    pass,
    move,
    watch,
    checkNow,
    refuse,
    checked: () => checks,
    calledOf,
    callId: call.callId as ClientCallId,
  }
}

it('a client that does not answer is given up on when another one can, and may still return its result', async () => {
  const runtime = await waitingCall('phone')
  runtime.expiry.watchCall(runtime.sessionId, { ...runtime.call, deadlineAt: runtime.call.at })
  const leader = async () => (await runtime.calledOf(runtime.sessionId))[0]?.leader
  await expect.poll(leader, { timeout: 60_000 }).toBe('phone')
  await runtime.sessions.returnClientCall(runtime.callId, { output: 'noon' }, 'ana')
  await runtime.until(runtime.sessionId, 'idle')
})

it('a client that is alone may take as long as the call is parked', async () => {
  const runtime = await waitingCall()
  runtime.expiry.watchCall(runtime.sessionId, { ...runtime.call, deadlineAt: runtime.call.at })
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  // Comes after whatever the look has led to.
  await runtime.sessions.attachClient(runtime.sessionId, { clientId: 'other', tools: [] }, 'ana')
  expect((await runtime.calledOf(runtime.sessionId))[0]?.leader).toBe('tab')
})

it('a call that was parked too long fails, also when the clock jumps there', async () => {
  const runtime = await waitingCall()
  runtime.pass(25 * 3_600_000)
  await runtime.until(runtime.sessionId, 'idle')
  const log = await runtime.log(runtime.sessionId)
  const executed = log.find((event) => event.type === 'ToolExecuted')
  expect(executed?.data).toMatchObject({ isError: true, output: 'No client returned a result in time.' })
})

it('an ask that was answered is not looked at when its time comes', async () => {
  const runtime = await waitingCall()
  runtime.watch()
  await runtime.sessions.returnClientCall(runtime.callId, { output: 'noon' }, 'ana')
  await runtime.until(runtime.sessionId, 'idle')
  runtime.move(25 * 3_600_000)
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(runtime.checked()).toBe(1)
})

it('a call that could not fail in time because nothing could be written fails as soon as it can', async () => {
  const runtime = await waitingCall()
  runtime.refuse('store.unavailable')
  runtime.expiry.watchCall(runtime.sessionId, { ...runtime.call, leader: null, parkedUntil: runtime.call.at })
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  runtime.refuse(null)
  runtime.move(60_000)
  runtime.checkNow()
  await runtime.until(runtime.sessionId, 'idle')
})

it('an ask of a session that another process holds is left to that process', async () => {
  const runtime = await waitingCall()
  runtime.refuse('session.held-elsewhere')
  runtime.expiry.watchCall(runtime.sessionId, { ...runtime.call, leader: null, parkedUntil: runtime.call.at })
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  runtime.move(60_000)
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBeGreaterThan(1)
  expect(runtime.checked()).toBe(2)
})

it('asks of a session that is not ours any more are not looked at', async () => {
  const runtime = await waitingCall()
  runtime.watch()
  runtime.expiry.forget(runtime.sessionId)
  runtime.move(25 * 3_600_000)
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(runtime.checked()).toBe(1)
})

describe('a session that was given up is not taken again for what it asked', () => {
  const other = { id: 'another', role: 'command', pid: 1, startTime: '0', address: null } as const

  /** Which sessions were taken since, once everything that was due has been looked at. */
  async function leasedAfter(giveUp: (runtime: LeasingRuntime, sessionId: SessionId) => Promise<unknown>) {
    const runtime = await leasingRuntime()
    const { sessionId } = await runtime.sessions.create({ agent: 'tester' }, 'ana')
    const mark = (await runtime.sessions.create({ agent: 'tester' }, 'ana')).sessionId
    await runtime.sessions.close(mark, 'ana')
    const soon = new Date(Date.now() + 500).toISOString()
    runtime.coordinator.expiry.watch(sessionId, 'apr_late' as ApprovalId, soon)
    await giveUp(runtime, sessionId)
    runtime.leased.length = 0
    await expect.poll(() => new Date().toISOString() > soon, { timeout: 60_000 }).toBe(true)
    runtime.coordinator.expiry.watch(mark, 'apr_mark' as ApprovalId, soon)
    await expect.poll(() => runtime.leased, { timeout: 60_000 }).toContain(mark)
    return { leased: runtime.leased, mark }
  }

  it('because it is closed', async () => {
    const { leased, mark } = await leasedAfter((runtime, sessionId) => runtime.sessions.close(sessionId, 'ana'))
    expect(leased).toEqual([mark])
  })

  it('because another process has taken it', async () => {
    const { leased, mark } = await leasedAfter(async (runtime, sessionId) => {
      await runtime.store.lease(sessionId, other, () => false)
      await expect(runtime.sessions.change(sessionId, { title: 'mine' }, 'ana')).rejects.toThrow()
      await expect.poll(() => runtime.coordinator.openTexts(sessionId), { timeout: 60_000 }).toBe(null)
    })
    expect(leased).toEqual([mark])
  })
})

type LeasingRuntime = Awaited<ReturnType<typeof leasingRuntime>>

async function leasingRuntime() {
  const store = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
  const leased: SessionId[] = []
  const lease: typeof store.lease = (sessionId, ...rest) => {
    leased.push(sessionId)
    return store.lease(sessionId, ...rest)
  }
  const backend = createScriptedBackend({ script: [] })
  return { ...(await openTestRuntime({ backend, store: { ...store, lease } })), leased }
}

it('a client that was alone is given up on when another one has come and time has passed', async () => {
  const runtime = await waitingCall()
  runtime.expiry.watchCall(runtime.sessionId, { ...runtime.call, deadlineAt: runtime.call.at })
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  await runtime.sessions.attachClient(runtime.sessionId, client('phone'), 'ana')
  runtime.move(5 * 60_000)
  runtime.checkNow()
  const leader = async () => (await runtime.calledOf(runtime.sessionId))[0]?.leader
  await expect.poll(leader, { timeout: 60_000 }).toBe('phone')
})

it('a hundred thousand asks are watched as one is', async () => {
  const runtime = await waitingCall()
  for (let index = 0; index < 100_000; index += 1) {
    runtime.expiry.watch(runtime.sessionId, `apr_${index}` as ApprovalId, runtime.call.parkedUntil)
  }
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
})
