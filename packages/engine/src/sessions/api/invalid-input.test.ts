import { expect, it } from 'vitest'
import type { Step } from '../../backends/scripted/script.ts'
import type { SessionService } from '../session-service.ts'
import { runtimeOf, stateOf } from '../testing/lifecycle.fixture.ts'

const item = { question: 'Which?', header: 'W', options: [{ label: 'red', description: '' }], multiSelect: false }
const asks: Step = { type: 'tool', name: 'AskUserQuestion', input: { questions: [item] }, result: '' }
const time: Step = { type: 'tool', name: 'mcp__client__time', input: { zone: 'utc' }, result: '' }
const client = { clientId: 'tab', tools: [{ name: 'time', description: 't', inputSchema: { type: 'object' } }] }

/** A caller without types. */
const untyped = (value: object) => value as never

async function waitingFor(step: Step) {
  const runtime = await runtimeOf([[step]])
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go', client }, 'ana')
  await runtime.until(sessionId, 'waiting_user', 'waiting_client')
  const { questions, clientCalls } = await stateOf(runtime, sessionId)
  return { sessions: runtime.sessions, sessionId, questionId: questions[0]?.questionId, callId: clientCalls[0]?.callId }
}

type Call = (sessions: SessionService, waiting: Awaited<ReturnType<typeof waitingFor>>) => Promise<unknown>

it.each<[operation: string, step: Step, path: string, call: Call]>([
  [
    'answerQuestion',
    asks,
    'answers',
    (sessions, { questionId }) => sessions.answerQuestion(questionId as never, untyped({ answers: 'red' }), 'ben'),
  ],
  [
    'returnClientCall',
    time,
    'output',
    (sessions, { callId }) => sessions.returnClientCall(callId as never, untyped({ output: 12 }), 'ben'),
  ],
  [
    'createBudget',
    asks,
    'limit',
    (sessions) => sessions.createBudget(untyped({ scope: 'all', period: 'day', limit: -1 }), 'ben'),
  ],
  [
    'sendMessage',
    asks,
    'content',
    (sessions, { sessionId }) => sessions.sendMessage(sessionId, untyped({ content: '' }), 'ben'),
  ],
  [
    'attachClient',
    asks,
    'tools',
    (sessions, { sessionId }) => sessions.attachClient(sessionId, untyped({ clientId: 'tab' }), 'ben'),
  ],
  ['usage', asks, 'by', (sessions) => sessions.usage(untyped({ by: 'moon' }))],
  ['rewind', asks, 'files', (sessions, { sessionId }) => sessions.rewind(sessionId, untyped({ files: 'all' }), 'ben')],
])('%s refuses invalid input as request.invalid and names the field', async (_, step, path, call) => {
  const waiting = await waitingFor(step)
  await expect(call(waiting.sessions, waiting)).rejects.toMatchObject({
    code: 'request.invalid',
    message: expect.stringContaining(`${path}: `),
    facts: { issues: expect.arrayContaining([{ path, message: expect.any(String) }]) },
  })
})
