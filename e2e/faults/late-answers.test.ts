// An agent asks, its process ends, and another user answers later: everything happens exactly once.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Client, createClient } from '@quarterdeck/client'
import type { EventType, OpenApproval, SessionEvent, SessionId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { serveConfigured } from '../support/server/configured-server.ts'
import { cliProcesses, processesMentioning } from '../support/server/process-tree.ts'
import { runCommand } from '../support/server/run-command.ts'
import { isSoak } from '../support/server/scale.ts'
import { newFolder } from '../support/server/serve.ts'
import type { ProcessOptions, ServedProcess } from '../support/server/serve-process.ts'
import { expectGapFree, wholeLog } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'

const agentFile = `name: asker
model: { provider: anthropic, name: high }
instructions: { inline: You work with people. }
claude:
  permission_mode: manual
  bash: { enabled: true }
limits: { max_turns: 20, max_budget_usd: 1 }
`
const tab = {
  clientId: 'tab',
  tools: [{ name: 'look_up', description: 'Looks something up.', inputSchema: { type: 'object' } }],
}
const question = {
  question: 'Which colour?',
  header: 'Colour',
  options: [
    { label: 'red', description: 'warm' },
    { label: 'blue', description: 'cold' },
  ],
  multiSelect: false,
}

const running: ServedProcess[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

const ways = ['kill -9', 'drain', 'hibernation'] as const
type Way = (typeof ways)[number]

const patience = { timeout: 90_000, interval: 100 }
const bash = (command: string) => ({ name: 'Bash', input: { command } })
const say = (text: string) => [{ when: {}, then: { text }, repeat: true }]

interface Scene {
  readonly sessionId: SessionId
  /** A user with their own key at the current server. */
  readonly ben: Client
  readonly served: ServedProcess
  log(): Promise<readonly SessionEvent[]>
  /** The output of the agent's commands. */
  written(): Promise<string>
}

/** The agent's first turn asks with `tools`. When they wait, its process ends by `way`. */
const loseProcess = async (way: Way, tools: readonly object[], afterwards: readonly object[]): Promise<Scene> =>
  (await waitInProcess(way, tools, afterwards)).lose()

async function waitInProcess(way: Way, tools: readonly object[], afterwards: readonly object[]) {
  const steps = [{ when: { turn: 1, calls: 0 }, then: { tools } }, ...afterwards]
  const script = join(await newFolder('script'), 'scenario.yaml')
  await writeFile(script, JSON.stringify({ steps }))
  const agents = await writeAgent(agentFile)
  await writeFile(join(dirname(agents), 'one.txt'), 'the first\n')
  await writeFile(join(dirname(agents), 'two.txt'), 'the second\n')
  const waiting = way === 'hibernation' ? ', hibernate_waiting_after: 1s' : ''
  const config = `processes: { spares: false, hibernate_after: 1h${waiting} }\n`
  const start = async (options: ProcessOptions = {}) => {
    const served = await serveConfigured(config, { agents, args: ['--script', script], ...options })
    running.push(served)
    return served
  }
  const first = await start()
  const { sessionId } = await first.client.createSession({ agent: 'asker', message: 'Go.', client: tab })
  await expect.poll(() => waitingFor(first, sessionId), patience).toBe(tools.length)
  const lose = async (): Promise<Scene> => {
    const served = way === 'hibernation' ? await hibernated(first, sessionId) : await restarted(first, way, start)
    return {
      sessionId,
      served,
      ben: await personAt(served, 'ben'),
      log: () => wholeLog(served, sessionId),
      async written() {
        const file = join(dirname(agents), 'ran.txt')
        return existsSync(file) ? readFile(file, 'utf8') : ''
      },
    }
  }
  return { sessionId, client: first.client, lose }
}

async function waitingFor({ client }: ServedProcess, sessionId: SessionId): Promise<number> {
  const { approvals, questions, clientCalls } = (await client.getSession(sessionId)).session
  return approvals.length + questions.length + clientCalls.length
}

async function hibernated(served: ServedProcess, sessionId: SessionId): Promise<ServedProcess> {
  await expect.poll(async () => (await served.client.getSession(sessionId)).session.isHibernated, patience).toBe(true)
  await expect.poll(() => cliProcesses(served.dataDir), patience).toEqual([])
  return served
}

async function restarted(
  first: ServedProcess,
  way: Exclude<Way, 'hibernation'>,
  start: (options: ProcessOptions) => Promise<ServedProcess>,
): Promise<ServedProcess> {
  await first.kill(way === 'drain' ? 'SIGTERM' : 'SIGKILL')
  await expect.poll(() => processesMentioning(first.dataDir), patience).toEqual([])
  return start({ dataDir: first.dataDir })
}

async function personAt({ dataDir, url }: ServedProcess, name: string): Promise<Client> {
  const { stdout } = await runCommand(['keys', 'create', name, '--owner', 'operator', '--data', dataDir])
  return createClient({ baseUrl: url, token: stdout.trim() })
}

const only = <Type extends EventType>(events: readonly SessionEvent[], type: Type) =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)

/** The session has continued and is idle again, and its log is complete. */
async function settled({ served, sessionId, log }: Scene): Promise<readonly SessionEvent[]> {
  const status = async () => (await served.client.getSession(sessionId)).session.status
  await expect.poll(status, patience).toBe('idle')
  const events = await log()
  expectGapFree(events)
  return events
}

const approvalsOf = async ({ served, sessionId }: Scene): Promise<readonly OpenApproval[]> =>
  (await served.client.getSession(sessionId)).session.approvals

const approvalFor = async (scene: Scene, command: string) => {
  const approval = (await approvalsOf(scene)).find(({ toolInput }) => toolInput.command === command)
  if (approval === undefined) throw new Error(`no approval asks for ${command}`)
  return approval.approvalId
}

const reissues = [{ when: { wake: true, calls: 0 }, then: { reissue: 'exactly' }, repeat: true }, ...say('All done.')]
const one = 'echo one >> ran.txt'

describe.each(ways)('after %s', (way) => {
  // The soak runs every case in every way. Otherwise each case and each way runs once.
  const itOnce = it.skipIf(way !== 'kill -9' && !isSoak)

  it('an approval by another user lets the call run exactly once, and the turn continues', async () => {
    const scene = await loseProcess(way, [bash(one)], reissues)
    await scene.ben.decideApproval(await approvalFor(scene, one), { decision: 'allow' })
    const log = await settled(scene)
    expect(await scene.written()).toBe('one\n')
    expect(only(log, 'ApprovalDecided')).toMatchObject([{ data: { by: 'ben', decision: 'allow', wasLive: false } }])
    expect(only(log, 'ApprovalUsed')).toHaveLength(1)
    expect(only(log, 'AgentThought').at(-1)?.data.text).toBe('All done.')
  })

  itOnce('of two parallel calls the allowed one runs and the denied one does not', async () => {
    // The CLI asks in parallel for calls that only read. Calls that write wait for each other.
    const [first, second] = ['cat one.txt', 'cat two.txt'] as const
    const scene = await loseProcess(way, [bash(first), bash(second)], reissues)
    await scene.ben.decideApproval(await approvalFor(scene, second), { decision: 'deny', note: 'not two' })
    expect((await scene.served.client.getSession(scene.sessionId)).session.status).toBe('waiting_approval')
    await scene.ben.decideApproval(await approvalFor(scene, first), { decision: 'allow' })
    const log = await settled(scene)
    const ran = only(log, 'ToolExecuted').filter(({ data }) => !data.isError)
    expect(ran.map(({ data }) => data.output)).toEqual(['the first'])
    expect(only(log, 'ApprovalUsed')).toHaveLength(1)
    expect(only(log, 'ApprovalDecided').map(({ data }) => [data.decision, data.by])).toEqual([
      ['deny', 'ben'],
      ['allow', 'ben'],
    ])
    const engineMessages = only(log, 'UserMessageQueued').filter(({ data }) => data.origin === 'engine')
    expect(engineMessages).toHaveLength(1)
    expect(engineMessages[0]?.data.content).toContain('not two')
  })

  itOnce('the call runs with the edited input', async () => {
    const scene = await loseProcess(way, [bash(one)], reissues)
    const input = { command: 'echo edited >> ran.txt' }
    await scene.ben.decideApproval(await approvalFor(scene, one), { decision: 'allow', input })
    const log = await settled(scene)
    expect(await scene.written()).toBe('edited\n')
    expect(only(log, 'ApprovalDecided')).toMatchObject([{ data: { edited: true, toolInput: input } }])
  })

  itOnce('a call that is issued again with another input needs a new approval that shows both', async () => {
    const changed = { command: 'echo altered >> ran.txt' }
    const alters = [{ when: { wake: true, calls: 0 }, then: { reissue: { changed } }, repeat: true }, ...say('Done.')]
    const scene = await loseProcess(way, [bash(one)], alters)
    const approvalId = await approvalFor(scene, one)
    await scene.ben.decideApproval(approvalId, { decision: 'allow' })
    await expect.poll(async () => (await approvalsOf(scene))[0]?.toolInput, patience).toEqual(changed)
    const [again] = await approvalsOf(scene)
    expect(again?.insteadOf).toEqual({ approvalId, toolInput: { command: one } })
    expect(await scene.written()).toBe('')
    await scene.ben.decideApproval(await approvalFor(scene, changed.command), { decision: 'allow' })
    const log = await settled(scene)
    expect(await scene.written()).toBe('altered\n')
    expect(only(log, 'ApprovalUnused').map(({ data }) => data.approvalId)).toEqual([approvalId])
  })

  itOnce('a question is answered once, and the same question again gets that answer', async () => {
    const asks = { name: 'AskUserQuestion', input: { questions: [question] } }
    const asksAgain = [{ when: { wake: true, calls: 0 }, then: { tools: [asks] }, repeat: true }, ...say('Red it is.')]
    const scene = await loseProcess(way, [asks], asksAgain)
    const [open] = (await scene.ben.listQuestions({ session: scene.sessionId })).questions
    if (open === undefined) throw new Error('nothing is asked')
    await scene.ben.answerQuestion(open.questionId, { answers: { 'Which colour?': 'red' } })
    const log = await settled(scene)
    await expect(
      scene.served.client.answerQuestion(open.questionId, { answers: { 'Which colour?': 'blue' } }),
    ).rejects.toThrow(/answered by ben/)
    expect(only(log, 'QuestionAsked')).toHaveLength(1)
    expect(only(log, 'QuestionAnswered')).toMatchObject([{ data: { by: 'ben', wasLive: false } }])
    expect(only(log, 'ToolExecuted').at(-1)?.data.output).toContain('red')
  })

  itOnce('a client tool returns one result, and the same call again gets that result', async () => {
    const lookUp = { name: 'mcp__client__look_up', input: { word: 'deck' } }
    const callsAgain = [{ when: { wake: true, calls: 0 }, then: { tools: [lookUp] }, repeat: true }, ...say('I see.')]
    const scene = await loseProcess(way, [lookUp], callsAgain)
    expect((await scene.ben.getSession(scene.sessionId)).session.status).toBe('waiting_client')
    const [call] = (await scene.ben.listClientCalls(scene.sessionId)).calls
    expect(call).toMatchObject({ toolName: 'look_up', toolInput: { word: 'deck' }, leader: 'tab' })
    if (call === undefined) throw new Error('nothing is called')
    await scene.ben.returnClientCall(call.callId, { output: 'a floor of a ship' })
    const log = await settled(scene)
    await expect(scene.ben.returnClientCall(call.callId, { output: 'again' })).rejects.toThrow(/was answered by ben/)
    expect(only(log, 'ClientToolCalled')).toHaveLength(1)
    expect(only(log, 'ToolExecuted').at(-1)?.data).toMatchObject({ output: 'a floor of a ship', isError: false })
  })
})

describe('an answer that was accepted just before kill -9', () => {
  const answerQuestion = async (client: Client, session: SessionId) => {
    const [open] = (await client.listQuestions({ session })).questions
    await client.answerQuestion(String(open?.questionId), { answers: { 'Which colour?': 'red' } })
  }
  const returnResult = async (client: Client, sessionId: SessionId) => {
    const [call] = (await client.listClientCalls(sessionId)).calls
    await client.returnClientCall(String(call?.callId), { output: 'red' })
  }

  it.each([
    ['question', { name: 'AskUserQuestion', input: { questions: [question] } }, answerQuestion],
    ['client call', { name: 'mcp__client__look_up', input: { word: 'deck' } }, returnResult],
  ] as const)('reaches the agent, and nobody gets the %s again', async (_, tool, answer) => {
    const again = [{ when: { wake: true, calls: 0 }, then: { tools: [tool] }, repeat: true }, ...say('Red it is.')]
    const { client, sessionId, lose } = await waitInProcess('kill -9', [tool], again)
    await answer(client, sessionId)
    const log = await settled(await lose())
    expect([...only(log, 'QuestionAsked'), ...only(log, 'ClientToolCalled')]).toHaveLength(1)
    expect([...only(log, 'QuestionAnswered'), ...only(log, 'ClientToolReturned')]).toMatchObject([
      { data: { wasLive: true } },
    ])
    expect(only(log, 'AnswerMissed')).toHaveLength(1)
    const engineMessages = only(log, 'UserMessageQueued').filter(({ data }) => data.origin === 'engine')
    expect(engineMessages).toMatchObject([{ data: { content: expect.stringContaining('red') } }])
    expect(only(log, 'ToolExecuted').at(-1)?.data.output).toContain('red')
  })
})
