// People and clients of a session on the scripted backend, while the asking process runs and after it has ended.
import { tmpdir } from 'node:os'
import { isDurable, parseAnswers, parseResults, type QuestionId, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../../backends/scripted/script.ts'
import { claudeSettings } from '../../testing/agent-definition.fixture.ts'
import { ofType } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime, type TestRuntimeOptions } from '../testing/test-runtime.fixture.ts'

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: [
    { label: 'red', description: '' },
    { label: 'blue', description: '' },
  ],
  multiSelect: false,
}
const red = { answers: { 'Which colour?': 'red' } }
const asks: Step = { type: 'tool', name: 'AskUserQuestion', input: { questions: [colour] }, result: '' }
type ToolStep = Extract<Step, { type: 'tool' }>
const timeIn = (zone: string): ToolStep => ({
  type: 'tool',
  name: 'mcp__client__get_time',
  input: { zone },
  result: '',
})
const tab = { clientId: 'tab', tools: [{ name: 'get_time', description: 'time', inputSchema: { type: 'object' } }] }

async function openRuntime(script: Script, options: Partial<TestRuntimeOptions> = {}) {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), ...options })
  const session = async (sessionId: SessionId) => (await runtime.sessions.getSession(sessionId)).session
  const outputs = async (sessionId: SessionId) =>
    ofType(await runtime.log(sessionId), 'ToolExecuted').map(({ data }) => data.output)
  const question = async (sessionId: SessionId): Promise<QuestionId> => {
    await runtime.until(sessionId, 'waiting_user')
    const [open] = (await runtime.sessions.listQuestions({ session: sessionId })).questions
    if (open === undefined) throw new Error('nothing is asked')
    return open.questionId
  }
  const calls = async (sessionId: SessionId) => (await runtime.sessions.listClientCalls(sessionId)).calls
  return { ...runtime, session, outputs, question, calls }
}

describe('a question', () => {
  it('waits for its answer, passes it to the agent, and refuses a second answer', async () => {
    const runtime = await openRuntime([[asks]])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    const questionId = await runtime.question(sessionId)
    await runtime.sessions.answerQuestion(questionId, red, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(await runtime.outputs(sessionId)).toEqual(['{"Which colour?":"red"}'])
    expect(ofType(await runtime.log(sessionId), 'QuestionAnswered')[0]?.data).toMatchObject({
      by: 'ben',
      wasLive: true,
    })
    await expect(runtime.sessions.answerQuestion(questionId, red, 'eve')).rejects.toMatchObject({
      code: 'question.already-answered',
      facts: { answeredBy: 'ben' },
    })
  })

  it('is asked in every mode, even when nothing else is executed', async () => {
    for (const permissionMode of ['plan', 'acceptAll'] as const) {
      const runtime = await openRuntime([[asks]], { agent: { claude: claudeSettings(tmpdir(), { permissionMode }) } })
      const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
      await runtime.sessions.answerQuestion(await runtime.question(sessionId), red, 'ben')
      await runtime.until(sessionId, 'idle')
      expect(await runtime.outputs(sessionId)).toEqual(['{"Which colour?":"red"}'])
    }
  })

  it('tells the agent who declined it and why', async () => {
    const runtime = await openRuntime([[asks]])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.sessions.answerQuestion(
      await runtime.question(sessionId),
      { answers: null, note: 'not today' },
      'ben',
    )
    await runtime.until(sessionId, 'idle')
    expect(await runtime.outputs(sessionId)).toEqual(['ben declined to answer. not today'])
  })

  it('may have the name of a prototype property', async () => {
    const items = [{ ...colour, question: '__proto__' }]
    const runtime = await openRuntime([[{ ...asks, input: { questions: items } } as Step]])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    const body = JSON.parse('{"answers":{"__proto__":"red"}}')
    await runtime.sessions.answerQuestion(await runtime.question(sessionId), body, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(await runtime.outputs(sessionId)).toEqual(['{"__proto__":"red"}'])
  })

  it('is declined at once when there is no person to ask', async () => {
    const runtime = await openRuntime([[asks]], { canAsk: false })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect((await runtime.outputs(sessionId))[0]).toContain('No person can answer here')
    expect(ofType(await runtime.log(sessionId), 'QuestionAsked')).toEqual([])
  })

  it('expires when it is not answered in time', async () => {
    const runtime = await openRuntime([[asks]], { agent: { approvals: { allow: [], deny: [], expiresAfterMs: 50 } } })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect(await runtime.outputs(sessionId)).toEqual(['No person answered in time.'])
    expect(ofType(await runtime.log(sessionId), 'QuestionExpired')).toHaveLength(1)
  })

  it('is answered independently of other questions and approvals', async () => {
    const ls: ToolStep = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }
    const shape = { ...colour, question: 'Which shape?' }
    const other: ToolStep = { type: 'tool', name: 'AskUserQuestion', input: { questions: [shape] }, result: '' }
    const runtime = await openRuntime([[{ type: 'parallel', tools: [ls, asks as ToolStep, other] }]])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    const open = async () => (await runtime.sessions.inbox()).items.map(({ type }) => type).sort()
    await expect.poll(open, { timeout: 60_000 }).toEqual(['approval', 'question', 'question'])
    expect((await runtime.session(sessionId)).status).toBe('waiting_approval')
    const { approvals, questions } = await runtime.session(sessionId)
    for (const { questionId, items } of questions.toReversed()) {
      await runtime.sessions.answerQuestion(questionId, { answers: { [items[0]?.question ?? '']: 'blue' } }, 'ben')
    }
    expect((await runtime.session(sessionId)).status).toBe('waiting_approval')
    for (const { approvalId } of approvals)
      await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(await runtime.outputs(sessionId)).toEqual(['a.txt', '{"Which colour?":"blue"}', '{"Which shape?":"blue"}'])
    expect((await runtime.sessions.inbox()).items).toEqual([])
  })
})

describe('a question that outlives its process', () => {
  /** The agent asks, its server dies, and under the next server the agent follows `script`. */
  async function recovered(script: Script) {
    const first = await openRuntime([[asks]])
    const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    const questionId = await first.question(sessionId)
    const runtime = await openRuntime(script, { store: first.store })
    await runtime.recover()
    return { ...runtime, sessionId, questionId }
  }

  it('reaches the agent as a message once it is answered, and answers the same question when asked again', async () => {
    let received = ''
    const runtime = await recovered((input) => {
      received = input
      return [asks]
    })
    expect((await runtime.session(runtime.sessionId)).status).toBe('waiting_user')
    await runtime.sessions.answerQuestion(runtime.questionId, red, 'ben')
    await runtime.until(runtime.sessionId, 'idle')
    expect(parseAnswers(received)).toMatchObject([{ answers: { 'Which colour?': 'red' } }])
    expect(await runtime.outputs(runtime.sessionId)).toEqual(['{"Which colour?":"red"}'])
    expect(ofType(await runtime.log(runtime.sessionId), 'QuestionAsked')).toHaveLength(1)
  })

  it('is answered once: a repeated question goes to a person again', async () => {
    const runtime = await recovered([[asks, asks]])
    await runtime.sessions.answerQuestion(runtime.questionId, red, 'ben')
    await expect
      .poll(async () => (await runtime.session(runtime.sessionId)).questions.length, { timeout: 60_000 })
      .toBe(1)
    expect(ofType(await runtime.log(runtime.sessionId), 'QuestionAsked')).toHaveLength(2)
  })

  it('is taken up by a turn that asks it again before it is answered', async () => {
    const runtime = await recovered([[asks]])
    await runtime.sessions.sendMessage(runtime.sessionId, { content: 'again' }, 'ana')
    const takenUp = async () => ofType(await runtime.log(runtime.sessionId), 'QuestionTakenUp').length
    await expect.poll(takenUp, { timeout: 60_000 }).toBe(1)
    await runtime.sessions.answerQuestion(runtime.questionId, red, 'ben')
    await runtime.until(runtime.sessionId, 'idle')
    expect(await runtime.outputs(runtime.sessionId)).toEqual(['{"Which colour?":"red"}'])
    expect(ofType(await runtime.log(runtime.sessionId), 'QuestionAnswered')[0]?.data.wasLive).toBe(true)
  })
})

describe('client tools', () => {
  const bothZones: Script = [[{ type: 'parallel', tools: [timeIn('utc'), timeIn('cet')] }]]

  it('return text without half a surrogate pair, in results and in messages', async () => {
    const runtime = await openRuntime([[timeIn('utc')]])
    const { sessionId } = await runtime.sessions.createSession(
      { agent: 'tester', message: 'g\ud83do', client: tab },
      'ana',
    )
    await expect.poll(async () => (await runtime.calls(sessionId)).length, { timeout: 60_000 }).toBe(1)
    for (const { callId } of await runtime.calls(sessionId)) {
      await runtime.sessions.returnClientCall(callId, { output: 'no\ude42on 🙂' }, 'ana')
    }
    const events = (await runtime.until(sessionId, 'idle')).filter((event) => isDurable(event))
    expect(ofType(events, 'UserMessageQueued').map(({ data }) => data.content)).toEqual(['g\ufffdo'])
    expect(await runtime.outputs(sessionId)).toEqual(['no\ufffdon 🙂'])
  })

  it('are called, parked while the client is away, and answered in any order, once each', async () => {
    const runtime = await openRuntime(bothZones)
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go', client: tab }, 'ana')
    await expect.poll(async () => (await runtime.calls(sessionId)).length, { timeout: 60_000 }).toBe(2)
    expect((await runtime.session(sessionId)).status).toBe('waiting_client')
    // Two parallel calls may arrive in either order.
    const zones = await runtime.calls(sessionId)
    const [utc, cet] = ['utc', 'cet'].map((zone) => zones.find(({ toolInput }) => toolInput.zone === zone))
    expect(utc).toMatchObject({ toolName: 'get_time', toolInput: { zone: 'utc' }, leader: 'tab' })
    await runtime.sessions.detachClient(sessionId, 'tab', 'ana')
    expect((await runtime.calls(sessionId)).map(({ leader }) => leader)).toEqual([null, null])
    if (utc === undefined || cet === undefined) throw new Error('a call is missing')
    await runtime.sessions.returnClientCall(cet.callId, { output: 'one' }, 'ana')
    await runtime.sessions.returnClientCall(utc.callId, { output: 'noon', isError: true }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect(await runtime.outputs(sessionId)).toEqual(['noon', 'one'])
    await expect(runtime.sessions.returnClientCall(utc.callId, { output: 'x' }, 'eve')).rejects.toMatchObject({
      code: 'client-call.already-returned',
    })
  })

  it('do not exist unless a client offers them', async () => {
    const runtime = await openRuntime([[timeIn('utc')]])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect((await runtime.outputs(sessionId))[0]).toContain('is not available to this agent')
  })

  it.each([
    [
      'a deny rule',
      { approvals: { allow: [], deny: [{ tool: 'mcp__client__get_time', pattern: null }], expiresAfterMs: null } },
    ],
    ['disallowed_tools', { claude: claudeSettings(tmpdir(), { disallowedTools: ['get_time'] }) }],
    ['plan mode', { claude: claudeSettings(tmpdir(), { permissionMode: 'plan' as const }) }],
  ])('are stopped by %s', async (_name, agent) => {
    const runtime = await openRuntime([[timeIn('utc')]], { agent })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go', client: tab }, 'ana')
    await runtime.until(sessionId, 'idle')
    const [executed] = ofType(await runtime.log(sessionId), 'ToolExecuted')
    expect(executed?.data.isError).toBe(true)
    expect(ofType(await runtime.log(sessionId), 'ClientToolCalled')).toEqual([])
  })

  it('keep their result when the calling process ends', async () => {
    const first = await openRuntime([[timeIn('utc')]])
    const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'go', client: tab }, 'ana')
    await expect.poll(async () => (await first.calls(sessionId)).length, { timeout: 60_000 }).toBe(1)
    let received = ''
    const script: Script = (input) => {
      received = input
      return [timeIn('utc'), timeIn('cet')]
    }
    const runtime = await openRuntime(script, { store: first.store })
    await runtime.recover()
    const [call] = await runtime.calls(sessionId)
    if (call === undefined) throw new Error('the call is gone')
    await runtime.sessions.returnClientCall(call.callId, { output: 'noon' }, 'ben')
    await expect
      .poll(async () => (await runtime.calls(sessionId)).map(({ toolInput }) => toolInput.zone))
      .toEqual(['cet'])
    expect(parseResults(received)).toMatchObject([{ tool: 'mcp__client__get_time', output: 'noon' }])
    expect(await runtime.outputs(sessionId)).toEqual(['noon'])
    expect(ofType(await runtime.log(sessionId), 'ClientToolCalled')).toHaveLength(2)
  })

  it.each(['is open', 'has its result'])('are not confused with a call with another secret that %s', async (state) => {
    const secrets = ['made-up-zone-a-0123', 'made-up-zone-b-4567']
    const [one, other] = secrets.map(timeIn) as [ToolStep, ToolStep]
    // The second call stays open, so that the result of the first does not wake the agent.
    const first = await openRuntime([[{ type: 'parallel', tools: [one, timeIn('utc')] }]], { secrets })
    const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'go', client: tab }, 'ana')
    await expect.poll(async () => (await first.calls(sessionId)).length, { timeout: 60_000 }).toBe(2)
    const runtime = await openRuntime([[other, one]], { store: first.store, secrets })
    await runtime.recover()
    const open = await runtime.calls(sessionId)
    const before = open.map(({ callId }) => callId)
    const returnFirst = async () => {
      // They were called together: either may be the first in the log.
      for (const { callId } of open.filter(({ toolInput }) => toolInput.zone !== 'utc')) {
        await runtime.sessions.returnClientCall(callId, { output: 'of the first' }, 'ben')
      }
    }
    const asked = async () => (await runtime.calls(sessionId)).find(({ callId }) => !before.includes(callId))?.callId
    if (state === 'has its result') await returnFirst()
    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await expect.poll(asked, { timeout: 60_000 }).toBeDefined()
    if (state === 'is open') await returnFirst()
    const callId = await asked()
    if (callId !== undefined) await runtime.sessions.returnClientCall(callId, { output: 'of the other' }, 'ben')
    await expect.poll(() => runtime.outputs(sessionId)).toEqual(['of the other', 'of the first'])
    for (const secret of secrets) expect(JSON.stringify(await runtime.log(sessionId))).not.toContain(secret)
  })

  it("never put a client's secret into the log", async () => {
    const secret = 'canary-of-a-client'
    const runtime = await openRuntime([[timeIn('utc')]], { secrets: [secret] })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go', client: tab }, 'ana')
    await expect.poll(async () => (await runtime.calls(sessionId)).length, { timeout: 60_000 }).toBe(1)
    const [call] = await runtime.calls(sessionId)
    if (call === undefined) throw new Error('the call is gone')
    await runtime.sessions.returnClientCall(call.callId, { output: `it is ${secret}` }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect(JSON.stringify(await runtime.log(sessionId))).not.toContain(secret)
  })
})

it('shows each of two altered calls beside the nearest approved one', async () => {
  const run = (command: string): ToolStep => ({ type: 'tool', name: 'Bash', input: { command }, result: 'ran' })
  const first = await openRuntime([[{ type: 'parallel', tools: [run('rm -r build'), run('npm test')] }]])
  const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await expect.poll(async () => (await first.session(sessionId)).approvals.length, { timeout: 60_000 }).toBe(2)
  const runtime = await openRuntime([[{ type: 'parallel', tools: [run('npm test -- -u'), run('rm -r dist')] }]], {
    store: first.store,
  })
  await runtime.recover()
  for (const { approvalId } of (await runtime.session(sessionId)).approvals) {
    await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
  }
  await expect.poll(async () => (await runtime.session(sessionId)).approvals.length, { timeout: 60_000 }).toBe(2)
  const shown = (await runtime.session(sessionId)).approvals.map(({ toolInput, insteadOf }) => [
    toolInput.command,
    insteadOf?.toolInput.command,
  ])
  expect(shown.toSorted()).toEqual([
    ['npm test -- -u', 'npm test'],
    ['rm -r dist', 'rm -r build'],
  ])
})

it('lists the open asks of every session in the inbox, oldest first, with stopped budgets', async () => {
  const spends: Step = { type: 'usage', input: 1, output: 1, costUsd: 9 }
  const runtime = await openRuntime(
    (input) => (input === 'ask' ? [asks] : [spends, { type: 'text', chunks: ['done'] }]),
    { isUnmetered: true },
  )
  const asking = await runtime.sessions.createSession({ agent: 'tester', message: 'ask', title: 'asks' }, 'ana')
  await runtime.question(asking.sessionId)
  const broke = await runtime.sessions.createSession({ agent: 'tester', message: 'spend', title: 'spends' }, 'ana')
  await runtime.until(broke.sessionId, 'stopped_budget')
  const { items } = await runtime.sessions.inbox()
  expect(items).toMatchObject([
    { type: 'question', sessionId: asking.sessionId, title: 'asks' },
    { type: 'budget', sessionId: broke.sessionId, title: 'spends', isOwnLimit: true, limitUsd: 5 },
  ])
  await runtime.sessions.changeSession(broke.sessionId, { title: 'spent' }, 'ben')
  expect((await runtime.sessions.inbox()).items[1]).toEqual({ ...items[1], title: 'spent' })
})

it('lists nothing for an unknown session', async () => {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
  const unknown = 'ses_unknown' as SessionId
  expect(await runtime.sessions.listApprovals({ session: unknown })).toEqual({ approvals: [] })
  expect(await runtime.sessions.listQuestions({ session: unknown })).toEqual({ questions: [] })
})
