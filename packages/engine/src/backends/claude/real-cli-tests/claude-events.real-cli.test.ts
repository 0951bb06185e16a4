// Every kind of event from the real CLI with the simulated model. `RECORD=1` writes the SDK messages into recordings/,
// which the translation tests replay.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorReasons } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import type { BackendEvent, SessionOptions } from '../../backend.ts'
import { ended, find, gateOf, tokensOf, types } from '../../contract/backend-events.contract.ts'
import { type ClaudeHarness, type ClaudeHarnessOptions, openClaudeHarness } from '../testing/claude-harness.fixture.ts'
import { createRecorder } from '../testing/recording.fixture.ts'

const isRecording = process.env.RECORD === '1'
const never = new AbortController().signal
const harnesses: ClaudeHarness[] = []

afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((harness) => harness.close()))
})

interface Story extends ClaudeHarnessOptions {
  readonly name: string
  readonly prompts: readonly string[]
  readonly session?: Partial<SessionOptions>
  /** The first event for which it returns true interrupts the turn. */
  readonly interruptAt?: (event: BackendEvent) => boolean
}

/** Runs the prompts one after another in one session. */
async function play(story: Story): Promise<readonly (readonly BackendEvent[])[]> {
  let tap: (message: unknown) => void = () => undefined
  const harness = await openClaudeHarness({ ...story, tap: (message) => tap(message) })
  harnesses.push(harness)
  const recorder = createRecorder(harness.root)
  tap = recorder.tap
  writeFileSync(join(harness.cwd, 'notes.txt'), 'remember the milk\n')
  const session = await harness.backend.createSession(harness.options(story.session))
  const turns: BackendEvent[][] = []
  let isInterrupted = false // a second interrupt would reach the turn after the interrupted one
  for (const prompt of story.prompts) {
    const events: BackendEvent[] = []
    for await (const event of session.run(prompt, never)) {
      events.push(event)
      if (isInterrupted || story.interruptAt?.(event) !== true) continue
      isInterrupted = true
      void session.interrupt()
    }
    turns.push(events)
  }
  await session.close()
  if (isRecording) recorder.save(story.name)
  return turns
}

const bash = (command: string) => ({ name: 'Bash', input: { command } })

describe('events of the real CLI', () => {
  it('include a plain answer', async () => {
    const [events = []] = await play({ name: 'text', steps: [{ then: { text: 'Hello from here' } }], prompts: ['hi'] })
    expect(find(events, 'AgentSessionStarted').data).toMatchObject({
      permissionMode: 'acceptAll',
      model: 'claude-sonnet-4-5-20250929',
      modelSource: 'simulator',
      apiKeySource: 'ANTHROPIC_API_KEY',
    })
    expect(find(events, 'AgentSessionStarted').data.tools).toContain('Agent')
    expect(find(events, 'UsageRecorded').data).toMatchObject({ servedModel: 'simulator', source: 'backend' })
    expect(ended(events).data).toMatchObject({ outcome: 'completed', result: { response: 'Hello from here' } })
    expect(ended(events).data.reportedCostUsd).toBeGreaterThan(0)
    expect(Object.keys(ended(events).data.modelUsage)).toEqual(['claude-sonnet-4-5-20250929'])
    expect(types(events)).not.toContain('RawBackendMessage')
  })

  it('stream thinking together with partial messages', async () => {
    const [events = []] = await play({
      name: 'thinking',
      claude: { thinking: { budgetTokens: 2000 } },
      steps: [{ then: { thinking: 'a hard question', text: 'an easy answer' } }],
      prompts: ['think'],
    })
    const thinking = find(events, 'AgentThinking')
    expect(tokensOf(events, thinking.data.messageId, 'thinking')).toBe('a hard question')
    expect(tokensOf(events, thinking.data.messageId, 'text')).toBe('an easy answer')
  })

  it('include two parallel calls, one of which fails', async () => {
    const [events = []] = await play({
      name: 'parallel-tools',
      steps: [
        {
          then: {
            text: 'both',
            tools: [bash('ls /no/such/folder'), { name: 'Read', input: { file_path: 'notes.txt' } }],
          },
        },
        { then: { text: 'one failed' } },
      ],
      prompts: ['go'],
    })
    const calls = events.filter((event) => event.type === 'AgentInvokedTool')
    const results = events.filter((event) => event.type === 'ToolExecuted')
    expect(new Set(calls.map((call) => call.data.messageId)).size).toBe(1)
    expect(results.map((result) => [result.data.toolName, result.data.isError]).sort()).toEqual([
      ['Bash', true],
      ['Read', false],
    ])
    expect(results.every((result) => result.data.durationMs !== null)).toBe(true)
    expect(types(events).filter((type) => type === 'UsageRecorded')).toHaveLength(2)
  })

  it('carry the paths of a subagent and its own subagent', async () => {
    const [events = []] = await play({ name: 'nested-subagents', ...nested, prompts: ['delegate'] })
    const started = events.filter((event) => event.type === 'SubagentStarted')
    expect(started.map((event) => event.data.description)).toEqual(['outer', 'inner'])
    const [outer, inner] = started.map((event) => event.agent)
    expect(outer).toHaveLength(1)
    expect(inner).toEqual([...(outer ?? []), started[1]?.data.parentToolUseId])
    const thoughts = events.filter((event) => event.type === 'SubagentThought')
    expect(thoughts.find((event) => event.data.text === 'inner done')?.agent).toEqual(inner)
    expect(thoughts.find((event) => event.data.text === 'outer done')?.agent).toEqual(outer)
    const deep = events.find((event) => event.type === 'ToolExecuted' && event.data.output === 'deep')
    expect(deep?.agent).toEqual(inner)
    const stopped = events.filter((event) => event.type === 'SubagentStopped')
    expect(stopped.map((event) => [event.agent, event.data.isError])).toEqual([
      [inner, false],
      [outer, false],
    ])
    expect(ended(events).data.result.response).toBe('all done')
  })

  it('report a compaction on request', async () => {
    const [, events = [], after = []] = await play({
      name: 'compaction',
      steps: [{ repeat: true, then: { text: 'a long answer' } }],
      prompts: ['hi', '/compact', 'go on'],
    })
    expect(find(events, 'AgentContextCompacted').data).toMatchObject({ trigger: 'manual' })
    expect(find(events, 'AgentContextCompacted').data.preTokens).toBeGreaterThan(0)
    expect(ended(events).data.outcome).toBe('completed')
    expect(ended(after).data.result.response).toBe('a long answer')
  })

  it('report the turn limit', async () => {
    const [events = []] = await play({
      name: 'max-turns',
      steps: [{ repeat: true, then: { text: 'again', tools: [bash('echo once more')] } }],
      prompts: ['loop'],
      session: { limits: { maxTurns: 2, maxBudgetUsd: 5, maxDurationMs: 1 } },
    })
    expect(ended(events).data).toMatchObject({ outcome: 'turn_limit', result: { errorReason: errorReasons.maxTurns } })
  })

  it('report a spent budget', async () => {
    const usage = { input_tokens: 100_000, output_tokens: 10 }
    const [events = []] = await play({
      name: 'max-budget',
      steps: [{ repeat: true, then: { text: 'dear', tools: [bash('echo more')], usage } }],
      prompts: ['spend'],
      session: { limits: { maxTurns: 9, maxBudgetUsd: 0.1, maxDurationMs: 1 } },
    })
    expect(ended(events).data).toMatchObject({ outcome: 'budget_limit', result: { errorReason: errorReasons.budget } })
    expect(ended(events).data.reportedCostUsd).toBeGreaterThan(0.1)
  })

  it('report a turn whose requests keep failing, after which the session continues', async () => {
    const [events = [], after = []] = await play({
      name: 'api-failure',
      maxRetries: 1,
      faults: [{ fault: { type: 'status', status: 500, message: 'out of order' }, on: { first: 2 } }],
      steps: [{ repeat: true, then: { text: 'back again' } }],
      prompts: ['hi', 'hello?'],
    })
    expect(find(events, 'ModelRequestRetrying').data).toMatchObject({ attempt: 1, status: 500 })
    expect(ended(events).data.outcome).toBe('failed')
    expect(ended(events).data.result.errorReason).toContain('out of order')
    expect(types(events)).not.toContain('AgentThought')
    expect(ended(after).data.result.response).toBe('back again')
  })

  it('report a retry after 429', async () => {
    const [events = []] = await play({
      name: 'retry-429',
      faults: [{ fault: { type: 'status', status: 429, retry_after_seconds: 1 }, on: { nth: 1 } }],
      steps: [{ repeat: true, then: { text: 'now it works' } }],
      prompts: ['hi'],
    })
    expect(find(events, 'ModelRequestRetrying').data).toMatchObject({ status: 429, delayMs: 1000 })
    expect(ended(events).data.result.response).toBe('now it works')
  })

  it('discard the text of a broken stream', async () => {
    const [events = []] = await play({
      name: 'broken-stream',
      faults: [{ fault: { type: 'reset_mid_stream', after_deltas: 3 }, on: { nth: 1 } }],
      steps: [
        { times: 1, then: { text: 'one two three four five' } },
        { repeat: true, then: { text: 'from the start' } },
      ],
      prompts: ['hi'],
      paceMs: 20,
    })
    const discarded = find(events, 'AgentStreamDiscarded')
    expect(discarded.data.text).not.toBe('')
    expect(tokensOf(events, discarded.data.messageId, 'text')).toBe(discarded.data.text)
    const thought = find(events, 'AgentThought')
    expect(tokensOf(events, thought.data.messageId, 'text')).toBe(thought.data.text)
    expect(types(events).filter((type) => type === 'AgentThought')).toHaveLength(1)
  })

  it('report a fallback to another model', async () => {
    const [events = []] = await play({
      name: 'model-fallback',
      maxRetries: 5,
      claude: { fallbackModel: 'claude-haiku-4-5' },
      steps: [
        { when: { model: 'haiku' }, repeat: true, then: { text: 'from the small one' } },
        { repeat: true, then: { fault: { type: 'status', status: 529 } } },
      ],
      prompts: ['hi'],
    })
    expect(find(events, 'ModelFellBack').data).toMatchObject({
      from: 'claude-sonnet-4-5-20250929',
      to: 'claude-haiku-4-5',
    })
    expect(find(events, 'UsageRecorded').data.model).toBe('claude-haiku-4-5')
    expect(ended(events).data.result.response).toBe('from the small one')
  })

  it('keep the text of an interrupted answer', async () => {
    let seen = ''
    const [events = [], after = []] = await play({
      name: 'interrupted-text',
      steps: [
        { then: { text: 'these words come slowly one by one', fault: { type: 'stall', after_deltas: 3 } } },
        { then: { text: 'as you wish' } },
      ],
      prompts: ['talk', 'stop'],
      interruptAt(event) {
        if (event.type === 'AgentStreamToken') seen += event.data.text
        return event.type === 'AgentStreamToken' && seen.includes('words')
      },
    })
    const thought = find(events, 'AgentThought')
    expect(thought.data.text).toContain('these words')
    expect(tokensOf(events, thought.data.messageId, 'text')).toBe(thought.data.text)
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(ended(after).data.result.response).toBe('as you wish')
  })

  it('report an interrupted shell', async () => {
    const [events = [], after = []] = await play({
      name: 'interrupted-bash',
      steps: [
        { then: { text: 'wait', tools: [bash('for i in 1 2 3 4 5 6 7 8 9; do sleep 100; done')] } },
        { then: { text: 'stopped' } },
      ],
      prompts: ['run', 'stop'],
      interruptAt: (event) => event.type === 'AgentInvokedTool',
    })
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(ended(after).data.result.response).toBe('stopped')
  })

  it('report a denied call as failed and list the denial', async () => {
    const [events = []] = await play({
      name: 'denied-call',
      steps: [{ then: { tools: [bash('rm -rf everything')] } }, { then: { text: 'then not' } }],
      prompts: ['go'],
      session: { gate: gateOf({ check: async () => ({ type: 'deny', message: 'too dangerous' }) }) },
    })
    expect(find(events, 'ToolExecuted').data).toMatchObject({
      isError: true,
      output: expect.stringContaining('too dangerous'),
    })
    expect(ended(events).data.permissionDenials).toEqual([expect.objectContaining({ tool_name: 'Bash' })])
  })

  it('end the turn at once with the variable’s name when the provider refuses the key', async () => {
    const [events = []] = await play({
      name: 'refused-key',
      maxRetries: 10,
      faults: [{ fault: { type: 'status', status: 401 }, on: 'every' }],
      steps: [{ repeat: true, then: { text: 'never' } }],
      prompts: ['hi'],
    })
    expect(ended(events).data.outcome).toBe('failed')
    expect(ended(events).data.result.errorReason).toContain('ANTHROPIC_API_KEY')
  })
})

describe('a call of a subagent', () => {
  it('reaches the gate with the subagent’s path', async () => {
    const asked: { command: unknown; agent: unknown }[] = []
    const gate = gateOf({
      check: async (call) => {
        asked.push({ command: call.toolInput.command, agent: call.agent })
        return { type: 'allow', input: call.toolInput }
      },
    })
    const [events = []] = await play({ name: 'gated-subagents', ...nested, prompts: ['delegate'], session: { gate } })
    const [outer, inner] = events.filter((event) => event.type === 'SubagentStarted').map((event) => event.agent)
    expect(asked.find((call) => call.command === 'echo sub')?.agent).toEqual(outer)
    expect(asked.find((call) => call.command === 'echo deep')?.agent).toEqual(inner)
  })
})

const nested = {
  steps: [
    { when: { subagent: false, text: 'delegate' }, then: { text: 'you do it', tools: [agentCall('outer')] } },
    {
      when: { subagent: true, text: 'outer task' },
      then: { text: 'I have help', tools: [agentCall('inner'), bash('echo sub')] },
    },
    { when: { subagent: true, text: 'inner task' }, then: { tools: [bash('echo deep')] } },
    { when: { subagent: true, tool_result: { name: 'Agent' } }, then: { text: 'outer done' } },
    { when: { subagent: true, tool_result: { pattern: '^deep' } }, then: { text: 'inner done' } },
    { when: { subagent: false, tool_result: { name: 'Agent' } }, then: { text: 'all done' } },
  ],
}

function agentCall(description: string) {
  return { name: 'Agent', input: { description, prompt: `${description} task`, subagent_type: 'general-purpose' } }
}
