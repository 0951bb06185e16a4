// Warming, steering, changing and inspecting a session on the real CLI.
import { lstatSync, lutimesSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { UserMessageId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { descendantsOf, identify, isRunning } from '../../../system/linux-processes.ts'
import type { AgentSession } from '../../backend.ts'
import { collect, ended, find, gateOf, types } from '../../contract/backend-events.contract.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { messageUuid } from '../cli/message-uuid.ts'
import { type ClaudeHarness, type ClaudeHarnessOptions, openClaudeHarness } from '../testing/claude-harness.fixture.ts'
import { AnyMessage } from '../translate/sdk-message.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []
const patient = { timeout: 60_000, interval: 20 }

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function open(steps: readonly ScenarioStep[], more: Partial<ClaudeHarnessOptions> = {}): Promise<ClaudeHarness> {
  const harness = await openClaudeHarness({ steps, ...more })
  cleanups.push(harness.close)
  return harness
}

const umsg = (word: string) => UserMessageId.parse(`umsg_${word}`)
const bash = (command: string) => ({ tools: [{ name: 'Bash', input: { command } }] })
const run = (session: AgentSession, prompt: string, id: string) => collect(session.run(prompt, never, umsg(id)))

describe('warming', () => {
  it('starts the process that the next turn uses, even for a resumed conversation', async () => {
    const usage = { input_tokens: 1000, output_tokens: 50, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const harness = await open([{ repeat: true, then: { text: 'hello', usage } }])
    const session = await harness.backend.createSession(harness.options())
    await session.warm()
    const [warmed] = harness.pids()
    expect(session.load().residentBytes).toBeGreaterThan(50 * 1024 * 1024)
    const events = await run(session, 'one', 'first1')
    expect(harness.pids()).toEqual([warmed])
    await session.close()
    const resume = find(events, 'AgentSessionStarted').data.backendSessionId
    const again = await harness.backend.createSession(harness.options({ resume }))
    await again.warm()
    const after = await run(again, 'two', 'second')
    expect(find(after, 'AgentSessionStarted').data.backendSessionId).toBe(resume)
    expect(ended(after).data.modelUsage).toEqual(ended(events).data.modelUsage)
  })

  it('does not break the turn when the warmed process dies first', async () => {
    const harness = await open([{ repeat: true, then: { text: 'hello' } }])
    const session = await harness.backend.createSession(harness.options())
    await session.warm()
    const [wrapper] = harness.pids().map(identify)
    for (const pid of harness.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    await vi.waitUntil(() => wrapper !== undefined && !isRunning(wrapper), patient)
    expect(ended(await run(session, 'one', 'first1')).data).toMatchObject({
      outcome: 'completed',
      result: { response: 'hello' },
    })
  })
})

describe('a message added to a running turn', () => {
  it('reaches the model together with the result of the running call', async () => {
    const harness = await open([
      { when: { text: 'work' }, then: bash('echo one') },
      { repeat: true, then: { text: 'understood' } },
    ])
    const taken: boolean[] = []
    const gate = gateOf({
      check: async (call) => {
        taken.push(await session.steer('use the blue one', umsg('steered')))
        return { type: 'allow', input: call.toolInput }
      },
    })
    const session = await harness.backend.createSession(harness.options({ gate }))
    const events = await run(session, 'work', 'first1')
    expect(taken).toEqual([true])
    expect(ended(events).data.outcome).toBe('completed')
    expect(JSON.stringify(harness.requests()[1])).toContain('use the blue one')
    expect(harness.requests()).toHaveLength(2)
    expect(events.flatMap((event) => (event.type === 'FilesCheckpointed' ? [event.data.messageId] : []))).toEqual([
      umsg('first1'),
    ])
    const rewound = session.rewindFiles(umsg('steered'), { dryRun: true })
    await expect(rewound).rejects.toMatchObject({ code: 'rewind.unavailable' })
  })

  it('is answered in the same turn even if the model had already finished', async () => {
    const harness = await open([
      { when: { text: 'talk' }, then: { text: 'a long answer', pace_ms: 100 } },
      { when: { text: 'blue' }, then: { text: 'blue it is' } },
    ])
    const session = await harness.backend.createSession(harness.options())
    const events = []
    let taken: boolean | null = null
    for await (const event of session.run('talk', never, umsg('first1'))) {
      events.push(event)
      if (event.type === 'AgentStreamToken') taken ??= await session.steer('the blue one', umsg('steered'))
    }
    expect(taken).toBe(true)
    expect(events.flatMap((event) => (event.type === 'AgentThought' ? [event.data.text] : []))).toEqual([
      'a long answer',
      'blue it is',
    ])
    expect(types(events).filter((type) => type === 'TurnEnded')).toHaveLength(1)
    expect(events.flatMap((event) => (event.type === 'FilesCheckpointed' ? [event.data.messageId] : []))).toEqual([
      umsg('first1'),
      umsg('steered'),
    ])
  })

  it('is either refused or answered in the turn, however late it arrives', async () => {
    let onResult = () => {}
    const harness = await open(
      [
        { repeat: true, when: { text: 'talk' }, then: { text: 'well' } },
        { repeat: true, when: { text: 'late' }, then: { text: 'heard' } },
      ],
      { tap: (message) => AnyMessage.parse(message).type === 'result' && onResult() },
    )
    const session = await harness.backend.createSession(harness.options())
    let taken = 0
    for (let round = 0; round < 12; round += 1) {
      // Sent from the result on, a little later each time: before `idle` and after it.
      let steered: Promise<boolean> = Promise.resolve(false)
      onResult = () => {
        onResult = () => {}
        steered = new Promise((resolve) => {
          const hand = () => session.steer(`late ${round}`, umsg(`late${round}xx`)).then(resolve)
          if (round < 3) void hand()
          else setTimeout(hand, (round - 3) * 2)
        })
      }
      const events = await run(session, `talk ${round}`, `talk${round}xx`)
      const thoughts = events.flatMap((event) => (event.type === 'AgentThought' ? [event.data.text] : []))
      const isTaken = await steered
      taken += isTaken ? 1 : 0
      expect(thoughts).toEqual(isTaken ? ['well', 'heard'] : ['well'])
      expect(ended(events).data.outcome).toBe('completed')
    }
    expect(taken).toBeGreaterThan(0)
  })

  it('is dropped without a trace when the turn is interrupted', async () => {
    const harness = await open([
      // Must come first: the interrupted message may be sent again together with it.
      { when: { text: 'go on' }, then: { text: 'still here' } },
      { when: { text: 'talk' }, then: { text: 'some words to say', fault: { type: 'stall', after_deltas: 2 } } },
      { when: { text: 'steered' }, then: { text: 'other words to say', fault: { type: 'stall', after_deltas: 2 } } },
    ])
    const session = await harness.backend.createSession(harness.options())
    const events = []
    let isSteered = false
    for await (const event of session.run('talk', never, umsg('first1'))) {
      events.push(event)
      if (event.type !== 'AgentStreamToken' || isSteered) continue
      isSteered = await session.steer('steered', umsg('steered'))
      void session.interrupt()
    }
    expect(isSteered).toBe(true)
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(ended(await run(session, 'go on', 'second')).data.result.response).toBe('still here')
  })
})

describe('settings and capabilities', () => {
  it('change thinking from the next request on, in the same process', async () => {
    const harness = await open([{ repeat: true, then: { text: 'hello' } }])
    const session = await harness.backend.createSession(harness.options({ thinking: { budgetTokens: 2048 } }))
    await run(session, 'one', 'first1')
    await session.setThinking({ budgetTokens: 4096 })
    await run(session, 'two', 'second')
    await session.setThinking(null)
    await run(session, 'three', 'third1')
    expect(harness.requests().map(({ thinking }) => thinking?.budget_tokens ?? thinking?.type)).toEqual([
      2048,
      4096,
      'disabled',
    ])
    expect(harness.pids()).toHaveLength(1)
    expect(session.load().turns).toBe(3)
  })

  it('include commands, models, agents and account, but no key', async () => {
    const helper = { description: 'helps', prompt: 'You help.', tools: null, model: null }
    const harness = await open([{ repeat: true, then: { text: 'hello' } }], { claude: { agents: { helper } } })
    const session = await harness.backend.createSession(harness.options())
    const capabilities = await session.capabilities()
    expect(capabilities.commands.map(({ name }) => name)).toEqual(['compact'])
    expect(capabilities.models.length).toBeGreaterThan(0)
    expect(capabilities.agents).toContainEqual({ name: 'helper', description: 'helps' })
    expect(capabilities.tools).toContain('Bash')
    expect(capabilities.account).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' })
    expect(JSON.stringify(capabilities)).not.toContain('made-up-token')
  })

  it('run subagents without a model on the subagent model', async () => {
    const helper = { description: 'helps', prompt: 'You help.', tools: null, model: null }
    const own = { ...helper, model: 'claude-opus-4-5-20251101' }
    const ask = (subagent_type: string) => ({
      name: 'Agent',
      input: { description: 'ask', prompt: `what ${subagent_type} knows`, subagent_type },
    })
    const harness = await open(
      [
        { when: { text: 'delegate' }, then: { tools: [ask('helper'), ask('own'), ask('general-purpose')] } },
        { repeat: true, then: { text: 'done' } },
      ],
      { claude: { agents: { helper, own } } },
    )
    const session = await harness.backend.createSession(harness.options({ subagentModel: 'claude-haiku-4-5-20251001' }))
    await run(session, 'delegate', 'first1')
    const modelOf = (name: string) =>
      harness.requests().find(({ messages }) => JSON.stringify(messages[0]).includes(`what ${name} knows`))?.model
    expect(modelOf('helper')).toBe('claude-haiku-4-5-20251001')
    expect(modelOf('general-purpose')).toBe('claude-haiku-4-5-20251001')
    expect(modelOf('own')).toBe('claude-opus-4-5-20251101')
  })

  it('report once that the context is nearly full, whatever kind of input fills it', async () => {
    const usage = { input_tokens: 1_000, cache_read_input_tokens: 150_000, cache_creation_input_tokens: 10_000 }
    const harness = await open([
      { when: { turn: 1 }, then: { text: 'hello', usage: { ...usage, cache_read_input_tokens: 1_000 } } },
      { repeat: true, then: { text: 'hello', usage } },
    ])
    const session = await harness.backend.createSession(harness.options())
    expect(types(await run(session, 'one', 'first1'))).not.toContain('ContextNearingLimit')
    expect(find(await run(session, 'two', 'second'), 'ContextNearingLimit').data).toEqual({
      usedTokens: 161_000,
      contextWindow: 200_000,
    })
    expect(types(await run(session, 'three', 'third1'))).not.toContain('ContextNearingLimit')
  })

  it('stop a subagent that has spent the budget', async () => {
    const usage = { input_tokens: 2_000_000, output_tokens: 10 }
    const ask = { name: 'Agent', input: { description: 'ask', prompt: 'dig', subagent_type: 'general-purpose' } }
    const harness = await open([
      { when: { text: 'delegate' }, then: { tools: [ask] } },
      { repeat: true, when: { subagent: true }, then: { ...bash('sleep 0.2'), usage } },
      { repeat: true, then: { text: 'done' } },
    ])
    const limits = { maxTurns: 20, maxBudgetUsd: 1, maxDurationMs: 600_000 }
    const session = await harness.backend.createSession(harness.options({ limits }))
    expect(ended(await run(session, 'delegate', 'first1')).data.outcome).toBe('budget_limit')
    expect(harness.pids()).toEqual([])
    const asked = harness.requests().length
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(harness.requests()).toHaveLength(asked)
  })
})

describe('files on disk', () => {
  it('allow resuming a conversation after more than a month', async () => {
    const harness = await open([{ repeat: true, then: { text: 'hello' } }])
    const session = await harness.backend.createSession(harness.options())
    const resume = find(await run(session, 'remember the milk', 'first1'), 'AgentSessionStarted').data.backendSessionId
    await session.close()
    age(join(harness.dataDir, 'claude', 'ses_claudetest'), new Date(Date.now() - 40 * 86_400_000))
    const again = await harness.backend.createSession(harness.options({ resume }))
    await again.warm()
    const events = await run(again, 'what was it?', 'second')
    expect(find(events, 'AgentSessionStarted').data.backendSessionId).toBe(resume)
    expect(harness.conversations().at(-1)).toContain('remember the milk')
  })

  it('do not keep a message that an earlier process has seen from being answered', async () => {
    const harness = await open([{ repeat: true, then: { text: 'hello' } }])
    const session = await harness.backend.createSession(harness.options())
    const resume = find(await run(session, 'one', 'first1'), 'AgentSessionStarted').data.backendSessionId
    await session.close()
    const again = await harness.backend.createSession(harness.options({ resume }))
    expect(ended(await run(again, 'one', 'first1')).data.outcome).toBe('completed')
    expect(harness.requests()).toHaveLength(2)
    expect(messageUuid(umsg('first1'))).not.toBe(messageUuid(umsg('first1'), 1))
  })

  it('are removed with their session without following a link out of its folder', async () => {
    const harness = await open([{ repeat: true, then: { text: 'hello' } }])
    const session = await harness.backend.createSession(harness.options())
    await run(session, 'one', 'first1')
    await session.close()
    const claude = join(harness.dataDir, 'claude')
    const elsewhere = join(harness.root, 'elsewhere')
    mkdirSync(join(elsewhere, 'kept'), { recursive: true })
    symlinkSync(elsewhere, join(claude, 'ses_claudetest', 'config', 'a-link'))
    await harness.backend.forget(harness.options().sessionId)
    expect(readdirSync(claude)).toEqual(['scratch'])
    expect(readdirSync(elsewhere)).toEqual(['kept'])
  })
})

function age(path: string, to: Date): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) age(join(path, name), to)
  lutimesSync(path, to, to)
}
