// The engine's hooks on the real CLI: their inputs and their effects.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject, SessionId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { createHookPoints, type EngineHooks } from '../../../hooks/create-hook-points.ts'
import { createSessionHooks } from '../../../hooks/create-session-hooks.ts'
import type { HookEvent } from '../../../hooks/hook-event.ts'
import { silentLogger } from '../../../ports/logger.ts'
import type { ToolCall } from '../../../ports/tool-call.ts'
import { openRecordingProxy } from '../../../testing/recording-proxy.fixture.ts'
import { collect, ended, gateOf } from '../../contract/backend-events.contract.ts'
import { type ClaudeHarness, type ClaudeHarnessOptions, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const sessionId = 'ses_claudetest' as SessionId // a literal that matches the id's shape
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function open(options: ClaudeHarnessOptions): Promise<ClaudeHarness & { readonly hooks: EngineHooks }> {
  const harness = await openClaudeHarness(options)
  cleanups.push(harness.close)
  return { ...harness, hooks: createHookPoints({ logger: silentLogger }) }
}

const bash = (command: string) => ({ name: 'Bash', input: { command } })
const decision = (part: JsonObject) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...part } })

/** Listens to these events and records their inputs. */
function listen(hooks: EngineHooks, ...events: readonly HookEvent[]) {
  const received: { event: HookEvent; input: JsonObject }[] = []
  for (const event of events) hooks.on(event, (input) => void received.push({ event, input }))
  return received
}

describe('the events that hooks receive', () => {
  it('include prompt, call, result and stop of a turn with a tool', async () => {
    const harness = await open({ steps: [{ then: { tools: [bash('echo one')] } }, { then: { text: 'done' } }] })
    const received = listen(harness.hooks, 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop')
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks }))
    await collect(session.run('go', never))
    expect(received.map(({ event }) => event)).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'])
    expect(received[0]?.input).toMatchObject({ prompt: 'go' })
    expect(received[1]?.input).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'echo one' } })
    expect(JSON.stringify(received[2]?.input)).toContain('one')
  })

  it('include the start and end of a subagent', async () => {
    const prompt = { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' }
    const harness = await open({
      steps: [
        { when: { subagent: true }, then: { text: 'looked' } },
        { when: { text: 'go' }, then: { tools: [{ name: 'Agent', input: prompt }] } },
        { then: { text: 'done' } },
      ],
    })
    const received = listen(harness.hooks, 'SubagentStart', 'SubagentStop')
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks }))
    await collect(session.run('go', never))
    expect(received.map(({ event }) => event)).toEqual(['SubagentStart', 'SubagentStop'])
    expect(received[0]?.input).toMatchObject({ agent_type: 'general-purpose' })
  })

  it('include a compaction', async () => {
    const harness = await open({ steps: [{ repeat: true, then: { text: 'so far so good' } }] })
    const received = listen(harness.hooks, 'PreCompact')
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks }))
    await collect(session.run('one', never))
    await collect(session.run('/compact', never))
    expect(received).toMatchObject([{ event: 'PreCompact', input: { trigger: 'manual' } }])
  })
})

describe('a hook', () => {
  it('can add context to a prompt, after the context of the session start', async () => {
    const harness = await open({ steps: [{ repeat: true, then: { text: 'yes' } }] })
    const add = (hookEventName: HookEvent, additionalContext: string) => () => ({
      hookSpecificOutput: { hookEventName, additionalContext },
    })
    harness.hooks.on('SessionStart', add('SessionStart', 'the rules of the house'))
    harness.hooks.on('UserPromptSubmit', add('UserPromptSubmit', 'today is a Sunday'))
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const { modelAccess } = harness.options()
    if (modelAccess.type !== 'gateway') throw new Error('the world has no address for its model')
    const model = await openRecordingProxy(modelAccess.baseUrl)
    cleanups.push(model.close)
    const options = harness.options({ hooks, modelAccess: { ...modelAccess, baseUrl: model.url } })
    const session = await harness.backend.createSession(options)
    await hooks.started({ source: 'startup', cwd: harness.cwd, model: 'some-model' })
    await collect(session.run('go', never))
    const asked = model.bodies().join()
    expect(asked).toContain('the rules of the house')
    expect(asked).toContain('today is a Sunday')
  })

  it('can refuse a call, with a reason for the model', async () => {
    const harness = await open({ steps: [{ then: { tools: [bash('touch made')] } }, { then: { text: 'a pity' } }] })
    harness.hooks.on('PreToolUse', () => decision({ permissionDecision: 'deny', permissionDecisionReason: 'not now' }))
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks }))
    const result = ended(await collect(session.run('go', never))).data.result
    expect(result.toolResults).toMatchObject([{ isError: true, result: expect.stringContaining('not now') }])
  })

  it('can refuse a call or hide a result even if its other fields are empty', async () => {
    const steps = [{ then: { tools: [bash('touch made'), bash('echo KEY NAME')] } }, { then: { text: 'done' } }]
    const harness = await open({ steps })
    harness.hooks.on('PreToolUse', ({ tool_input }) =>
      JSON.stringify(tool_input).includes('touch')
        ? { systemMessage: null, async: true, hookSpecificOutput: { permissionDecision: 'deny' } }
        : { stopReason: null },
    )
    const hide = (what: string) => (input: JsonObject) => {
      const shown: JsonObject = Object(input.tool_response)
      const updatedToolOutput = { ...shown, stdout: String(shown.stdout).replace(what, '***') }
      return { decision: null, hookSpecificOutput: { updatedToolOutput, additionalContext: null } }
    }
    for (const what of ['KEY', 'NAME']) harness.hooks.on('PostToolUse', hide(what))
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks }))
    const { toolResults } = await session.send('go')
    expect(toolResults.map(({ result }) => result).sort()).toEqual(['*** ***', 'Bash was refused by a hook.'])
    expect(existsSync(join(harness.cwd, 'made'))).toBe(false)
  })

  it('can change an input, which the gate checks again', async () => {
    const harness = await open({
      steps: [{ then: { tools: [bash('echo one'), bash('echo bad')] } }, { then: { text: 'done' } }],
    })
    harness.hooks.on('PreToolUse', ({ tool_input }) => {
      const isFirst = JSON.stringify(tool_input).includes('one')
      return decision({ updatedInput: { command: isFirst ? 'echo other' : 'echo forbidden' } })
    })
    const gate = gateOf({
      check: async ({ toolInput }) =>
        toolInput.command === 'echo forbidden'
          ? { type: 'deny', message: 'the gate says no' }
          : { type: 'allow', input: toolInput },
    })
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks, gate }))
    const { toolResults } = ended(await collect(session.run('go', never))).data.result
    const outputs = toolResults.map(({ result }) => result).sort()
    expect(outputs).toEqual(['other', 'the gate says no'])
  })

  it('can require approval of a call that the rules allow, and the person sees the changed input', async () => {
    const harness = await open({ steps: [{ then: { tools: [bash('echo one')] } }, { then: { text: 'done' } }] })
    const reason = 'this one is delicate'
    harness.hooks.on('PreToolUse', () =>
      decision({
        permissionDecision: 'ask',
        permissionDecisionReason: reason,
        updatedInput: { command: 'echo changed' },
      }),
    )
    const asked: [ToolCall['toolInput'], string | undefined][] = []
    const gate = gateOf({
      ask: async (call, _signal, because) => {
        asked.push([call.toolInput, because])
        return { type: 'allow', input: call.toolInput }
      },
    })
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks, gate }))
    const { toolResults } = ended(await collect(session.run('go', never))).data.result
    expect(asked).toEqual([[{ command: 'echo changed' }, reason]])
    expect(toolResults).toMatchObject([{ isError: false, result: 'changed' }])
  })

  it('cannot lift a denial of the gate and is not run for it', async () => {
    const harness = await open({ steps: [{ then: { tools: [bash('echo one')] } }, { then: { text: 'a pity' } }] })
    const received = listen(harness.hooks, 'PreToolUse')
    harness.hooks.on('PreToolUse', () => decision({ permissionDecision: 'allow' }))
    const gate = gateOf({ check: async () => ({ type: 'deny', message: 'the gate says no' }) })
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks, gate }))
    const { toolResults } = ended(await collect(session.run('go', never))).data.result
    expect(toolResults).toMatchObject([{ isError: true, result: expect.stringContaining('the gate says no') }])
    expect(received).toEqual([])
  })

  it('can make the agent continue when it would stop', async () => {
    const harness = await open({
      steps: [
        { when: { text: 'go' }, then: { text: 'done' } },
        { when: { text: 'not yet' }, then: { text: 'now it is' } },
      ],
    })
    let times = 0
    harness.hooks.on('Stop', () => {
      times += 1
      return times === 1 ? { decision: 'block', reason: 'not yet: check it once more' } : {}
    })
    const hooks = createSessionHooks(harness.hooks, sessionId)
    const session = await harness.backend.createSession(harness.options({ hooks }))
    expect(ended(await collect(session.run('go', never))).data.result.response).toContain('now it is')
  })
})

describe('an input that was emptied', () => {
  const steps = [{ then: { tools: [bash('echo original > proof')] } }, { then: { text: 'done' } }]
  const nothing = async () => ({ type: 'allow' as const, input: {} })

  it.each([
    ['the rules', gateOf({ check: nothing }), 'parameter `command` is missing'],
    ['a person', gateOf({ check: async () => ({ type: 'ask' }), ask: nothing }), 'cannot be run with an empty input'],
  ])('never runs as the model requested it: %s', async (_, gate, words) => {
    const harness = await open({ steps })
    const session = await harness.backend.createSession(harness.options({ gate }))
    const { toolResults } = await session.send('hi')
    expect(toolResults).toMatchObject([{ isError: true, result: expect.stringContaining(words) }])
    expect(existsSync(join(harness.cwd, 'proof'))).toBe(false)
  })
})
