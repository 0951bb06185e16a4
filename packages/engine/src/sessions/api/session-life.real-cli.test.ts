// A session's operations on the real CLI.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionId } from '@quarterdeck/protocol'
import { createSimulator, Scenario } from '@quarterdeck/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type ClaudeHarness,
  type ClaudeHarnessOptions,
  openClaudeHarness,
} from '../../backends/claude/testing/claude-harness.fixture.ts'
import { trustedAgent } from '../../backends/claude/testing/trusted-agent.fixture.ts'
import type { ScenarioStep } from '../../backends/contract/scenario-step.fixture.ts'
import { descendantsOf } from '../../system/linux-processes.ts'
import { openRecordingProxy } from '../../testing/recording-proxy.fixture.ts'
import { answersOf, eventsOf, rests, stateOf, type TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

interface RealRuntime {
  readonly runtime: TestRuntime
  readonly harness: ClaudeHarness
  /** The model for the next process. */
  playFrom(steps: readonly ScenarioStep[]): Promise<void>
  /** The requests to the first model. */
  received(): readonly string[]
}

async function openRealRuntime(options: ClaudeHarnessOptions): Promise<RealRuntime> {
  const tools = ['Bash', 'Read', 'Glob', 'Grep', 'Write', 'Edit', 'Agent', 'SendMessage']
  const harness = await openClaudeHarness({ tools, ...options })
  onTestFinished(() => harness.close())
  const { modelAccess } = harness.options()
  if (modelAccess.type !== 'gateway') throw new Error('the session has no gateway address')
  const model = await openRecordingProxy(modelAccess.baseUrl)
  onTestFinished(model.close)
  let { url } = model
  const { name: _, ...agent } = trustedAgent(harness.cwd, options)
  const runtime = await openTestRuntime({ backend: harness.backend, agent, modelUrl: () => url })
  return {
    runtime,
    harness,
    received: model.bodies,
    async playFrom(steps) {
      const simulator = createSimulator({ mode: { script: Scenario.parse({ steps }) }, paceMs: 0 })
      onTestFinished(() => simulator.close())
      url = (await simulator.listen()).url
    },
  }
}

async function sendAndWait(runtime: TestRuntime, sessionId: SessionId, content: string) {
  const { messageId } = await runtime.sessions.sendMessage(sessionId, { content }, 'ana')
  await rests(runtime, sessionId, 'idle')
  return messageId
}

const lastAnswer = async (runtime: TestRuntime, sessionId: SessionId) => (await answersOf(runtime, sessionId)).at(-1)

/** Answers with the number of the person's messages in the request, which shows what the agent remembers. */
const counting: readonly ScenarioStep[] = [1, 2, 3, 4, 5].map((turn) => ({
  when: { turn, subagent: false },
  then: { text: `I know ${turn}` },
  repeat: true,
}))

describe('a session on the real CLI', () => {
  it('gets a message for the running turn in that turn', async () => {
    const { runtime, received } = await openRealRuntime({
      steps: [
        { when: { text: 'work' }, then: { tools: [{ name: 'Bash', input: { command: 'sleep 2; echo slept' } }] } },
        { when: { tool_result: { name: 'Bash' } }, then: { text: 'worked' }, repeat: true },
        { when: { text: 'hurry' }, then: { text: 'hurried' }, repeat: true },
      ],
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
    await expect.poll(() => eventsOf(runtime, sessionId, 'AgentInvokedTool')).toHaveLength(1)
    await runtime.sessions.sendMessage(sessionId, { content: 'hurry up', delivery: 'immediate' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const [turn, ...more] = await eventsOf(runtime, sessionId, 'TurnStarted')
    expect(more).toEqual([])
    const delivered = await eventsOf(runtime, sessionId, 'UserMessageDelivered')
    expect(delivered.map(({ turnId }) => turnId)).toEqual([turn?.turnId, turn?.turnId])
    expect((await runtime.sessions.listMessages(sessionId)).messages).toEqual([])
    expect(received().filter((body) => body.includes('hurry up'))).not.toEqual([])
  })

  it.each([
    ['right after it was handed in', false],
    ['after the model has seen it', true],
  ])('gets a message for the running turn even when its CLI is killed %s', async (_, isSeen) => {
    const silence: ScenarioStep = {
      when: { tool_result: { name: 'Bash' } },
      then: { text: 'some words', fault: { type: 'stall', after_deltas: 1 } },
      times: 1,
    }
    const { runtime, harness, received } = await openRealRuntime({
      steps: [
        { when: { text: '^work' }, then: { tools: [{ name: 'Bash', input: { command: 'sleep 3' } }] }, times: 1 },
        ...(isSeen ? [silence] : []),
        { then: { text: 'hurried' }, repeat: true },
      ],
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
    await expect.poll(() => eventsOf(runtime, sessionId, 'AgentInvokedTool')).toHaveLength(1)
    const { messageId } = await runtime.sessions.sendMessage(
      sessionId,
      { content: 'hurry up', delivery: 'immediate' },
      'ana',
    )
    await expect.poll(() => eventsOf(runtime, sessionId, 'UserMessageDelivered')).toHaveLength(2)
    const hasSeen = () => received().some((body) => body.includes('hurry up'))
    if (isSeen) await expect.poll(hasSeen, { timeout: 60_000 }).toBe(true)
    for (const pid of harness.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    await rests(runtime, sessionId, 'idle')
    const outcomes = (await eventsOf(runtime, sessionId, 'TurnEnded')).map(({ data }) => data.outcome)
    expect(outcomes).toEqual(['crashed', 'completed'])
    expect((await eventsOf(runtime, sessionId, 'UserMessageReturned')).map(({ data }) => data.messageId)).toEqual([
      messageId,
    ])
    expect(await lastAnswer(runtime, sessionId)).toBe('hurried')
    expect(received().at(-1)).toContain('hurry up')
  })

  it('continues after a pause in the middle of a command', async () => {
    const { runtime } = await openRealRuntime({
      steps: [
        { when: { text: '^work' }, then: { tools: [{ name: 'Bash', input: { command: 'sleep 60' } }] } },
        { when: { text: 'stopped in the middle' }, then: { text: 'went on' } },
      ],
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
    await expect.poll(() => eventsOf(runtime, sessionId, 'AgentInvokedTool')).toHaveLength(1)
    await runtime.sessions.pause(sessionId, 'ana')
    await rests(runtime, sessionId, 'paused')
    await runtime.sessions.resume(sessionId, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect(await lastAnswer(runtime, sessionId)).toBe('went on')
  })

  it.each([0, 2, 5, 10, 20])(
    'loses nothing and runs nothing twice when paused %i ms after an approval',
    async (delayMs) => {
      const command = 'echo ran >> log.txt'
      const call = { tools: [{ name: 'Bash', input: { command } }] }
      const { runtime, harness } = await openRealRuntime({
        claude: { permissionMode: 'manual' },
        steps: [
          { when: { text: '^work' }, then: call, times: 1 },
          { when: { text: 'Approved call \\(re-issue', calls: 0 }, then: { reissue: 'exactly' } },
          { when: { text: 'it may have run', calls: 0 }, then: call },
          { then: { text: 'done' }, repeat: true },
        ],
      })
      const ran = async () =>
        (await readFile(join(harness.cwd, 'log.txt'), 'utf8').catch(() => '')).split('\n').length - 1
      const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
      await rests(runtime, sessionId, 'waiting_approval')
      const allow = async () => {
        const [open] = (await stateOf(runtime, sessionId)).approvals
        if (open !== undefined) await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ana')
      }
      const allowed = allow()
      await sleep(delayMs)
      await Promise.all([allowed, runtime.sessions.pause(sessionId, 'ana')])
      await rests(runtime, sessionId, 'paused')
      const before = await ran()
      const { unreported } = await stateOf(runtime, sessionId)
      const mayHaveRun = unreported.map((one) => one.type === 'decision' && one.mayHaveRun === true)
      // Reported as not run, as perhaps run, or run to its end with a result of its own.
      if (mayHaveRun.length === 0) expect(before).toBe(1)
      if (mayHaveRun[0] === false) expect(before).toBe(0)
      await runtime.sessions.resume(sessionId, 'ana')
      if (mayHaveRun[0] === true) {
        await rests(runtime, sessionId, 'waiting_approval')
        expect(await ran()).toBe(before)
        await allow()
      }
      await rests(runtime, sessionId, 'idle')
      expect(await ran()).toBe(mayHaveRun[0] === true ? before + 1 : 1)
    },
  )

  it('forks at any message: the fork knows everything before it and nothing after', async () => {
    const { runtime } = await openRealRuntime({ steps: counting })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    for (const content of ['one', 'two', 'three']) await sendAndWait(runtime, sessionId, content)
    const [first] = await eventsOf(runtime, sessionId, 'AgentThought')
    const [, second] = await eventsOf(runtime, sessionId, 'UserMessageDelivered')
    const atEnd = await runtime.sessions.fork(sessionId, { message: 'more' }, 'ana')
    const atAnswer = await runtime.sessions.fork(sessionId, { at: first?.seq, message: 'more' }, 'ana')
    const atPrompt = await runtime.sessions.fork(sessionId, { at: second?.seq }, 'ana')
    for (const fork of [atEnd, atAnswer, atPrompt]) await rests(runtime, fork.sessionId, 'idle')
    expect(await lastAnswer(runtime, atEnd.sessionId)).toBe('I know 4')
    expect(await lastAnswer(runtime, atAnswer.sessionId)).toBe('I know 2')
    expect(await lastAnswer(runtime, atPrompt.sessionId)).toBe('I know 2')
    await sendAndWait(runtime, sessionId, 'four')
    expect(await lastAnswer(runtime, sessionId)).toBe('I know 4')
    const forkOfFork = await runtime.sessions.fork(atAnswer.sessionId, { message: 'on' }, 'ana')
    await rests(runtime, forkOfFork.sessionId, 'idle')
    expect(await lastAnswer(runtime, forkOfFork.sessionId)).toBe('I know 3')
  })

  it('rewinds the conversation and the files, even without a process', async () => {
    const write = (content: string) => ({ name: 'Write', input: { file_path: 'notes.txt', content } })
    const { runtime, harness } = await openRealRuntime({
      steps: [
        { when: { text: 'write one' }, then: { tools: [write('one')] } },
        {
          when: { text: 'write two' },
          then: {
            tools: [
              { name: 'Read', input: { file_path: 'notes.txt' } },
              { name: 'Bash', input: { command: 'echo b > by-bash.txt' } },
            ],
          },
        },
        { when: { text: 'write two', tool_result: { name: 'Read' } }, then: { tools: [write('two')] } },
        ...counting,
      ],
    })
    const notes = join(harness.cwd, 'notes.txt')
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await sendAndWait(runtime, sessionId, 'write one')
    const messageId = await sendAndWait(runtime, sessionId, 'write two')
    expect(await readFile(notes, 'utf8')).toBe('two')
    await runtime.coordinator.endProcess(await runtime.coordinator.open(sessionId))
    const dry = await runtime.sessions.rewind(sessionId, { messageId, dryRun: true }, 'ana')
    expect(await readFile(notes, 'utf8')).toBe('two')
    const report = await runtime.sessions.rewind(sessionId, { messageId }, 'ana')
    expect(report).toMatchObject({ conversation: true, files: dry.files })
    expect(report.files?.restored).toEqual(['notes.txt'])
    expect(report.files?.notRestored).toMatchObject([{ path: 'by-bash.txt' }])
    expect(await readFile(notes, 'utf8')).toBe('one')
    await sendAndWait(runtime, sessionId, 'what do you know?')
    expect(await lastAnswer(runtime, sessionId)).toBe('I know 2')
  })

  it('keeps its context when model, mode and thinking change', async () => {
    const { runtime, harness, received } = await openRealRuntime({ steps: counting })
    const thoughtWith = () => /"budget_tokens":(\d+)/.exec(received().at(-1) ?? '')?.[1]
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await sendAndWait(runtime, sessionId, 'one')
    expect(thoughtWith()).toBeUndefined()
    await runtime.sessions.changeSession(sessionId, { model: 'low' }, 'ana')
    await sendAndWait(runtime, sessionId, 'two')
    expect(harness.simulator.served().requests.at(-1)?.requestedModel).toBe('claude-haiku-4-5')
    await runtime.sessions.changeSession(
      sessionId,
      { permissionMode: 'manual', thinking: { budgetTokens: 2000 } },
      'ana',
    )
    await sendAndWait(runtime, sessionId, 'three')
    expect(thoughtWith()).toBe('2000')
    await runtime.sessions.changeSession(sessionId, { thinking: null, limits: { maxTurns: 900 } }, 'ana')
    await sendAndWait(runtime, sessionId, 'four')
    expect(thoughtWith()).toBeUndefined()
    expect(await answersOf(runtime, sessionId)).toEqual(['I know 1', 'I know 2', 'I know 3', 'I know 4'])
  })

  it('lets a subagent continue with its memory', async () => {
    const delegate = { description: 'd', prompt: 'keep pineapple', subagent_type: 'general-purpose' }
    const { runtime, playFrom } = await openRealRuntime({
      steps: [
        { when: { subagent: false, text: 'delegate' }, then: { tools: [{ name: 'Agent', input: delegate }] } },
        { when: { subagent: true, text: 'pineapple' }, then: { text: 'I keep pineapple' } },
        { when: { subagent: false, tool_result: { name: 'Agent' } }, then: { text: 'delegated' } },
      ],
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await sendAndWait(runtime, sessionId, 'delegate')
    const [started] = await eventsOf(runtime, sessionId, 'SubagentStarted')
    const agentId = started?.data.agentId ?? ''
    await runtime.coordinator.endProcess(await runtime.coordinator.open(sessionId))
    const handOn = { to: agentId, message: 'what do you keep?', summary: 'asks what it keeps' }
    await playFrom([
      { when: { subagent: false, text: agentId }, then: { tools: [{ name: 'SendMessage', input: handOn }] } },
      { when: { subagent: true, turn: 2, text: 'what do you keep' }, then: { text: 'still pineapple' } },
      { when: { subagent: false, tool_result: { pattern: 'still pineapple' } }, then: { text: 'it keeps pineapple' } },
    ])
    await runtime.sessions.messageSubagent(sessionId, agentId, { content: 'what do you keep?' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect(await lastAnswer(runtime, sessionId)).toBe('it keeps pineapple')
    const thoughts = await eventsOf(runtime, sessionId, 'SubagentThought')
    expect(thoughts.map(({ data }) => data.text)).toEqual(['I keep pineapple', 'still pineapple'])
  })

  it('reports a full context as a status of its own, and continues', async () => {
    const message = 'prompt is too long: 214000 tokens > 200000 maximum'
    const { runtime } = await openRealRuntime({
      steps: [
        { when: { text: 'less' }, then: { text: 'that fits' } },
        { when: { text: 'too much' }, then: { fault: { type: 'status', status: 400, message } }, repeat: true },
      ],
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'too much' }, 'ana')
    await rests(runtime, sessionId, 'context_exhausted')
    expect((await stateOf(runtime, sessionId)).lastError).toMatch(/too long/i)
    await sendAndWait(runtime, sessionId, 'less')
    expect(await lastAnswer(runtime, sessionId)).toBe('that fits')
  })
})
