// Calls of tools in the loop, on both wires.
import type { JsonObject } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { BackendEvent, ClientToolCaller, QuestionAsker } from '../backend.ts'
import { collect, ended, find, gateOf } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { wires } from './testing/loop-harness.fixture.ts'
import { openHarness, openLoop } from './testing/open-loop.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'
import { callTools } from './tools/call-tools.ts'
import { createHookCalls } from './tools/hook-calls.ts'

const calls = (...names: string[]) => ({ then: { tools: names.map((name) => ({ name, input: {} })) } })
const done = { then: { text: 'done' } }

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
    const { harness, session } = await openLoop({ wire, steps }, { hostTools })
    await session.send('go')
    const told = JSON.stringify(harness.requests()[1]?.messages)
    expect(told.indexOf('slow"')).toBeGreaterThan(0)
    expect(told.lastIndexOf('"slow"')).toBeLessThan(told.lastIndexOf('"quick"'))
  })

  it('tells the model that a tool it was not offered does not exist', async () => {
    const { session } = await openLoop({ wire, steps: [calls('mcp__tools__nothing'), done] })
    const result = await session.send('go')
    expect(result.toolResults).toEqual([
      expect.objectContaining({ isError: true, result: 'There is no tool "mcp__tools__nothing".' }),
    ])
    expect(result.response).toBe('done')
  })

  it('cuts a result that would crowd out the conversation, and says so', async () => {
    const hostTools = toolboxOf({ mcp__tools__long: says('x'.repeat(150_000)) })
    const { session } = await openLoop({ wire, steps: [calls('mcp__tools__long'), done] }, { hostTools })
    const result = await session.send('go')
    expect(result.toolResults[0]?.result).toMatch(/x\n\[cut: 50000 more letters\]$/)
  })

  it('makes a tool that throws an error result', async () => {
    const hostTools = toolboxOf({ mcp__tools__broken: () => Promise.reject(new Error('out of paper')) })
    const { session } = await openLoop({ wire, steps: [calls('mcp__tools__broken'), done] }, { hostTools })
    const [first] = (await session.send('go')).toolResults
    expect(first).toMatchObject({ isError: true, result: 'mcp__tools__broken failed: out of paper' })
  })

  it('shows the model the pictures of a message and of a tool', async () => {
    const image = { mediaType: 'image/png', data: 'aWNvbg==' } as const
    const hostTools = toolboxOf({
      mcp__tools__draw: async () => ({ output: 'drawn', isError: false, images: [image] }),
    })
    const { harness, session } = await openLoop({ wire, steps: [calls('mcp__tools__draw'), done] }, { hostTools })
    await collect(session.run({ text: 'like this', images: [image] }, never))
    const [asked, answered] = harness.requests().map(({ messages }) => JSON.stringify(messages))
    expect(asked?.match(/aWNvbg==/g)).toHaveLength(1)
    expect(answered?.match(/aWNvbg==/g)).toHaveLength(2)
    if (wire === 'openai') expect(asked).toContain('data:image/png;base64,aWNvbg==')
    else expect(asked).toContain('"media_type":"image/png"')
  })

  it('gives a call of a client’s tool to the client', async () => {
    const seen: JsonObject[] = []
    const clientTools: ClientToolCaller = {
      list: () => [{ name: 'locate', description: 'Where am I?', inputSchema: { type: 'object', properties: {} } }],
      onChange: () => () => undefined,
      call: async ({ toolInput }) => {
        seen.push(toolInput)
        return { output: 'Vienna', isError: false }
      },
    }
    const step = { then: { tools: [{ name: 'mcp__client__locate', input: { precise: true } }] } }
    const { session } = await openLoop({ wire, steps: [step, done] }, { clientTools })
    expect((await session.send('go')).toolResults[0]?.result).toBe('Vienna')
    expect(seen).toEqual([{ precise: true }])
  })

  it('asks a person the questions of the agent, where somebody can answer', async () => {
    const questions: QuestionAsker = {
      ask: async ({ items }) => ({
        type: 'answered',
        answers: { [items[0]?.question ?? '']: ['red', 'blue'] },
        note: 'both please',
      }),
    }
    const input = { questions: [{ question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] }] }
    const steps = [{ then: { tools: [{ name: 'AskUserQuestion', input }] } }, done]
    const { session } = await openLoop({ wire, steps, backend: { canAsk: true } }, { questions })
    const { toolResults } = await session.send('go')
    expect(toolResults[0]?.result).toContain('"Which colour?" = "red, blue"')
    expect(toolResults[0]?.result).toContain('both please')
  })

  it('does not offer a question that nobody can hear', async () => {
    const { harness, session } = await openLoop({ wire, steps: [done] })
    await session.send('go')
    expect(JSON.stringify(harness.requests()[0]?.tools)).not.toContain('AskUserQuestion')
  })

  it('tells the tools and servers it has when it starts', async () => {
    const hostTools = toolboxOf({ mcp__tools__look: says('seen') })
    const { session } = await openLoop({ wire, steps: [done] }, { hostTools })
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
    const { harness, session } = await openLoop({ wire, steps: [calls('mcp__tools__forever'), done] }, { hostTools })
    const running = collect(session.run('go', never))
    await called
    await session.interrupt()
    const events = await running
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(find(events, 'ToolExecuted').data).toMatchObject({ isError: true, withoutResult: true })
    // The conversation stays one that providers take: every call has its result.
    expect((await session.send('and now?')).response).toBe('done')
    expect(JSON.stringify(harness.requests()[1]?.messages)).toContain('stopped with its turn')
  })
})

const keep = async () => undefined

it('tells the model that its input is no JSON object, and runs nothing', async () => {
  const told: BackendEvent[] = []
  const harness = await openHarness({ wire: 'anthropic', steps: [done] })
  const session = harness.options({ hostTools: toolboxOf({ mcp__tools__look: says('seen') }) })
  const { hooks, cwd } = session
  const hookCalls = createHookCalls({ hooks, cwd, sessionId: 's', transcript: '', permissionMode: () => 'manual' })
  const around = { session, hookCalls, offered: new Set(['mcp__tools__look']), signal: never, now: () => 0, keep }
  const emit = (event: BackendEvent) => {
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
  const results = await callTools({ ...around, emit, onDenied: () => undefined, onStopped: () => undefined }, [call])
  expect(results).toMatchObject([{ isError: true, output: 'The input is not a JSON object: {"x": ' }])
  expect(find(told, 'ToolExecuted').data.isError).toBe(true)
})

it('begins nothing for a turn that has been stopped', async () => {
  const begun: string[] = []
  const harness = await openHarness({ wire: 'anthropic', steps: [done] })
  const fails = async (what: string): Promise<never> => {
    begun.push(what)
    throw new Error('nobody hears this')
  }
  const session = harness.options({ gate: gateOf({ check: () => fails('check') }) })
  const { hooks, cwd } = session
  const hookCalls = createHookCalls({ hooks, cwd, sessionId: 's', transcript: '', permissionMode: () => 'manual' })
  const around = { session, hookCalls, offered: new Set(['Bash']), signal: AbortSignal.abort(), now: () => 0, keep }
  const call = { type: 'call', toolUseId: 'a', toolName: 'Bash', toolInput: {}, unreadable: null } as const
  const results = await callTools(
    { ...around, emit: () => null, onDenied: () => undefined, onStopped: () => undefined },
    [call],
  )
  expect(results).toMatchObject([{ isError: true, output: 'The call was stopped with its turn.' }])
  expect(begun).toEqual([])
})
