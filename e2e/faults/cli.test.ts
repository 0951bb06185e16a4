// The agent's process is killed in every phase and at random moments. Requests stay open, recorded text stays, served
// usage is booked, and the session continues.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionId, StreamedEvent } from '@quarterdeck/protocol'
import { hasErrorCode, isDurable } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../support/network/dropping-fetch.ts'
import { type LoopbackProvider, startProvider } from '../support/network/loopback-provider.ts'
import { cliProcesses } from '../support/server/process-tree.ts'
import { reportFacts, scale } from '../support/server/scale.ts'
import { type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'
import { expectBooked, expectServerIntact, expectSessionIntact } from './invariants.ts'

const patience = { timeout: 170_000 }

const script = `steps:
  - { when: { text: slowly }, then: { text: One two three four five six., pace_ms: 20000 }, repeat: true }
  - { when: { text: think first }, then: { text: At last., delay_ms: 600000 }, repeat: true }
  - when: { text: ask me }
    then:
      text: I ask.
      tools:
        - name: AskUserQuestion
          input:
            questions:
              - question: Which colour?
                header: Colour
                multiSelect: false
                options: [{ label: Red, description: Warm. }, { label: Blue, description: Cold. }]
    times: 1
  - when: { text: ask the client }
    then: { text: I ask., tools: [{ name: mcp__client__look_up, input: { what: weather } }] }
    times: 1
  - { when: { tool_result: {} }, then: { text: Thank you. }, repeat: true }
  - { when: { wake: true }, then: { text: I heard. }, repeat: true }
  - { when: {}, then: { text: Right away., pace_ms: 40 }, repeat: true }
`

const agentFile = `name: asker
model: { provider: anthropic, name: high }
instructions: { inline: You ask. }
claude: { file_system: { read: true } }
approvals: { allow: [mcp__client__look_up] }
limits: { max_turns: 10, max_budget_usd: 5 }
`

const client = {
  clientId: 'page',
  tools: [
    {
      name: 'look_up',
      description: 'Looks something up.',
      inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
    },
  ],
}

let provider: LoopbackProvider
const running: Served[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.stop()))
  await provider.close()
})

async function start(): Promise<Served> {
  provider = await startProvider({ script })
  const served = await serve({ agents: await writeAgent(agentFile), env: provider.env })
  running.push(served)
  return served
}

async function killCli(served: Served): Promise<void> {
  await expect.poll(async () => (await cliProcesses(served.dataDir)).length, patience).toBeGreaterThan(0)
  for (const pid of await cliProcesses(served.dataDir)) killIfThere(pid)
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasErrorCode(error, 'ESRCH')) throw error
  }
}

async function sendAndAwaitIdle(served: Served, sessionId: SessionId, content: string): Promise<void> {
  const { appliedSeq } = await served.client.sendMessage(sessionId, { content })
  await watchUntil(served, sessionId, (event) => 'seq' in event && event.seq > appliedSeq && isStatus('idle')(event))
}

describe('kill -9 of the agent’s CLI', () => {
  it.each([
    ['while it starts', 'Please think first, now.', (event: StreamedEvent) => event.type === 'TurnStarted'],
    [
      'while it waits for the model',
      'Please think first.',
      (event: StreamedEvent) => event.type === 'AgentSessionStarted',
    ],
    ['while text streams', 'Tell it slowly.', (event: StreamedEvent) => event.type === 'AgentStreamToken'],
  ])('%s: the turn ends as crashed, and the next message is answered', async (_, message, isTheMoment) => {
    const served = await start()
    const { sessionId } = await served.client.createSession({ agent: 'asker', message })
    const before = await watchUntil(served, sessionId, isTheMoment)
    await killCli(served)
    const seen = await watchUntil(served, sessionId, isStatus('failed'))
    await sendAndAwaitIdle(served, sessionId, 'And then?')
    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: [message, 'And then?'] })
    const outcomes = log.flatMap((event) => (event.type === 'TurnEnded' ? [event.data.outcome] : []))
    expect(outcomes).toEqual(['crashed', 'completed'])
    const shown = before.some((event) => event.type === 'AgentStreamToken')
    expect(log.some((event) => event.type === 'AgentStreamDiscarded')).toBe(shown)
    expectBooked(provider, [log])
    await expectServerIntact(served)
  })

  it('while a question waits: it stays open, and its answer wakes the agent and is delivered once', async () => {
    const served = await start()
    const { sessionId } = await served.client.createSession({ agent: 'asker', message: 'Please ask me.' })
    await watchUntil(served, sessionId, isStatus('waiting_user'))
    await killCli(served)
    const seen = await watchUntil(served, sessionId, (event) => event.type === 'BackendCrashed')
    const [question] = (await served.client.listQuestions()).questions
    if (question === undefined) throw new Error('the question is gone')
    await served.client.answerQuestion(question.questionId, { answers: { 'Which colour?': 'Blue' } })
    await watchUntil(served, sessionId, isStatus('idle'))
    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: ['Please ask me.'] })
    expect(log.filter((event) => event.type === 'QuestionAnswered')).toHaveLength(1)
    const prompts = provider.served().requests.map(({ lastUserText }) => lastUserText)
    expect(prompts.filter((text) => text.includes('Blue'))).toHaveLength(1)
    expectBooked(provider, [log])
    await expectServerIntact(served)
  })

  it('while a client call runs: its result is accepted, wakes the agent and is delivered once', async () => {
    const served = await start()
    const { sessionId } = await served.client.createSession({ agent: 'asker', client })
    await served.client.sendMessage(sessionId, { content: 'Please ask the client.' })
    await watchUntil(served, sessionId, isStatus('waiting_client'))
    await killCli(served)
    const seen = await watchUntil(served, sessionId, (event) => event.type === 'BackendCrashed')
    const [call] = (await served.client.listClientCalls(sessionId)).calls
    if (call === undefined) throw new Error('the call is gone')
    await served.client.returnClientCall(call.callId, { output: 'Sunny.' })
    await expect(served.client.returnClientCall(call.callId, { output: 'Rain.' })).rejects.toMatchObject({
      code: expect.stringContaining('already'),
    })
    await watchUntil(served, sessionId, isStatus('idle'))
    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: ['Please ask the client.'] })
    expect(log.filter((event) => event.type === 'ClientToolReturned')).toHaveLength(1)
    expectBooked(provider, [log])
    await expectServerIntact(served)
  })

  const kills = scale(4, 100)
  it(`${kills} times at random moments: every message is answered or reported as crashed, once`, {
    timeout: scale(300_000, 3_600_000),
  }, async () => {
    const seed = Number(process.env.SEED ?? 1905)
    const random = seededRandom(seed)
    const served = await start()
    const { sessionId } = await served.client.createSession({ agent: 'asker' })
    const acknowledged: string[] = []
    for (let kill = 1; kill <= kills; kill += 1) {
      const content = `Say something. (${kill})`
      await served.client.sendMessage(sessionId, { content, delivery: 'queued' })
      acknowledged.push(content)
      await sleep(Math.floor(random() * 1500))
      for (const pid of await cliProcesses(served.dataDir)) killIfThere(pid)
    }
    const wasIdle = (session: { status: string; queued: readonly unknown[] }) =>
      ['idle', 'failed'].includes(session.status) && session.queued.length === 0
    await expect.poll(async () => wasIdle((await served.client.getSession(sessionId)).session), patience).toBe(true)
    await sendAndAwaitIdle(served, sessionId, 'And now?')
    const log = await expectSessionIntact(served, sessionId, { acknowledged: [...acknowledged, 'And now?'] })
    const outcomes = log.filter(isDurable).flatMap((event) => (event.type === 'TurnEnded' ? [event.data.outcome] : []))
    expect(outcomes).toHaveLength(kills + 1)
    expectBooked(provider, [log])
    await expectServerIntact(served)
    const crashed = outcomes.filter((outcome) => outcome === 'crashed').length
    await reportFacts('random kills of the CLI', { seed, kills, crashed })
  })
})
