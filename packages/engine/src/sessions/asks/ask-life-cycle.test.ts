// Every kind of ask has the same life cycle. A new kind has to pass these cases: without a sample the file does not
// compile.
import {
  type Ask,
  askIdPrefixes,
  askOpenedBy,
  openAsks,
  type SessionId,
  type SessionStatus,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { ScriptStop } from '../../backends/scripted/play-steps.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { beforeAppend, openTestStore } from '../../testing/test-store.fixture.ts'
import { askStrategies } from '../rules/ask-kinds/ask-strategies.ts'
import { type AskSample, answerAsk, asking, askSamples, client } from '../testing/ask-samples.fixture.ts'
import { eventsOf, refusedWith, rests, stateOf, type TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const scripted = (sample: AskSample): AgentBackend => createScriptedBackend({ script: asking(sample) })

const openRuntime = (sample: AskSample, store?: EventStore, backend = scripted(sample)) =>
  openTestRuntime(store === undefined ? { backend } : { backend, store })

/** The store of a server that dies as soon as an answer is in the log. */
function storeUntilAnswer(store: EventStore): EventStore {
  const answers = ['ApprovalDecided', 'QuestionAnswered', 'ClientToolReturned']
  let isDead = false
  return beforeAppend(store, (drafts) => {
    if (isDead) throw new Error('this server is dead')
    isDead = drafts.some(({ type }) => answers.includes(type))
  })
}

/** The process dies once, as soon as a call has received its answer. */
function dyingOnce(backend: AgentBackend): AgentBackend {
  let hasDied = false
  const dieAfter = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const received = await answer
    if (hasDied) return received
    hasDied = true
    throw new ScriptStop('crashed')
  }
  return {
    ...backend,
    createSession: ({ gate, questions, clientTools, ...options }) =>
      backend.createSession({
        ...options,
        gate: { ...gate, ask: (...call) => dieAfter(gate.ask(...call)) },
        questions: { ask: (...question) => dieAfter(questions.ask(...question)) },
        clientTools: { ...clientTools, call: (...call) => dieAfter(clientTools.call(...call)) },
      }),
  }
}

async function openAskOf(runtime: TestRuntime, sessionId: SessionId): Promise<Ask> {
  const [ask, ...others] = openAsks(await stateOf(runtime, sessionId))
  if (ask === undefined || others.length > 0) throw new Error('not exactly one ask is open')
  return ask
}

/** A session whose agent waits for the answer to its ask. */
async function waitingFor(sample: AskSample, store?: EventStore, backend?: AgentBackend) {
  const runtime = await openRuntime(sample, store, backend)
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go', client }, 'ana')
  await runtime.until(sessionId, sample.status)
  return { runtime, sessionId, ask: await openAskOf(runtime, sessionId) }
}

/** The same after the server was replaced. No process waits for the answer any more. */
async function restarted(sample: AskSample, { store }: Pick<TestRuntime, 'store'>): Promise<TestRuntime> {
  const runtime = await openRuntime(sample, store)
  await runtime.recover()
  return runtime
}

const executed = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await eventsOf(runtime, sessionId, 'ToolExecuted')).map(({ data }) => data)

const wakeMessages = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await eventsOf(runtime, sessionId, 'UserMessageQueued')).filter(({ data }) => data.origin === 'engine')

/** A session whose allowed call may have run rests until a person resumes it. */
async function resumeAfterApproval({ kind }: AskSample, runtime: TestRuntime, resting: RestingSession): Promise<void> {
  if (kind !== 'approval') return
  await rests(runtime, resting.sessionId, resting.status)
  expect(await wakeMessages(runtime, resting.sessionId)).toEqual([])
  await runtime.sessions.resume(resting.sessionId, 'ana')
}

interface RestingSession {
  readonly sessionId: SessionId
  readonly status: SessionStatus
}

/** The agent got the answer once, and nothing was asked twice. An allowed call may have run: it did not run again. */
async function expectReportedOnce(runtime: TestRuntime, sessionId: SessionId, { ask, sample }: Reported) {
  await rests(runtime, sessionId, 'idle')
  const reports = await wakeMessages(runtime, sessionId)
  expect(reports).toHaveLength(1)
  expect(await eventsOf(runtime, sessionId, 'AnswerMissed')).toHaveLength(1)
  expect((await runtime.log(sessionId)).flatMap((event) => askOpenedBy(event) ?? [])).toEqual([ask.id])
  await refusedWith(answerAsk(runtime, ask, 'cara'), askStrategies[sample.kind].errors.settled)
  const results = (await executed(runtime, sessionId)).map(({ output }) => output)
  if (sample.kind !== 'approval') return expect(results).toEqual([sample.output])
  expect(reports[0]?.data.content).toContain('Approved call that was stopped (it may have run): {"tool":"Bash"')
  expect(results).toEqual([])
}

interface Reported {
  readonly ask: Ask
  readonly sample: AskSample
}

describe.each(Object.values(askSamples))('an ask of the kind $kind', (sample) => {
  const { errors } = askStrategies[sample.kind]

  it('has its own status while it is open, and an id of its kind', async () => {
    const { ask } = await waitingFor(sample)
    const id = expect.stringMatching(`^${askIdPrefixes[sample.kind]}_`)
    expect(ask).toMatchObject({ kind: sample.kind, id })
    expect(askStrategies[sample.kind].status).toBe(sample.status)
  })

  it('gives the first answer to the waiting call, and refuses a second one with the name of the first person', async () => {
    const { runtime, sessionId, ask } = await waitingFor(sample)
    const people = ['ben', 'cara']
    const answers = await Promise.allSettled(people.map((by) => answerAsk(runtime, ask, by)))
    const [first] = people.filter((_, index) => answers[index]?.status === 'fulfilled')
    expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: errors.settled, message: expect.stringContaining(`by ${first}`) } },
    ])
    await rests(runtime, sessionId, 'idle')
    expect(await executed(runtime, sessionId)).toMatchObject([{ output: sample.output, isError: false }])
    expect(await wakeMessages(runtime, sessionId)).toEqual([])
  })

  it('is unknown under an id that was never asked', async () => {
    const { runtime, ask } = await waitingFor(sample)
    const unknown = { ...ask, id: `${ask.id.slice(0, 4)}unknown` } as Ask // a literal that matches the id's shape
    await refusedWith(answerAsk(runtime, unknown), errors.unknown)
  })

  it('expires: the call continues without an answer, and a late answer is refused', async () => {
    const { runtime, sessionId, ask } = await waitingFor(sample)
    const past = new Date(0).toISOString()
    const { approvals, questions, clientCalls, ...state } = await stateOf(runtime, sessionId)
    runtime.coordinator.expiry.watchAll({
      ...state,
      approvals: approvals.map((open) => ({ ...open, expiresAt: past })),
      questions: questions.map((open) => ({ ...open, expiresAt: past })),
      clientCalls: clientCalls.map((open) => ({ ...open, parkedUntil: past })),
    })
    await rests(runtime, sessionId, 'idle')
    expect(await executed(runtime, sessionId)).toMatchObject([{ output: expect.stringContaining('in time') }])
    expect(await wakeMessages(runtime, sessionId)).toEqual([])
    await expect(answerAsk(runtime, ask)).rejects.toMatchObject({
      code: errors.settled,
      message: expect.stringContaining('expired at'),
    })
  })

  it('survives two restarts, and its answer wakes the agent with one message', async () => {
    const { runtime: first, sessionId, ask } = await waitingFor(sample)
    const runtime = await restarted(sample, await restarted(sample, first))
    expect(await openAskOf(runtime, sessionId)).toMatchObject({ id: ask.id })
    await answerAsk(runtime, ask)
    await refusedWith(answerAsk(runtime, ask, 'cara'), errors.settled)
    await rests(runtime, sessionId, 'idle')
    expect(await wakeMessages(runtime, sessionId)).toHaveLength(1)
    // The agent issues the call again, and no person is asked again.
    expect((await executed(runtime, sessionId)).filter(({ isError }) => !isError)).toMatchObject([
      { output: sample.output },
    ])
  })

  it('reports an answer that the waiting call got just before the server died, even after one more restart', async () => {
    const store = await openTestStore()
    const { runtime: dead, sessionId, ask } = await waitingFor(sample, storeUntilAnswer(store))
    await answerAsk(dead, ask)
    const runtime = await restarted(sample, { store })
    await resumeAfterApproval(sample, runtime, { sessionId, status: 'interrupted' })
    await expectReportedOnce(runtime, sessionId, { ask, sample })
    await expectReportedOnce(await restarted(sample, runtime), sessionId, { ask, sample })
  })

  it('reports an answer that the waiting call got just before its process died', async () => {
    const { runtime, sessionId, ask } = await waitingFor(sample, undefined, dyingOnce(scripted(sample)))
    await answerAsk(runtime, ask)
    await resumeAfterApproval(sample, runtime, { sessionId, status: 'failed' })
    await expectReportedOnce(runtime, sessionId, { ask, sample })
  })

  it('is taken up by the turn that asks again, which then gets the answer without a message', async () => {
    const { runtime: first, sessionId, ask } = await waitingFor(sample)
    const runtime = await restarted(sample, first)
    await runtime.sessions.sendMessage(sessionId, { content: 'go' }, 'ana')
    const turn = async () => (await openAskOf(runtime, sessionId)).request.turnId
    await expect.poll(turn).not.toBe(ask.request.turnId)
    await answerAsk(runtime, ask)
    await rests(runtime, sessionId, 'idle')
    expect(await wakeMessages(runtime, sessionId)).toEqual([])
    expect(await executed(runtime, sessionId)).toMatchObject([{ output: sample.output }])
  })

  it('is withdrawn when a person interrupts its turn: no answer is accepted, and nothing is reported', async () => {
    const { runtime, sessionId, ask } = await waitingFor(sample)
    await runtime.sessions.interrupt(sessionId, 'ana')
    await rests(runtime, sessionId, 'interrupted')
    await refusedWith(answerAsk(runtime, ask), errors.settled)
    expect(openAsks(await stateOf(runtime, sessionId))).toEqual([])
    expect(await wakeMessages(runtime, sessionId)).toEqual([])
  })
})
