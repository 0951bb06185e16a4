// `limits.units_per_day` of an agent file.
import { findModel, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { randomIds } from '../random-ids.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { openTestHouse } from './engine.fixture.ts'
import { startRollover } from './go-on-with-money.ts'
import { eventsOf, rests } from './lifecycle.fixture.ts'

const model = findModel('high')?.id ?? ''

async function openHouse(unitsPerDay: number) {
  let says: number | null = unitsPerDay
  const house = await openTestHouse({
    backend: createScriptedBackend({ script: [] }),
    fileSays: () => ({ unitsPerDay: says }),
  })
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'hi' }, 'ana')
  await rests(house, sessionId, 'idle')
  let requests = 0
  return {
    ...house,
    sessionId,
    write(limit: number | null) {
      says = limit
    },
    /** An answer of the model; resolves with the units that are used by now. */
    async use(output: number) {
      requests += 1
      const tokens = { input: 0, output, cacheRead: 0, cacheWrite: 0 }
      const ids = { requestId: `req_${requests}`, apiMessageId: `msg_${requests}` }
      await house.coordinator.gatewayDecisions.settle({
        sessionId,
        ...ids,
        requestedModel: model,
        servedModel: model,
        tokens,
      })
      return (await eventsOf(house, sessionId, 'UsageRecorded')).reduce((sum, { data }) => sum + (data.units ?? 0), 0)
    },
    async send(to: SessionId = sessionId) {
      await house.sessions.send(to, { content: 'more' }, 'ana')
    },
  }
}

it('limits.units_per_day: is a budget of the agent per day, which warns and then lets its sessions rest', async () => {
  const house = await openHouse(10_000)
  expect(await house.sessions.budgets()).toMatchObject([
    { scope: 'agent', subject: 'tester', period: 'day', unit: 'units', limit: 10_000, createdBy: 'agent file' },
  ])
  const unitsOfTen = await house.use(10)
  await house.use(Math.ceil(8500 / unitsOfTen) * 10)
  expect(await eventsOf(house, house.sessionId, 'BudgetWarning')).toMatchObject([
    { data: { budget: 'agent tester per day', unit: 'units', limit: 10_000 } },
  ])
  await house.use(Math.ceil(2000 / unitsOfTen) * 10)
  await house.send()
  await rests(house, house.sessionId, 'stopped_budget')
  const [stopped] = await eventsOf(house, house.sessionId, 'AgentSessionBudgetExceeded')
  expect(stopped?.data).toMatchObject({ budget: 'agent tester per day' })
})

it('limits.units_per_day: is as the file says before each turn, and gone with its line', async () => {
  const house = await openHouse(1000)
  house.write(2000)
  await house.send()
  await expect.poll(async () => (await house.sessions.budgets())[0]?.limit).toBe(2000)
  house.write(null)
  await house.send()
  await expect.poll(async () => house.sessions.budgets()).toEqual([])
})

it('limits.units_per_day: another number in the file lets a session go on, and so does a new day', async () => {
  const house = await openHouse(1)
  await house.use(1000)
  await house.send()
  await rests(house, house.sessionId, 'stopped_budget')
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  // Noon: no other day begins until it is told to.
  vi.setSystemTime(new Date().setUTCHours(12))
  const { store, coordinator, money } = house
  const clock = { now: () => new Date() }
  const stop = startRollover({ store, coordinator, money, clock, ids: randomIds, logger: silentLogger })
  const minute = async () => {
    vi.advanceTimersByTime(60_000)
    return (await house.sessions.snapshot(house.sessionId)).session.status
  }
  expect(await minute()).toBe('stopped_budget')
  house.write(1_000_000)
  await expect.poll(minute).toBe('idle')

  house.write(1)
  await house.send()
  await expect.poll(minute).toBe('stopped_budget')
  vi.setSystemTime(Date.now() + 24 * 3_600_000)
  await expect.poll(minute).toBe('idle')
  await stop()
})
