import { findModel } from '@quarterdeck/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { randomIds } from '../random-ids.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { openTestHouse } from './engine.fixture.ts'
import { startRollover } from './go-on-with-money.ts'

const model = findModel('high')?.id ?? ''

it('a session that a budget per day has stopped goes on by itself when the day is over', async () => {
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }) })
  const spend = async () => {
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    const tokens = { input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 }
    const use = { sessionId, requestId: 'req_1', apiMessageId: 'msg_1', requestedModel: model, servedModel: model }
    await house.coordinator.book({ ...use, tokens })
  }
  await spend()
  await house.sessions.createBudget({ scope: 'all', period: 'day', limit: 0.01 }, 'root')
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'go' }, 'ana')
  await house.until(sessionId, 'stopped_budget')

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
