import {
  type ClientCallId,
  type ErrorCode,
  type OpenApproval,
  type OpenClientCall,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../../backends/scripted/script.ts'
import { silentLogger } from '../../ports/logger.ts'
import { randomIds } from '../../system/random-ids.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import { stateOf } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'
import { createAskExpiry } from './ask-expiry.ts'

const calls: Step = { type: 'tool', name: 'mcp__client__get_time', input: {}, result: '' }
const client = (clientId: string) => ({
  clientId,
  tools: [{ name: 'get_time', description: 'time', inputSchema: { type: 'object' } }],
})

/** The session with approvals that were never asked. Only these fields are read. */
const withApprovals = (state: SessionState, expiresAt: string, ...ids: readonly string[]): SessionState => {
  const { sessionId } = state
  return {
    ...state,
    clientCalls: [],
    approvals: ids.map((approvalId) => ({ approvalId, sessionId, expiresAt }) as OpenApproval),
  }
}

/** A session whose call waits for its clients, and an expiry whose clock the test moves. */
async function waitingCall(...others: readonly string[]) {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[calls]] }) })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', client: client('tab') }, 'ana')
  for (const clientId of others) await runtime.sessions.attachClient(sessionId, client(clientId), 'ana')
  await runtime.sessions.sendMessage(sessionId, { content: 'go' }, 'ana')
  await runtime.until(sessionId, 'waiting_client')
  const state = (await runtime.sessions.getSession(sessionId)).session
  const [call] = state.clientCalls
  const called = (await runtime.log(sessionId)).filter(({ type }) => type === 'ClientToolCalled')
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
    onExpired: runtime.coordinator.kick,
    clock: { now: () => now },
    ids: randomIds,
    logger: silentLogger,
  })
  // The log contains only events: text in progress is not one.
  const unsubscribe = runtime.bus.subscribe(sessionId, (events) =>
    expiry.observe(running.writer.state(), (events ?? []) as readonly SessionEvent[]),
  )
  onTestFinished(() => {
    unsubscribe()
    expiry.stop()
  })
  const watch = (change: Partial<OpenClientCall> = {}) =>
    expiry.watchAll({ ...state, clientCalls: [{ ...call, ...change }] })
  const move = (ms: number) => {
    now = new Date(now.getTime() + ms)
  }
  const pass = (ms: number) => {
    move(ms)
    watch()
  }
  /** The call is made, and the time of its leading client has passed. */
  const pastDeadline = () => expiry.observe({ ...state, clientCalls: [{ ...call, deadlineAt: call.at }] }, called)
  /** Triggers a check now, with an id that was never asked. */
  const checkNow = () => expiry.watchAll(withApprovals(state, new Date(0).toISOString(), 'apr_nobody'))
  const refuse = (code: ErrorCode | null) => {
    refusal = code
  }
  const calledOf = async (id: SessionId) => (await runtime.sessions.listClientCalls(id)).calls
  return {
    ...runtime,
    sessionId,
    call,
    expiry,
    pass,
    pastDeadline,
    state,
    move,
    watch,
    checkNow,
    refuse,
    checked: () => checks,
    calledOf,
    callId: call.callId as ClientCallId,
  }
}

it('gives up on a silent client when another one can answer, and still accepts a late result', async () => {
  const runtime = await waitingCall('phone')
  runtime.pastDeadline()
  const leader = async () => (await runtime.calledOf(runtime.sessionId))[0]?.leader
  await expect.poll(leader, { timeout: 60_000 }).toBe('phone')
  await runtime.sessions.returnClientCall(runtime.callId, { output: 'noon' }, 'ana')
  await runtime.until(runtime.sessionId, 'idle')
})

it('lets a single client take as long as the call is parked', async () => {
  const runtime = await waitingCall()
  runtime.pastDeadline()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  // Runs after everything that the check has triggered.
  await runtime.sessions.attachClient(runtime.sessionId, { clientId: 'other', tools: [] }, 'ana')
  expect((await runtime.calledOf(runtime.sessionId))[0]?.leader).toBe('tab')
})

it('fails a call that was parked too long, even when the clock jumps', async () => {
  const runtime = await waitingCall()
  runtime.pass(25 * 3_600_000)
  await runtime.until(runtime.sessionId, 'idle')
  const log = await runtime.log(runtime.sessionId)
  const executed = log.find((event) => event.type === 'ToolExecuted')
  expect(executed?.data).toMatchObject({ isError: true, output: 'No client returned a result in time.' })
})

it('does not check an answered ask at its deadline', async () => {
  const runtime = await waitingCall()
  runtime.watch()
  await runtime.sessions.returnClientCall(runtime.callId, { output: 'noon' }, 'ana')
  await runtime.until(runtime.sessionId, 'idle')
  runtime.move(25 * 3_600_000)
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(runtime.checked()).toBe(1)
})

it('fails a call as soon as the store can be written again', async () => {
  const runtime = await waitingCall()
  runtime.refuse('store.unavailable')
  runtime.watch({ leader: null, parkedUntil: runtime.call.at })
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  runtime.refuse(null)
  runtime.move(60_000)
  runtime.checkNow()
  await runtime.until(runtime.sessionId, 'idle')
})

it('leaves the asks of a session to the process that holds it', async () => {
  const runtime = await waitingCall()
  runtime.refuse('session.held-elsewhere')
  runtime.watch({ leader: null, parkedUntil: runtime.call.at })
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  runtime.move(60_000)
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBeGreaterThan(1)
  expect(runtime.checked()).toBe(2)
})

it('does not check the asks of a session that was released', async () => {
  const runtime = await waitingCall()
  runtime.watch()
  runtime.expiry.forget(runtime.sessionId)
  runtime.move(25 * 3_600_000)
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(runtime.checked()).toBe(1)
})

describe('does not take a released session again for its asks', () => {
  const other = { id: 'another', role: 'command', pid: 1, startTime: '0', address: null } as const

  /** Which sessions have been taken since, once every due ask has been checked. */
  async function leasedAfter(giveUp: (runtime: LeasingRuntime, sessionId: SessionId) => Promise<unknown>) {
    const runtime = await leasingRuntime()
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const mark = (await runtime.sessions.createSession({ agent: 'tester' }, 'ana')).sessionId
    await runtime.sessions.close(mark, 'ana')
    const soon = new Date(Date.now() + 500).toISOString()
    runtime.coordinator.expiry.watchAll(withApprovals(await stateOf(runtime, sessionId), soon, 'apr_late'))
    await giveUp(runtime, sessionId)
    runtime.leased.length = 0
    await expect.poll(() => new Date().toISOString() > soon, { timeout: 60_000 }).toBe(true)
    runtime.coordinator.expiry.watchAll(withApprovals(await stateOf(runtime, mark), soon, 'apr_mark'))
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
      await expect(runtime.sessions.changeSession(sessionId, { title: 'mine' }, 'ana')).rejects.toThrow()
      await expect.poll(() => runtime.coordinator.openTexts(sessionId), { timeout: 60_000 }).toBe(null)
    })
    expect(leased).toEqual([mark])
  })
})

type LeasingRuntime = Awaited<ReturnType<typeof leasingRuntime>>

async function leasingRuntime() {
  const store = await openTestStore()
  const leased: SessionId[] = []
  const lease: typeof store.lease = (sessionId, ...rest) => {
    leased.push(sessionId)
    return store.lease(sessionId, ...rest)
  }
  const backend = createScriptedBackend({ script: [] })
  return { ...(await openTestRuntime({ backend, store: { ...store, lease } })), leased }
}

it('gives up on a single client when another one has attached and time has passed', async () => {
  const runtime = await waitingCall()
  runtime.pastDeadline()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
  await runtime.sessions.attachClient(runtime.sessionId, client('phone'), 'ana')
  runtime.move(5 * 60_000)
  runtime.checkNow()
  const leader = async () => (await runtime.calledOf(runtime.sessionId))[0]?.leader
  await expect.poll(leader, { timeout: 60_000 }).toBe('phone')
})

it('watches a hundred thousand asks as fast as one', async () => {
  const runtime = await waitingCall()
  const ids = Array.from({ length: 100_000 }, (_, index) => `apr_${index}`)
  runtime.expiry.watchAll(withApprovals(runtime.state, runtime.call.parkedUntil, ...ids))
  runtime.checkNow()
  await expect.poll(runtime.checked, { timeout: 60_000 }).toBe(1)
})
