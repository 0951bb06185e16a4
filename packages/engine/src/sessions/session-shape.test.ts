import { expect, it } from 'vitest'
import type { Step } from '../backends/scripted/script.ts'
import { createCountingBackend } from '../processes/counting-backend.fixture.ts'
import { openTestHouse } from './engine.fixture.ts'

const bash: Step = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'ok' }

it('gives a session fewer tools than its agent, and tells it more, in every process it ever has', async () => {
  const counting = createCountingBackend([[bash], [bash]])
  const house = await openTestHouse({ backend: counting.backend, processes: { spares: true } })
  await house.sessions.warm('tester')
  const spares = counting.opened.length
  const shape = { instructions: 'Answer about sites only.', allowedTools: ['Read'] }
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'go', ...shape }, 'ana')
  await house.until(sessionId, 'idle')
  const opened = counting.opened.slice(spares).find((options) => options.sessionId === sessionId)
  expect(opened?.shape?.instructions).toBe('Answer about sites only.')
  expect(['Read', 'Bash'].filter((name) => opened?.shape?.has(name))).toEqual(['Read'])
  const denied = (await house.log(sessionId)).find((event) => event.type === 'ToolExecuted')
  expect(denied).toMatchObject({ data: { isError: true, output: expect.stringContaining('not available') } })

  const fork = await house.sessions.fork(sessionId, {}, 'ana')
  const { session } = await house.sessions.snapshot(fork.sessionId)
  expect(session).toMatchObject(shape)
})

it('takes no spare that does not listen for the tool that ends its turns', async () => {
  const counting = createCountingBackend([])
  const house = await openTestHouse({ backend: counting.backend, processes: { spares: true } })
  await house.sessions.warm('tester')
  const spare = counting.opened[0]?.sessionId
  const tool = { name: 'final_answer', description: '', inputSchema: { type: 'object' } }
  const client = (endsTurn: object) => ({ clientId: 'tab', tools: [{ ...tool, ...endsTurn }] })
  const ending = await house.sessions.create({ agent: 'tester', client: client({ endsTurn: true }) }, 'ana')
  expect(ending.sessionId).not.toBe(spare)
  const usual = await house.sessions.create({ agent: 'tester', client: client({}) }, 'ana')
  expect(usual.sessionId).toBe(spare)
})

it('belongs to the owner it is started for, and says who started it', async () => {
  const house = await openTestHouse({ backend: createCountingBackend([]).backend })
  const { sessionId } = await house.sessions.create({ agent: 'tester', owner: 'ana' }, 'ana-laptop')
  expect((await house.sessions.snapshot(sessionId)).session).toMatchObject({ owner: 'ana', startedBy: 'ana-laptop' })
  const own = await house.sessions.create({ agent: 'tester', owner: 'ana' }, 'ana')
  expect((await house.sessions.snapshot(own.sessionId)).session).not.toHaveProperty('startedBy')
})
