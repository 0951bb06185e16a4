// `claude.max_concurrent_sessions` of an agent file.
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { openTestHouse } from './engine.fixture.ts'
import { rests, stall } from './lifecycle.fixture.ts'

it('claude.max_concurrent_sessions: further sessions of the agent wait in line, shown where, until one rests', async () => {
  const house = await openTestHouse({
    backend: createScriptedBackend({ script: [[stall]] }),
    agent: { maxConcurrentSessions: 1 },
  })
  const start = async () => (await house.sessions.create({ agent: 'tester', message: 'work' }, 'ana')).sessionId
  const first = await start()
  await rests(house, first, 'running')
  const second = await start()
  const placeOf = async () => (await house.sessions.snapshot(second)).place
  await expect.poll(placeOf).toEqual({ reason: 'agent', position: 1, waiting: 1 })
  await rests(house, second, 'queued')
  await house.sessions.interrupt(first, 'ana')
  await rests(house, second, 'running')
  expect(await placeOf()).toBeNull()
})
