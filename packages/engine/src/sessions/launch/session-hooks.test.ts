import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { createHookPoints } from '../../hooks/create-hook-points.ts'
import { silentLogger } from '../../ports/logger.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

it('a process is gone and its place free before those who hear of its end are done', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  let done: () => void = () => undefined
  const isDone = new Promise<undefined>((resolve) => {
    done = () => resolve(undefined)
  })
  hooks.on('SessionEnd', () => isDone)
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'hi' }, 'ana')
  await runtime.until(sessionId, 'idle')
  await runtime.sessions.close(sessionId, 'ana')
  expect((await runtime.sessions.queue()).processes.resident).toBe(0)
  let isClosed = false
  const closing = runtime.coordinator.close().then(() => {
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
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'hi' }, 'ana')
  await expect.poll(() => isHeard, { timeout: 60_000 }).toBe(true)
  await runtime.sessions.interrupt(sessionId, 'ana')
  await runtime.until(sessionId, 'interrupted')
})

it('hooks hear when a process begins and ends to work for a session, once each', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  const received: unknown[] = []
  hooks.on('SessionStart', ({ source }, { sessionId }) => void received.push(['start', source, sessionId]))
  hooks.on('SessionEnd', (_input, { sessionId }) => void received.push(['end', sessionId]))
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await runtime.sessions.create({ agent: 'tester', message: 'hi' }, 'ana')
  await runtime.until(sessionId, 'idle')
  expect(received).toEqual([['start', 'startup', sessionId]])
  await runtime.sessions.close(sessionId, 'ana')
  expect(received).toEqual([
    ['start', 'startup', sessionId],
    ['end', sessionId],
  ])
})
