import { type ErrorCode, findModel, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { silentLogger } from '../../ports/logger.ts'
import { randomIds } from '../../system/random-ids.ts'
import { createBudgetOperations } from '../api/budgets.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'
import { resumeFundedSessions, startRollover } from './resume-funded-sessions.ts'

const model = findModel('high')?.id ?? ''

/** A runtime whose budget of the day is used up. */
async function runtimeWithoutMoney() {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  const tokens = { input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 }
  const use = { sessionId, requestId: 'req_1', apiMessageId: 'msg_1', requestedModel: model, servedModel: model }
  await runtime.coordinator.gatewayDecisions.settle({ ...use, tokens })
  const { budgetId } = await runtime.sessions.createBudget({ scope: 'all', period: 'day', limit: 0.01 }, 'root')
  async function stoppedSession() {
    const stopped = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(stopped.sessionId, 'stopped_budget')
    return stopped.sessionId
  }
  return { ...runtime, budgetId, stoppedSession }
}

it('resumes a session that a daily budget stopped when the day is over', async () => {
  const runtime = await runtimeWithoutMoney()
  const sessionId = await runtime.stoppedSession()

  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { store, coordinator, money } = runtime
  const clock = { now: () => new Date() }
  const verdicts: unknown[] = []
  const stopOf: typeof money.stopOf = async (spendingSession) => {
    const stop = await money.stopOf(spendingSession)
    verdicts.push(stop?.label ?? null)
    return stop
  }
  const options = { store, coordinator, money: { ...money, stopOf }, clock, ids: randomIds, logger: silentLogger }
  const stop = startRollover(options)
  await expect.poll(() => verdicts).toEqual(['everybody per day'])
  vi.advanceTimersByTime(60_000)
  expect((await runtime.sessions.getSession(sessionId)).session.status).toBe('stopped_budget')
  vi.setSystemTime(Date.now() + 24 * 3_600_000)
  vi.advanceTimersByTime(60_000)
  await runtime.until(sessionId, 'idle')
  await stop()
  expect(verdicts).toEqual(['everybody per day', null])
  const log = await runtime.log(sessionId)
  expect(log.filter(({ type }) => type === 'TurnStarted')).toHaveLength(1)
  expect(log.filter(({ type }) => type === 'UserMessageDelivered')).toHaveLength(1)
})

/** The options of a rollover in which one session cannot be opened the first time. */
function withTrouble(runtime: Awaited<ReturnType<typeof runtimeWithoutMoney>>, troubled: SessionId, code: ErrorCode) {
  let tries = 0
  async function open(sessionId: SessionId) {
    if (sessionId === troubled) tries += 1
    if (sessionId === troubled && tries === 1) throw new QuarterdeckError(code, 'not now')
    return runtime.coordinator.open(sessionId)
  }
  const { store, money } = runtime
  const coordinator = { open, kick: runtime.coordinator.kick }
  return { store, coordinator, money, clock: { now: () => new Date() }, ids: randomIds, logger: silentLogger }
}

it('resumes a session at the next check if the store failed, and the others at once', async () => {
  const runtime = await runtimeWithoutMoney()
  const troubled = await runtime.stoppedSession()
  const other = await runtime.stoppedSession()
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  // Noon: no other day begins in this test.
  vi.setSystemTime(new Date().setUTCHours(36))
  const stop = startRollover(withTrouble(runtime, troubled, 'store.unavailable'))
  await runtime.until(other, 'idle')
  const isIdle = async () => {
    vi.advanceTimersByTime(60_000)
    return (await runtime.sessions.getSession(troubled)).session.status === 'idle'
  }
  await expect.poll(isIdle, { timeout: 60_000 }).toBe(true)
  await stop()
})

it('ignores a session that another process holds', async () => {
  const runtime = await runtimeWithoutMoney()
  const troubled = await runtime.stoppedSession()
  const other = await runtime.stoppedSession()
  await runtime.store.deleteBudget(runtime.budgetId, 'root')
  await resumeFundedSessions(withTrouble(runtime, troubled, 'session.held-elsewhere'), 'root')
  await runtime.until(other, 'idle')
  expect((await runtime.sessions.getSession(troubled)).session.status).toBe('stopped_budget')
})

it('resumes the session when a failed removal of a budget is retried', async () => {
  const runtime = await runtimeWithoutMoney()
  const troubled = await runtime.stoppedSession()
  const operations = createBudgetOperations({
    ...withTrouble(runtime, troubled, 'store.unavailable'),
    store: runtime.store,
  })
  await expect(operations.removeBudget(runtime.budgetId, 'root')).rejects.toMatchObject({ code: 'store.unavailable' })
  await expect(operations.removeBudget(runtime.budgetId, 'root')).rejects.toMatchObject({ code: 'budget.not-found' })
  await runtime.until(troubled, 'idle')
})
