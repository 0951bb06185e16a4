// Calls of tools in the loop, on both wires.
import type { JsonObject } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import type { BackendEvent, ClientToolbox, HookPoints, PersonAsker, SessionOptions } from '../backend.ts'
import { collect, durable, ended, find, gateOf, types } from '../backend-events.contract.ts'
import { never } from '../contract-world.contract.ts'
import { createHookCalls } from './hook-calls.ts'
import { type LoopWorld, type LoopWorldOptions, openLoopWorld, wires } from './testing/loop-world.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'
import { callTools } from './tools/call-tools.ts'

const worlds: LoopWorld[] = []
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()))
})

async function open(options: LoopWorldOptions, overrides: Partial<SessionOptions> = {}) {
  const world = await openLoopWorld(options)
  worlds.push(world)
  return { world, session: await world.backend.createSession(world.options(overrides)) }
}

const calls = (...names: string[]) => ({ then: { tools: names.map((name) => ({ name, input: {} })) } })
const done = { then: { text: 'done' } }

const hooksOf = (answers: Record<string, (input: JsonObject) => JsonObject>): HookPoints => ({
  isHeard: (event) => event in answers,
  run: async (event, input) => answers[event]?.(input) ?? {},
})

describe.each(wires)('tools on the %s wire', (wire) => {
  it('runs the calls of one message side by side and gives their results back in the order of the calls', async () => {
    let release: () => void = () => undefined
    const second = new Promise<void>((resolve) => (release = resolve))
    const hostTools = toolboxOf({
      // Ends only when the other has begun: one after the other would wait for ever.
      mcp__tools__slow: async () => second.then(() => ({ output: 'slow', isError: false })),
      mcp__tools__quick: async () => {
        release()
        return { output: 'quick', isError: false }
      },
    })
    const steps = [calls('mcp__tools__slow', 'mcp__tools__quick'), done]
    const { world, session } = await open({ wire, steps }, { hostTools })
    await session.send('go')
    const told = JSON.stringify(world.requests()[1]?.messages)
    expect(told.indexOf('slow"')).toBeGreaterThan(0)
    expect(told.lastIndexOf('"slow"')).toBeLessThan(told.lastIndexOf('"quick"'))
  })

  it('tells the model that a tool it was not offered does not exist', async () => {
    const { session } = await open({ wire, steps: [calls('mcp__tools__nothing'), done] })
    const result = await session.send('go')
    expect(result.toolResults).toEqual([
      expect.objectContaining({ isError: true, result: 'There is no tool "mcp__tools__nothing".' }),
    ])
    expect(result.response).toBe('done')
  })

  it('cuts a result that would crowd out the conversation, and says so', async () => {
    const hostTools = toolboxOf({ mcp__tools__long: says('x'.repeat(150_000)) })
    const { session } = await open({ wire, steps: [calls('mcp__tools__long'), done] }, { hostTools })
    const result = await session.send('go')
    expect(result.toolResults[0]?.result).toMatch(/x\n\[cut: 50000 more letters\]$/)
  })

  it('makes a tool that throws an error result', async () => {
    const hostTools = toolboxOf({ mcp__tools__broken: () => Promise.reject(new Error('out of paper')) })
    const { session } = await open({ wire, steps: [calls('mcp__tools__broken'), done] }, { hostTools })
    const [first] = (await session.send('go')).toolResults
    expect(first).toMatchObject({ isError: true, result: 'mcp__tools__broken failed: out of paper' })
  })

  it('shows the model the pictures of a message and of a tool', async () => {
    const image = { mediaType: 'image/png', data: 'aWNvbg==' } as const
    const hostTools = toolboxOf({
      mcp__tools__draw: async () => ({ output: 'drawn', isError: false, images: [image] }),
    })
    const { world, session } = await open({ wire, steps: [calls('mcp__tools__draw'), done] }, { hostTools })
    await collect(session.run({ text: 'like this', images: [image] }, never))
    const [asked, answered] = world.requests().map(({ messages }) => JSON.stringify(messages))
    expect(asked?.match(/aWNvbg==/g)).toHaveLength(1)
    expect(answered?.match(/aWNvbg==/g)).toHaveLength(2)
    if (wire === 'openai') expect(asked).toContain('data:image/png;base64,aWNvbg==')
    else expect(asked).toContain('"media_type":"image/png"')
  })

  it('gives a call of a client’s tool to the client', async () => {
    const seen: JsonObject[] = []
    const clientTools: ClientToolbox = {
      list: () => [{ name: 'locate', description: 'Where am I?', inputSchema: { type: 'object', properties: {} } }],
      onChange: () => () => undefined,
      call: async ({ toolInput }) => {
        seen.push(toolInput)
        return { output: 'Vienna', isError: false }
      },
    }
    const step = { then: { tools: [{ name: 'mcp__client__locate', input: { precise: true } }] } }
    const { session } = await open({ wire, steps: [step, done] }, { clientTools })
    expect((await session.send('go')).toolResults[0]?.result).toBe('Vienna')
    expect(seen).toEqual([{ precise: true }])
  })

  it('asks a person the questions of the agent, where somebody can answer', async () => {
    const questions: PersonAsker = {
      ask: async ({ items }) => ({
        type: 'answered',
        answers: { [items[0]?.question ?? '']: ['red', 'blue'] },
        note: 'both please',
      }),
    }
    const input = { questions: [{ question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] }] }
    const steps = [{ then: { tools: [{ name: 'AskUserQuestion', input }] } }, done]
    const { session } = await open({ wire, steps, backend: { canAsk: true } }, { questions })
    const { toolResults } = await session.send('go')
    expect(toolResults[0]?.result).toContain('"Which colour?" = "red, blue"')
    expect(toolResults[0]?.result).toContain('both please')
  })

  it('does not offer a question that nobody can hear', async () => {
    const { world, session } = await open({ wire, steps: [done] })
    await session.send('go')
    expect(JSON.stringify(world.requests()[0]?.tools)).not.toContain('AskUserQuestion')
  })

  it('tells the tools and servers it has when it starts', async () => {
    const hostTools = toolboxOf({ mcp__tools__look: says('seen') })
    const { session } = await open({ wire, steps: [done] }, { hostTools })
    const { data } = find(await collect(session.run('hi', never)), 'AgentSessionStarted')
    expect(data.tools).toEqual(['mcp__tools__look'])
    expect(data.mcpServers).toEqual([{ name: 'tools', status: 'connected' }])
  })

  it('stops the calls of an interrupted turn without waiting for them', async () => {
    let isCalled: () => void = () => undefined
    const called = new Promise<void>((resolve) => (isCalled = resolve))
    const hostTools = toolboxOf({
      mcp__tools__forever: () => {
        isCalled()
        return new Promise(() => undefined)
      },
    })
    const { world, session } = await open({ wire, steps: [calls('mcp__tools__forever'), done] }, { hostTools })
    const running = collect(session.run('go', never))
    await called
    await session.interrupt()
    const events = await running
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(find(events, 'ToolExecuted').data).toMatchObject({ isError: true, withoutResult: true })
    // The conversation stays one that providers take: every call has its result.
    expect((await session.send('and now?')).response).toBe('done')
    expect(JSON.stringify(world.requests()[1]?.messages)).toContain('stopped with its turn')
  })
})

const keep = async () => undefined

it('tells the model that its input is no JSON object, and runs nothing', async () => {
  const told: BackendEvent[] = []
  const world = await openLoopWorld({ wire: 'anthropic', steps: [done] })
  worlds.push(world)
  const session = world.options({ hostTools: toolboxOf({ mcp__tools__look: says('seen') }) })
  const { hooks, cwd } = session
  const hookCalls = createHookCalls({ hooks, cwd, sessionId: 's', transcript: '', permissionMode: () => 'manual' })
  const around = { session, hookCalls, offered: new Set(['mcp__tools__look']), signal: never, now: () => 0, keep }
  const tell = (event: BackendEvent) => {
    told.push(event)
    return null
  }
  const call = {
    type: 'call',
    toolUseId: 'a',
    toolName: 'mcp__tools__look',
    toolInput: {},
    unreadable: '{"x": ',
  } as const
  const results = await callTools({ ...around, tell, onDenied: () => undefined, onStopped: () => undefined }, [call])
  expect(results).toMatchObject([{ isError: true, output: 'The input is not a JSON object: {"x": ' }])
  expect(find(told, 'ToolExecuted').data.isError).toBe(true)
})

it('begins nothing for a turn that has been stopped', async () => {
  const begun: string[] = []
  const world = await openLoopWorld({ wire: 'anthropic', steps: [done] })
  worlds.push(world)
  const fails = async (what: string): Promise<never> => {
    begun.push(what)
    throw new Error('nobody hears this')
  }
  const session = world.options({ gate: gateOf({ check: () => fails('check') }) })
  const { hooks, cwd } = session
  const hookCalls = createHookCalls({ hooks, cwd, sessionId: 's', transcript: '', permissionMode: () => 'manual' })
  const around = { session, hookCalls, offered: new Set(['Bash']), signal: AbortSignal.abort(), now: () => 0, keep }
  const call = { type: 'call', toolUseId: 'a', toolName: 'Bash', toolInput: {}, unreadable: null } as const
  const results = await callTools(
    { ...around, tell: () => null, onDenied: () => undefined, onStopped: () => undefined },
    [call],
  )
  expect(results).toMatchObject([{ isError: true, output: 'The call was stopped with its turn.' }])
  expect(begun).toEqual([])
})

describe('hooks in the loop', () => {
  const wire = 'anthropic'
  const look = toolboxOf({
    mcp__tools__look: async ({ toolInput }) => ({ output: JSON.stringify(toolInput), isError: false }),
  })

  it('PreToolUse refuses a call, and changes the input of one, which the gate judges again', async () => {
    const judged: JsonObject[] = []
    const gate = gateOf({
      check: async ({ toolInput }) => {
        judged.push(toolInput)
        return { type: 'allow', input: toolInput }
      },
    })
    const updatedInput = { where: 'here' }
    const hooks = hooksOf({ PreToolUse: () => ({ hookSpecificOutput: { updatedInput } }) })
    const { session } = await open({ wire, steps: [calls('mcp__tools__look'), done] }, { hostTools: look, gate, hooks })
    expect((await session.send('go')).toolResults[0]?.result).toBe('{"where":"here"}')
    expect(judged).toEqual([{}, updatedInput])
    const refusing = hooksOf({ PreToolUse: () => ({ decision: 'block', reason: 'not now' }) })
    const other = await open({ wire, steps: [calls('mcp__tools__look'), done] }, { hostTools: look, hooks: refusing })
    const events = await collect(other.session.run('go', never))
    expect(find(events, 'ToolExecuted').data).toMatchObject({ output: 'not now', isError: true, withoutResult: true })
    expect(ended(events).data.permissionDenials).toMatchObject([{ tool_name: 'mcp__tools__look' }])
  })

  it('PreToolUse ends the turn where it says so, and the call is not run', async () => {
    const hooks = hooksOf({ PreToolUse: () => ({ continue: false, stopReason: 'enough for today' }) })
    const { world, session } = await open(
      { wire, steps: [calls('mcp__tools__look'), done] },
      { hostTools: look, hooks },
    )
    const events = await collect(session.run('go', never))
    expect(find(events, 'ToolExecuted').data).toMatchObject({ output: 'enough for today', withoutResult: true })
    expect(ended(events).data).toMatchObject({ outcome: 'failed', result: { errorReason: 'enough for today' } })
    expect(world.requests()).toHaveLength(1)
  })

  it('PostToolUse adds to a result, and PostToolUseFailure hears of a failure, with the SDK’s inputs', async () => {
    const heard: JsonObject[] = []
    const hooks = hooksOf({
      PostToolUse: (input) => {
        heard.push(input)
        return { hookSpecificOutput: { additionalContext: 'mind the date' } }
      },
      PostToolUseFailure: (input) => {
        heard.push(input)
        return {}
      },
    })
    const hostTools = toolboxOf({ mcp__tools__look: says('seen'), mcp__tools__fail: says('blind', true) })
    const steps = [calls('mcp__tools__look', 'mcp__tools__fail'), done]
    const { session } = await open({ wire, steps }, { hostTools, hooks })
    expect((await session.send('go')).toolResults.map(({ result }) => result).sort()).toEqual([
      'blind',
      'seen\n\nmind the date',
    ])
    const common = { session_id: 'ses_looptest', cwd: expect.any(String), tool_use_id: expect.any(String) }
    expect(heard).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...common, hook_event_name: 'PostToolUse', tool_response: 'seen' }),
        expect.objectContaining({ ...common, hook_event_name: 'PostToolUseFailure', error: 'blind' }),
      ]),
    )
  })

  it('UserPromptSubmit adds to a message, or refuses it', async () => {
    const context = { hookSpecificOutput: { additionalContext: 'it is Sunday' } }
    const hooks = hooksOf({
      UserPromptSubmit: ({ prompt }) => (prompt === 'no' ? { decision: 'block', reason: 'bad word' } : context),
    })
    const { world, session } = await open({ wire, steps: [done] }, { hooks })
    await session.send('hi')
    expect(JSON.stringify(world.requests()[0]?.messages)).toContain('it is Sunday')
    expect(await session.send('no')).toMatchObject({ isError: true, errorReason: 'bad word' })
    expect(world.requests()).toHaveLength(1)
  })

  it('Stop keeps the turn going with its reason, and hears that it already did', async () => {
    const active: unknown[] = []
    const hooks = hooksOf({
      Stop: ({ stop_hook_active }) => {
        active.push(stop_hook_active)
        return stop_hook_active === true ? {} : { decision: 'block', reason: 'run the tests first' }
      },
    })
    const { world, session } = await open({ wire, steps: [done, { then: { text: 'tested' } }] }, { hooks })
    const events = await collect(session.run('go', never))
    expect(ended(events).data.result.response).toBe('tested')
    expect(JSON.stringify(world.requests()[1]?.messages)).toContain('run the tests first')
    expect(active).toEqual([false, true])
    expect(types(durable(events)).filter((type) => type === 'AgentThought')).toHaveLength(2)
  })
})
