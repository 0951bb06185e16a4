import { expect, it } from 'vitest'
import type { Step } from '../../backends/scripted/script.ts'
import { createCountingBackend } from '../../processes/counting-backend.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const bash: Step = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'ok' }

it('gives a session fewer tools and more instructions than its agent, in each of its processes', async () => {
  const counting = createCountingBackend([[bash], [bash]])
  const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
  await runtime.sessions.warmAgent('tester')
  const spares = counting.opened.length
  const sessionTools = { instructions: 'Answer about sites only.', allowedTools: ['Read'] }
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go', ...sessionTools }, 'ana')
  await runtime.until(sessionId, 'idle')
  const opened = counting.opened.slice(spares).find((options) => options.sessionId === sessionId)
  expect(opened?.sessionTools?.instructions).toBe('Answer about sites only.')
  expect(['Read', 'Bash'].filter((name) => opened?.sessionTools?.has(name))).toEqual(['Read'])
  const denied = (await runtime.log(sessionId)).find((event) => event.type === 'ToolExecuted')
  expect(denied).toMatchObject({ data: { isError: true, output: expect.stringContaining('not available') } })

  const fork = await runtime.sessions.fork(sessionId, {}, 'ana')
  const { session } = await runtime.sessions.getSession(fork.sessionId)
  expect(session).toMatchObject(sessionTools)
})

it('takes no spare process for a session with a turn-ending tool', async () => {
  const counting = createCountingBackend([])
  const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
  await runtime.sessions.warmAgent('tester')
  const spare = counting.opened[0]?.sessionId
  const tool = { name: 'final_answer', description: '', inputSchema: { type: 'object' } }
  const client = (endsTurn: object) => ({ clientId: 'tab', tools: [{ ...tool, ...endsTurn }] })
  const ending = await runtime.sessions.createSession({ agent: 'tester', client: client({ endsTurn: true }) }, 'ana')
  expect(ending.sessionId).not.toBe(spare)
  const usual = await runtime.sessions.createSession({ agent: 'tester', client: client({}) }, 'ana')
  expect(usual.sessionId).toBe(spare)
})

it('belongs to the given owner and records who started it', async () => {
  const runtime = await openTestRuntime({ backend: createCountingBackend([]).backend })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', owner: 'ana' }, 'ana-laptop')
  expect((await runtime.sessions.getSession(sessionId)).session).toMatchObject({
    owner: 'ana',
    startedBy: 'ana-laptop',
  })
  const own = await runtime.sessions.createSession({ agent: 'tester', owner: 'ana' }, 'ana')
  expect((await runtime.sessions.getSession(own.sessionId)).session).not.toHaveProperty('startedBy')
})
