import { type ErrorCode, findModel, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { randomIds } from '../random-ids.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { openTestHouse } from './engine.fixture.ts'
import { goOnWithMoney, startRollover } from './go-on-with-money.ts'
import { createMoneyDoors } from './money-doors.ts'

const model = findModel('high')?.id ?? ''

/** A house whose budget of the day is used up. */
async function houseWithoutMoney() {
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }) })
  const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
  const tokens = { input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 }
  const use = { sessionId, requestId: 'req_1', apiMessageId: 'msg_1', requestedModel: model, servedModel: model }
  await house.coordinator.gatewayDecisions.settle({ ...use, tokens })
  const { budgetId } = await house.sessions.createBudget({ scope: 'all', period: 'day', limit: 0.01 }, 'root')
  async function stoppedSession() {
    const stopped = await house.sessions.create({ agent: 'tester', message: 'go' }, 'ana')
    await house.until(stopped.sessionId, 'stopped_budget')
    return stopped.sessionId
  }
  return { ...house, budgetId, stoppedSession }
}

it('a session that a budget per day has stopped goes on by itself when the day is over', async () => {
  const house = await houseWithoutMoney()
  const sessionId = await house.stoppedSession()

  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { store, coordinator, money } = house
  const clock = { now: () => new Date() }
  const verdicts: unknown[] = []
  const stopOf: typeof money.stopOf = async (purse) => {
    const stop = await money.stopOf(purse)
    verdicts.push(stop?.words ?? null)
    return stop
  }
  const options = { store, coordinator, money: { ...money, stopOf }, clock, ids: randomIds, logger: silentLogger }
  const stop = startRollover(options)
  await expect.poll(() => verdicts).toEqual(['everybody per day'])
  vi.advanceTimersByTime(60_000)
  expect((await house.sessions.snapshot(sessionId)).session.status).toBe('stopped_budget')
  vi.setSystemTime(Date.now() + 24 * 3_600_000)
  vi.advanceTimersByTime(60_000)
  await house.until(sessionId, 'idle')
  await stop()
  expect(verdicts).toEqual(['everybody per day', null])
  const log = await house.log(sessionId)
  expect(log.filter(({ type }) => type === 'TurnStarted')).toHaveLength(1)
  expect(log.filter(({ type }) => type === 'UserMessageDelivered')).toHaveLength(1)
})

/** What a rollover needs of a house in which one session cannot be opened the first time. */
function withTrouble(house: Awaited<ReturnType<typeof houseWithoutMoney>>, troubled: SessionId, code: ErrorCode) {
  let tries = 0
  async function open(sessionId: SessionId) {
    if (sessionId === troubled) tries += 1
    if (sessionId === troubled && tries === 1) throw new QuarterdeckError(code, 'not now')
    return house.coordinator.open(sessionId)
  }
  const { store, money } = house
  const coordinator = { open, kick: house.coordinator.kick }
  return { store, coordinator, money, clock: { now: () => new Date() }, ids: randomIds, logger: silentLogger }
}

it('a session that the store held up goes on with the next look, and the others at once', async () => {
  const house = await houseWithoutMoney()
  const troubled = await house.stoppedSession()
  const other = await house.stoppedSession()
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  // Noon: no other day begins in this test.
  vi.setSystemTime(new Date().setUTCHours(36))
  const stop = startRollover(withTrouble(house, troubled, 'store.unavailable'))
  await house.until(other, 'idle')
  const isIdle = async () => {
    vi.advanceTimersByTime(60_000)
    return (await house.sessions.snapshot(troubled)).session.status === 'idle'
  }
  await expect.poll(isIdle, { timeout: 60_000 }).toBe(true)
  await stop()
})

it('one that another process sees to is no failure', async () => {
  const house = await houseWithoutMoney()
  const troubled = await house.stoppedSession()
  const other = await house.stoppedSession()
  await house.store.deleteBudget(house.budgetId, 'root')
  await goOnWithMoney(withTrouble(house, troubled, 'session.held-elsewhere'), 'root')
  await house.until(other, 'idle')
  expect((await house.sessions.snapshot(troubled)).session.status).toBe('stopped_budget')
})

it('whoever removed a budget and was told of a failure asks again, and the session goes on', async () => {
  const house = await houseWithoutMoney()
  const troubled = await house.stoppedSession()
  const doors = createMoneyDoors({ ...withTrouble(house, troubled, 'store.unavailable'), store: house.store })
  await expect(doors.removeBudget(house.budgetId, 'root')).rejects.toMatchObject({ code: 'store.unavailable' })
  await expect(doors.removeBudget(house.budgetId, 'root')).rejects.toMatchObject({ code: 'budget.not-found' })
  await house.until(troubled, 'idle')
})
