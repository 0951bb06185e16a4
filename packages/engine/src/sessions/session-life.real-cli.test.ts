// A session's life over the real CLI: what its doors promise holds for the process behind them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSimulator, Scenario } from '@quarterdeck/model'
import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type ClaudeWorld,
  openClaudeWorld,
  type ScenarioStep,
  type WorldOptions,
} from '../backends/claude/testing/claude-world.fixture.ts'
import { trustedAgent } from '../backends/claude/testing/trusted-agent.fixture.ts'
import { descendantsOf } from '../linux-processes.ts'
import { openTestHouse } from './engine.fixture.ts'
import { answersOf, eventsOf, rests, stateOf, type TestHouse } from './lifecycle.fixture.ts'
import { overhear } from './overhearing-model.fixture.ts'

interface RealHouse {
  readonly house: TestHouse
  readonly world: ClaudeWorld
  /** The next process talks to this model. */
  playFrom(steps: readonly ScenarioStep[]): Promise<void>
  /** What the first model was sent, as it was sent. */
  heard(): readonly string[]
}

async function openRealHouse(options: WorldOptions): Promise<RealHouse> {
  const tools = ['Bash', 'Read', 'Glob', 'Grep', 'Write', 'Edit', 'Agent', 'SendMessage']
  const world = await openClaudeWorld({ tools, ...options })
  onTestFinished(() => world.close())
  const { modelAccess } = world.options()
  if (modelAccess.type !== 'gateway') throw new Error('the world has no address for its model')
  const model = await overhear(modelAccess.baseUrl)
  onTestFinished(model.close)
  let { url } = model
  const { name: _, ...agent } = trustedAgent(world.cwd, options)
  const house = await openTestHouse({ backend: world.backend, agent, modelUrl: () => url })
  return {
    house,
    world,
    heard: model.bodies,
    async playFrom(steps) {
      const simulator = createSimulator({ mode: { script: Scenario.parse({ steps }) }, paceMs: 0 })
      onTestFinished(() => simulator.close())
      url = (await simulator.listen()).url
    },
  }
}

async function say(house: TestHouse, sessionId: SessionId, content: string) {
  const { messageId } = await house.sessions.send(sessionId, { content }, 'ana')
  await rests(house, sessionId, 'idle')
  return messageId
}

const lastAnswer = async (house: TestHouse, sessionId: SessionId) => (await answersOf(house, sessionId)).at(-1)

/** Answers with the number of the person's words it was sent: what the agent remembers. */
const counting: readonly ScenarioStep[] = [1, 2, 3, 4, 5].map((turn) => ({
  when: { turn, subagent: false },
  then: { text: `I know ${turn}` },
  repeat: true,
}))

describe('a session over the real CLI', () => {
  it('hears a message for the running turn in that turn', async () => {
    const { house, heard } = await openRealHouse({
      steps: [
        { when: { text: 'work' }, then: { tools: [{ name: 'Bash', input: { command: 'sleep 2; echo slept' } }] } },
        { when: { tool_result: { name: 'Bash' } }, then: { text: 'worked' }, repeat: true },
        { when: { text: 'hurry' }, then: { text: 'hurried' }, repeat: true },
      ],
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'work' }, 'ana')
    await expect.poll(() => eventsOf(house, sessionId, 'AgentInvokedTool')).toHaveLength(1)
    await house.sessions.send(sessionId, { content: 'hurry up', delivery: 'immediate' }, 'ana')
    await rests(house, sessionId, 'idle')
    const [turn, ...more] = await eventsOf(house, sessionId, 'TurnStarted')
    expect(more).toEqual([])
    const delivered = await eventsOf(house, sessionId, 'UserMessageDelivered')
    expect(delivered.map(({ turnId }) => turnId)).toEqual([turn?.turnId, turn?.turnId])
    expect(await house.sessions.messages(sessionId)).toEqual([])
    expect(heard().filter((body) => body.includes('hurry up'))).not.toEqual([])
  })

  it.each([
    ['right after it was handed in', false],
    ['after the model has seen it', true],
  ])('hears a message for the running turn also when its CLI is killed %s', async (_, isSeen) => {
    const silence: ScenarioStep = {
      when: { tool_result: { name: 'Bash' } },
      then: { text: 'some words', fault: { type: 'stall', after_deltas: 1 } },
      times: 1,
    }
    const { house, world, heard } = await openRealHouse({
      steps: [
        { when: { text: '^work' }, then: { tools: [{ name: 'Bash', input: { command: 'sleep 3' } }] }, times: 1 },
        ...(isSeen ? [silence] : []),
        { then: { text: 'hurried' }, repeat: true },
      ],
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'work' }, 'ana')
    await expect.poll(() => eventsOf(house, sessionId, 'AgentInvokedTool')).toHaveLength(1)
    const { messageId } = await house.sessions.send(sessionId, { content: 'hurry up', delivery: 'immediate' }, 'ana')
    await expect.poll(() => eventsOf(house, sessionId, 'UserMessageDelivered')).toHaveLength(2)
    const hasSeen = () => heard().some((body) => body.includes('hurry up'))
    if (isSeen) await expect.poll(hasSeen, { timeout: 60_000 }).toBe(true)
    for (const pid of world.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    await rests(house, sessionId, 'idle')
    const outcomes = (await eventsOf(house, sessionId, 'TurnEnded')).map(({ data }) => data.outcome)
    expect(outcomes).toEqual(['crashed', 'completed'])
    expect((await eventsOf(house, sessionId, 'UserMessageReturned')).map(({ data }) => data.messageId)).toEqual([
      messageId,
    ])
    expect(await lastAnswer(house, sessionId)).toBe('hurried')
    expect(heard().at(-1)).toContain('hurry up')
  })

  it('goes on after a pause in the middle of a command', async () => {
    const { house } = await openRealHouse({
      steps: [
        { when: { text: '^work' }, then: { tools: [{ name: 'Bash', input: { command: 'sleep 60' } }] } },
        { when: { text: 'stopped in the middle' }, then: { text: 'went on' } },
      ],
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'work' }, 'ana')
    await expect.poll(() => eventsOf(house, sessionId, 'AgentInvokedTool')).toHaveLength(1)
    await house.sessions.pause(sessionId, 'ana')
    await rests(house, sessionId, 'paused')
    await house.sessions.resume(sessionId, 'ana')
    await rests(house, sessionId, 'idle')
    expect(await lastAnswer(house, sessionId)).toBe('went on')
  })

  it.each([0, 2, 5, 10, 20])(
    'a pause %i ms after an approval loses nothing, and nothing runs twice',
    async (delayMs) => {
      const command = 'echo ran >> log.txt'
      const call = { tools: [{ name: 'Bash', input: { command } }] }
      const { house, world } = await openRealHouse({
        claude: { permissionMode: 'manual' },
        steps: [
          { when: { text: '^work' }, then: call, times: 1 },
          { when: { text: 'Approved call \\(re-issue', calls: 0 }, then: { reissue: 'exactly' } },
          { when: { text: 'it may have run', calls: 0 }, then: call },
          { then: { text: 'done' }, repeat: true },
        ],
      })
      const ran = async () =>
        (await readFile(join(world.cwd, 'log.txt'), 'utf8').catch(() => '')).split('\n').length - 1
      const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'work' }, 'ana')
      await rests(house, sessionId, 'waiting_approval')
      const allow = async () => {
        const [open] = (await stateOf(house, sessionId)).approvals
        if (open !== undefined) await house.sessions.decide(open.approvalId, { decision: 'allow' }, 'ana')
      }
      const allowed = allow()
      await sleep(delayMs)
      await Promise.all([allowed, house.sessions.pause(sessionId, 'ana')])
      await rests(house, sessionId, 'paused')
      const before = await ran()
      const { untold } = await stateOf(house, sessionId)
      const mayHaveRun = untold.map((one) => one.type === 'decision' && one.mayHaveRun === true)
      // Told as not run, as perhaps run, or run to its end with a result of its own.
      if (mayHaveRun.length === 0) expect(before).toBe(1)
      if (mayHaveRun[0] === false) expect(before).toBe(0)
      await house.sessions.resume(sessionId, 'ana')
      if (mayHaveRun[0] === true) {
        await rests(house, sessionId, 'waiting_approval')
        expect(await ran()).toBe(before)
        await allow()
      }
      await rests(house, sessionId, 'idle')
      expect(await ran()).toBe(mayHaveRun[0] === true ? before + 1 : 1)
    },
  )

  it('forks at any message: the fork knows what was before and nothing after', async () => {
    const { house } = await openRealHouse({ steps: counting })
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    for (const content of ['one', 'two', 'three']) await say(house, sessionId, content)
    const [first] = await eventsOf(house, sessionId, 'AgentThought')
    const [, second] = await eventsOf(house, sessionId, 'UserMessageDelivered')
    const atEnd = await house.sessions.fork(sessionId, { message: 'more' }, 'ana')
    const atAnswer = await house.sessions.fork(sessionId, { at: first?.seq, message: 'more' }, 'ana')
    const atPrompt = await house.sessions.fork(sessionId, { at: second?.seq }, 'ana')
    for (const fork of [atEnd, atAnswer, atPrompt]) await rests(house, fork.sessionId, 'idle')
    expect(await lastAnswer(house, atEnd.sessionId)).toBe('I know 4')
    expect(await lastAnswer(house, atAnswer.sessionId)).toBe('I know 2')
    expect(await lastAnswer(house, atPrompt.sessionId)).toBe('I know 2')
    await say(house, sessionId, 'four')
    expect(await lastAnswer(house, sessionId)).toBe('I know 4')
    const forkOfFork = await house.sessions.fork(atAnswer.sessionId, { message: 'on' }, 'ana')
    await rests(house, forkOfFork.sessionId, 'idle')
    expect(await lastAnswer(house, forkOfFork.sessionId)).toBe('I know 3')
  })

  it('rewinds the conversation and the files, also when its process is gone', async () => {
    const write = (content: string) => ({ name: 'Write', input: { file_path: 'notes.txt', content } })
    const { house, world } = await openRealHouse({
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
    const notes = join(world.cwd, 'notes.txt')
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await say(house, sessionId, 'write one')
    const messageId = await say(house, sessionId, 'write two')
    expect(await readFile(notes, 'utf8')).toBe('two')
    await house.coordinator.endProcess(await house.coordinator.open(sessionId))
    const dry = await house.sessions.rewind(sessionId, { messageId, dryRun: true }, 'ana')
    expect(await readFile(notes, 'utf8')).toBe('two')
    const report = await house.sessions.rewind(sessionId, { messageId }, 'ana')
    expect(report).toMatchObject({ conversation: true, files: dry.files })
    expect(report.files?.restored).toEqual(['notes.txt'])
    expect(report.files?.notRestored).toMatchObject([{ path: 'by-bash.txt' }])
    expect(await readFile(notes, 'utf8')).toBe('one')
    await say(house, sessionId, 'what do you know?')
    expect(await lastAnswer(house, sessionId)).toBe('I know 2')
  })

  it('keeps its context when model, mode and thinking change', async () => {
    const { house, world, heard } = await openRealHouse({ steps: counting })
    const thoughtWith = () => /"budget_tokens":(\d+)/.exec(heard().at(-1) ?? '')?.[1]
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await say(house, sessionId, 'one')
    expect(thoughtWith()).toBeUndefined()
    await house.sessions.change(sessionId, { model: 'low' }, 'ana')
    await say(house, sessionId, 'two')
    expect(world.simulator.served().requests.at(-1)?.requestedModel).toBe('claude-haiku-4-5')
    await house.sessions.change(sessionId, { permissionMode: 'manual', thinking: { budgetTokens: 2000 } }, 'ana')
    await say(house, sessionId, 'three')
    expect(thoughtWith()).toBe('2000')
    await house.sessions.change(sessionId, { thinking: null, limits: { maxTurns: 900 } }, 'ana')
    await say(house, sessionId, 'four')
    expect(thoughtWith()).toBeUndefined()
    expect(await answersOf(house, sessionId)).toEqual(['I know 1', 'I know 2', 'I know 3', 'I know 4'])
  })

  it('lets one subagent go on with what it knows', async () => {
    const delegate = { description: 'd', prompt: 'keep pineapple', subagent_type: 'general-purpose' }
    const { house, playFrom } = await openRealHouse({
      steps: [
        { when: { subagent: false, text: 'delegate' }, then: { tools: [{ name: 'Agent', input: delegate }] } },
        { when: { subagent: true, text: 'pineapple' }, then: { text: 'I keep pineapple' } },
        { when: { subagent: false, tool_result: { name: 'Agent' } }, then: { text: 'delegated' } },
      ],
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await say(house, sessionId, 'delegate')
    const [started] = await eventsOf(house, sessionId, 'SubagentStarted')
    const agentId = started?.data.agentId ?? ''
    await house.coordinator.endProcess(await house.coordinator.open(sessionId))
    const handOn = { to: agentId, message: 'what do you keep?', summary: 'asks what it keeps' }
    await playFrom([
      { when: { subagent: false, text: agentId }, then: { tools: [{ name: 'SendMessage', input: handOn }] } },
      { when: { subagent: true, turn: 2, text: 'what do you keep' }, then: { text: 'still pineapple' } },
      { when: { subagent: false, tool_result: { pattern: 'still pineapple' } }, then: { text: 'it keeps pineapple' } },
    ])
    await house.sessions.messageSubagent({ sessionId, agentId }, { content: 'what do you keep?' }, 'ana')
    await rests(house, sessionId, 'idle')
    expect(await lastAnswer(house, sessionId)).toBe('it keeps pineapple')
    const thoughts = await eventsOf(house, sessionId, 'SubagentThought')
    expect(thoughts.map(({ data }) => data.text)).toEqual(['I keep pineapple', 'still pineapple'])
  })

  it('rests apart when its context is full, and goes on', async () => {
    const message = 'prompt is too long: 214000 tokens > 200000 maximum'
    const { house } = await openRealHouse({
      steps: [
        { when: { text: 'less' }, then: { text: 'that fits' } },
        { when: { text: 'too much' }, then: { fault: { type: 'status', status: 400, message } }, repeat: true },
      ],
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'too much' }, 'ana')
    await rests(house, sessionId, 'context_exhausted')
    expect((await stateOf(house, sessionId)).lastError).toMatch(/too long/i)
    await say(house, sessionId, 'less')
    expect(await lastAnswer(house, sessionId)).toBe('that fits')
  })
})
