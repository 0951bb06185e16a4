// `claude.max_concurrent_sessions` of an agent file.
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { rests, stall } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

it('claude.max_concurrent_sessions: further sessions of the agent queue with a position until one rests', async () => {
  const runtime = await openTestRuntime({
    backend: createScriptedBackend({ script: [[stall]] }),
    agent: { maxConcurrentSessions: 1 },
  })
  const start = async () =>
    (await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')).sessionId
  const first = await start()
  await rests(runtime, first, 'running')
  const second = await start()
  const positionOf = async () => (await runtime.sessions.getSession(second)).queuePosition
  await expect.poll(positionOf).toEqual({ reason: 'agent', position: 1, waiting: 1 })
  await rests(runtime, second, 'queued')
  await runtime.sessions.interrupt(first, 'ana')
  await rests(runtime, second, 'running')
  expect(await positionOf()).toBeNull()
})
