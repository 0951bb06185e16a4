import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { createHookPoints } from '../../hooks/create-hook-points.ts'
import { silentLogger } from '../../ports/logger.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

it('frees the slot of an ended process before its SessionEnd hooks are done', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  let done: () => void = () => undefined
  const isDone = new Promise<undefined>((resolve) => {
    done = () => resolve(undefined)
  })
  hooks.on('SessionEnd', () => isDone)
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'hi' }, 'ana')
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

it('does not make an interrupted turn wait for its SessionStart hooks', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  let isListening = false
  hooks.on('SessionStart', () => {
    isListening = true
    return new Promise(() => undefined)
  })
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'hi' }, 'ana')
  await expect.poll(() => isListening, { timeout: 60_000 }).toBe(true)
  await runtime.sessions.interrupt(sessionId, 'ana')
  await runtime.until(sessionId, 'interrupted')
})

it('calls the hooks once when a process starts working for a session and once when it ends', async () => {
  const hooks = createHookPoints({ logger: silentLogger })
  const received: unknown[] = []
  hooks.on('SessionStart', ({ source }, { sessionId }) => void received.push(['start', source, sessionId]))
  hooks.on('SessionEnd', (_input, { sessionId }) => void received.push(['end', sessionId]))
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), hooks })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'hi' }, 'ana')
  await runtime.until(sessionId, 'idle')
  expect(received).toEqual([['start', 'startup', sessionId]])
  await runtime.sessions.close(sessionId, 'ana')
  expect(received).toEqual([
    ['start', 'startup', sessionId],
    ['end', sessionId],
  ])
})
