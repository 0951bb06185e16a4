// The hook points on the real CLI: what it tells, and what a hook can do about it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject, SessionId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { createHookPoints, type EngineHooks } from '../../hooks/create-hook-points.ts'
import { createSessionHooks } from '../../hooks/create-session-hooks.ts'
import type { HookEvent } from '../../hooks/hook-event.ts'
import { overhear } from '../../sessions/overhearing-model.fixture.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import type { ToolCall } from '../backend.ts'
import { collect, ended, gateOf } from '../backend-events.contract.ts'
import { type ClaudeWorld, openClaudeWorld, type WorldOptions } from './testing/claude-world.fixture.ts'

const never = new AbortController().signal
const sessionId = 'ses_claudetest' as SessionId // a literal that matches the id's shape
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function open(options: WorldOptions): Promise<ClaudeWorld & { readonly hooks: EngineHooks }> {
  const world = await openClaudeWorld(options)
  cleanups.push(world.close)
  return { ...world, hooks: createHookPoints({ logger: silentLogger }) }
}

const bash = (command: string) => ({ name: 'Bash', input: { command } })
const decision = (part: JsonObject) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...part } })

/** Listens to these events and keeps what each of them tells. */
function listen(hooks: EngineHooks, ...events: readonly HookEvent[]) {
  const heard: { event: HookEvent; input: JsonObject }[] = []
  for (const event of events) hooks.on(event, (input) => void heard.push({ event, input }))
  return heard
}

describe('what hooks hear', () => {
  it('a turn with a tool: prompt, call, result, stop', async () => {
    const world = await open({ steps: [{ then: { tools: [bash('echo one')] } }, { then: { text: 'done' } }] })
    const heard = listen(world.hooks, 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop')
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks }))
    await collect(session.run('go', never))
    expect(heard.map(({ event }) => event)).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'])
    expect(heard[0]?.input).toMatchObject({ prompt: 'go' })
    expect(heard[1]?.input).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'echo one' } })
    expect(JSON.stringify(heard[2]?.input)).toContain('one')
  })

  it('a subagent’s beginning and end', async () => {
    const prompt = { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' }
    const world = await open({
      steps: [
        { when: { subagent: true }, then: { text: 'looked' } },
        { when: { text: 'go' }, then: { tools: [{ name: 'Agent', input: prompt }] } },
        { then: { text: 'done' } },
      ],
    })
    const heard = listen(world.hooks, 'SubagentStart', 'SubagentStop')
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks }))
    await collect(session.run('go', never))
    expect(heard.map(({ event }) => event)).toEqual(['SubagentStart', 'SubagentStop'])
    expect(heard[0]?.input).toMatchObject({ agent_type: 'general-purpose' })
  })

  it('a compaction', async () => {
    const world = await open({ steps: [{ repeat: true, then: { text: 'so far so good' } }] })
    const heard = listen(world.hooks, 'PreCompact')
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks }))
    await collect(session.run('one', never))
    await collect(session.run('/compact', never))
    expect(heard).toMatchObject([{ event: 'PreCompact', input: { trigger: 'manual' } }])
  })
})

describe('what hooks can do', () => {
  it('add to a prompt, and what a start adds stands before the first one', async () => {
    const world = await open({ steps: [{ repeat: true, then: { text: 'yes' } }] })
    const add = (hookEventName: HookEvent, additionalContext: string) => () => ({
      hookSpecificOutput: { hookEventName, additionalContext },
    })
    world.hooks.on('SessionStart', add('SessionStart', 'the rules of the house'))
    world.hooks.on('UserPromptSubmit', add('UserPromptSubmit', 'today is a Sunday'))
    const hooks = createSessionHooks(world.hooks, sessionId)
    const { modelAccess } = world.options()
    if (modelAccess.type !== 'gateway') throw new Error('the world has no address for its model')
    const model = await overhear(modelAccess.baseUrl)
    cleanups.push(model.close)
    const options = world.options({ hooks, modelAccess: { ...modelAccess, baseUrl: model.url } })
    const session = await world.backend.createSession(options)
    await hooks.started({ source: 'startup', cwd: world.cwd, model: 'some-model' })
    await collect(session.run('go', never))
    const asked = model.bodies().join()
    expect(asked).toContain('the rules of the house')
    expect(asked).toContain('today is a Sunday')
  })

  it('refuse a call, with a reason for the model', async () => {
    const world = await open({ steps: [{ then: { tools: [bash('touch made')] } }, { then: { text: 'a pity' } }] })
    world.hooks.on('PreToolUse', () => decision({ permissionDecision: 'deny', permissionDecisionReason: 'not now' }))
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks }))
    const result = ended(await collect(session.run('go', never))).data.result
    expect(result.toolResults).toMatchObject([{ isError: true, result: expect.stringContaining('not now') }])
  })

  it('refuse a call, or hide a result, whatever they leave empty beside it', async () => {
    const steps = [{ then: { tools: [bash('touch made'), bash('echo KEY NAME')] } }, { then: { text: 'done' } }]
    const world = await open({ steps })
    world.hooks.on('PreToolUse', ({ tool_input }) =>
      JSON.stringify(tool_input).includes('touch')
        ? { systemMessage: null, async: true, hookSpecificOutput: { permissionDecision: 'deny' } }
        : { stopReason: null },
    )
    const hide = (what: string) => (input: JsonObject) => {
      const shown: JsonObject = Object(input.tool_response)
      const updatedToolOutput = { ...shown, stdout: String(shown.stdout).replace(what, '***') }
      return { decision: null, hookSpecificOutput: { updatedToolOutput, additionalContext: null } }
    }
    for (const what of ['KEY', 'NAME']) world.hooks.on('PostToolUse', hide(what))
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks }))
    const { toolResults } = await session.send('go')
    expect(toolResults.map(({ result }) => result).sort()).toEqual(['*** ***', 'Bash was refused by a hook.'])
    expect(existsSync(join(world.cwd, 'made'))).toBe(false)
  })

  it('change an input, which the gate then judges again', async () => {
    const world = await open({
      steps: [{ then: { tools: [bash('echo one'), bash('echo bad')] } }, { then: { text: 'done' } }],
    })
    world.hooks.on('PreToolUse', ({ tool_input }) => {
      const isFirst = JSON.stringify(tool_input).includes('one')
      return decision({ updatedInput: { command: isFirst ? 'echo other' : 'echo forbidden' } })
    })
    const gate = gateOf({
      check: async ({ toolInput }) =>
        toolInput.command === 'echo forbidden'
          ? { type: 'deny', message: 'the gate says no' }
          : { type: 'allow', input: toolInput },
    })
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks, gate }))
    const { toolResults } = ended(await collect(session.run('go', never))).data.result
    const said = toolResults.map(({ result }) => result).sort()
    expect(said).toEqual(['other', 'the gate says no'])
  })

  it('want a person for a call that the rules let through, and the person sees the changed input', async () => {
    const world = await open({ steps: [{ then: { tools: [bash('echo one')] } }, { then: { text: 'done' } }] })
    const reason = 'this one is delicate'
    world.hooks.on('PreToolUse', () =>
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
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks, gate }))
    const { toolResults } = ended(await collect(session.run('go', never))).data.result
    expect(asked).toEqual([[{ command: 'echo changed' }, reason]])
    expect(toolResults).toMatchObject([{ isError: false, result: 'changed' }])
  })

  it('not lift what the gate refuses: they are not even asked', async () => {
    const world = await open({ steps: [{ then: { tools: [bash('echo one')] } }, { then: { text: 'a pity' } }] })
    const heard = listen(world.hooks, 'PreToolUse')
    world.hooks.on('PreToolUse', () => decision({ permissionDecision: 'allow' }))
    const gate = gateOf({ check: async () => ({ type: 'deny', message: 'the gate says no' }) })
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks, gate }))
    const { toolResults } = ended(await collect(session.run('go', never))).data.result
    expect(toolResults).toMatchObject([{ isError: true, result: expect.stringContaining('the gate says no') }])
    expect(heard).toEqual([])
  })

  it('make the agent go on when it would stop', async () => {
    const world = await open({
      steps: [
        { when: { text: 'go' }, then: { text: 'done' } },
        { when: { text: 'not yet' }, then: { text: 'now it is' } },
      ],
    })
    let times = 0
    world.hooks.on('Stop', () => {
      times += 1
      return times === 1 ? { decision: 'block', reason: 'not yet: check it once more' } : {}
    })
    const hooks = createSessionHooks(world.hooks, sessionId)
    const session = await world.backend.createSession(world.options({ hooks }))
    expect(ended(await collect(session.run('go', never))).data.result.response).toContain('now it is')
  })
})

describe('an input of which nothing was left', () => {
  const steps = [{ then: { tools: [bash('echo original > proof')] } }, { then: { text: 'done' } }]
  const nothing = async () => ({ type: 'allow' as const, input: {} })

  it.each([
    ['the rules', gateOf({ check: nothing }), 'parameter `command` is missing'],
    ['a person', gateOf({ check: async () => ({ type: 'ask' }), ask: nothing }), 'cannot be run with an empty input'],
  ])('never runs as it was asked for, whoever it was: %s', async (_, gate, words) => {
    const world = await open({ steps })
    const session = await world.backend.createSession(world.options({ gate }))
    const { toolResults } = await session.send('hi')
    expect(toolResults).toMatchObject([{ isError: true, result: expect.stringContaining(words) }])
    expect(existsSync(join(world.cwd, 'proof'))).toBe(false)
  })
})
