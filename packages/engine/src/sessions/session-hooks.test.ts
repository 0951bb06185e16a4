import { expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { createHookPoints } from '../hooks/create-hook-points.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { openTestHouse } from './engine.fixture.ts'

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
