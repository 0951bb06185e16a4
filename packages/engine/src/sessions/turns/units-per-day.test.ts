// `limits.units_per_day` of an agent file.
import { findModel, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { silentLogger } from '../../ports/logger.ts'
import { randomIds } from '../../system/random-ids.ts'
import { eventsOf, rests } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'
import { startRollover } from './resume-funded-sessions.ts'

const model = findModel('high')?.id ?? ''

async function openRuntime(unitsPerDay: number) {
  let says: number | null = unitsPerDay
  const runtime = await openTestRuntime({
    backend: createScriptedBackend({ script: [] }),
    definitionNow: () => ({ unitsPerDay: says }),
  })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'hi' }, 'ana')
  await rests(runtime, sessionId, 'idle')
  let requests = 0
  return {
    ...runtime,
    sessionId,
    write(limit: number | null) {
      says = limit
    },
    /** One answer of the model. Resolves with the units used so far. */
    async use(output: number) {
      requests += 1
      const tokens = { input: 0, output, cacheRead: 0, cacheWrite: 0 }
      const ids = { requestId: `req_${requests}`, apiMessageId: `msg_${requests}` }
      await runtime.coordinator.gatewayDecisions.settle({
        sessionId,
        ...ids,
        requestedModel: model,
        servedModel: model,
        tokens,
      })
      return (await eventsOf(runtime, sessionId, 'UsageRecorded')).reduce((sum, { data }) => sum + (data.units ?? 0), 0)
    },
    async send(to: SessionId = sessionId) {
      await runtime.sessions.sendMessage(to, { content: 'more' }, 'ana')
    },
  }
}

it('limits.units_per_day: is a daily budget of the agent, which warns and then stops its sessions', async () => {
  const runtime = await openRuntime(10_000)
  expect((await runtime.sessions.listBudgets()).budgets).toMatchObject([
    { scope: 'agent', subject: 'tester', period: 'day', unit: 'units', limit: 10_000, createdBy: 'agent file' },
  ])
  const unitsOfTen = await runtime.use(10)
  await runtime.use(Math.ceil(8500 / unitsOfTen) * 10)
  expect(await eventsOf(runtime, runtime.sessionId, 'BudgetWarning')).toMatchObject([
    { data: { budget: 'agent tester per day', unit: 'units', limit: 10_000 } },
  ])
  await runtime.use(Math.ceil(2000 / unitsOfTen) * 10)
  await runtime.send()
  await rests(runtime, runtime.sessionId, 'stopped_budget')
  const [stopped] = await eventsOf(runtime, runtime.sessionId, 'AgentSessionBudgetExceeded')
  expect(stopped?.data).toMatchObject({ budget: 'agent tester per day' })
})

it('limits.units_per_day: is read from the file before each turn, and removed with its line', async () => {
  const runtime = await openRuntime(1000)
  runtime.write(2000)
  await runtime.send()
  await expect.poll(async () => (await runtime.sessions.listBudgets()).budgets[0]?.limit).toBe(2000)
  runtime.write(null)
  await runtime.send()
  await expect.poll(async () => (await runtime.sessions.listBudgets()).budgets).toEqual([])
})

it('limits.units_per_day: another number in the file resumes a session, and so does a new day', async () => {
  const runtime = await openRuntime(1)
  await runtime.use(1000)
  await runtime.send()
  await rests(runtime, runtime.sessionId, 'stopped_budget')
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  // Noon: no other day begins until the test says so.
  vi.setSystemTime(new Date().setUTCHours(12))
  const { store, coordinator, money } = runtime
  const clock = { now: () => new Date() }
  const stop = startRollover({ store, coordinator, money, clock, ids: randomIds, logger: silentLogger })
  const minute = async () => {
    vi.advanceTimersByTime(60_000)
    return (await runtime.sessions.getSession(runtime.sessionId)).session.status
  }
  expect(await minute()).toBe('stopped_budget')
  runtime.write(1_000_000)
  await expect.poll(minute).toBe('idle')

  runtime.write(1)
  await runtime.send()
  await expect.poll(minute).toBe('stopped_budget')
  vi.setSystemTime(Date.now() + 24 * 3_600_000)
  await expect.poll(minute).toBe('idle')
  await stop()
})
