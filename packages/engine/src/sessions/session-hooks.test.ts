import { expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { createHookPoints } from '../hooks/create-hook-points.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { openTestHouse } from './engine.fixture.ts'

it('a process is gone and its place free before those who hear of its end are done', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  let done: () => void = () => undefined
  const isDone = new Promise<undefined>((resolve) => {
    done = () => resolve(undefined)
  })
  hooks.on('SessionEnd', () => isDone)
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'hi' }, 'ana')
  await house.until(sessionId, 'idle')
  await house.sessions.close(sessionId, 'ana')
  expect((await house.sessions.queue()).processes.resident).toBe(0)
  let isClosed = false
  const closing = house.coordinator.close().then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isClosed).toBe(false)
  done()
  await closing
})

it('a turn that is interrupted does not wait for those who hear of its start', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  let isHeard = false
  hooks.on('SessionStart', () => {
    isHeard = true
    return new Promise(() => undefined)
  })
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'hi' }, 'ana')
  await expect.poll(() => isHeard, { timeout: 60_000 }).toBe(true)
  await house.sessions.interrupt(sessionId, 'ana')
  await house.until(sessionId, 'interrupted')
})

it('hooks hear when a process begins and ends to work for a session, once each', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  const heard: unknown[] = []
  hooks.on('SessionStart', ({ source }, { sessionId }) => void heard.push(['start', source, sessionId]))
  hooks.on('SessionEnd', (_input, { sessionId }) => void heard.push(['end', sessionId]))
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'hi' }, 'ana')
  await house.until(sessionId, 'idle')
  expect(heard).toEqual([['start', 'startup', sessionId]])
  await house.sessions.close(sessionId, 'ana')
  expect(heard).toEqual([
    ['start', 'startup', sessionId],
    ['end', sessionId],
  ])
})
