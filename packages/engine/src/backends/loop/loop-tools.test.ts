// Tool calls in the loop, on both wires.
import type { JsonObject } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { QuestionAsker } from '../../ports/question-asker.ts'
import type { BackendEvent, ClientToolCaller } from '../backend.ts'
import { collect, ended, find, gateOf } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { openHarness, openLoop, wires } from './testing/loop-harness.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'
import { callTools } from './tools/call-tools.ts'
import { createHookCalls } from './tools/hook-calls.ts'

const calls = (...names: string[]) => ({ then: { tools: names.map((name) => ({ name, input: {} })) } })
const done = { then: { text: 'done' } }

describe.each(wires)('tools on the %s wire', (wire) => {
  it('run the calls of one message in parallel and return results in call order', async () => {
    let release: () => void = () => undefined
    const second = new Promise<void>((resolve) => (release = resolve))
    const hostTools = toolboxOf({
      // Ends only after the other has begun: sequential calls would wait forever.
      mcp__tools__slow: async () => second.then(() => ({ output: 'slow', isError: false })),
      mcp__tools__quick: async () => {
        release()
        return { output: 'quick', isError: false }
      },
    })
    const steps = [calls('mcp__tools__slow', 'mcp__tools__quick'), done]
    const { harness, session } = await openLoop({ wire, steps }, { hostTools })
    await session.send('go')
    const reported = JSON.stringify(harness.requests()[1]?.messages)
    expect(reported.indexOf('slow"')).toBeGreaterThan(0)
    expect(reported.lastIndexOf('"slow"')).toBeLessThan(reported.lastIndexOf('"quick"'))
  })

  it('report a tool that was not offered as unknown', async () => {
    const { session } = await openLoop({ wire, steps: [calls('mcp__tools__nothing'), done] })
    const result = await session.send('go')
    expect(result.toolResults).toEqual([
      expect.objectContaining({ isError: true, result: 'There is no tool "mcp__tools__nothing".' }),
    ])
    expect(result.response).toBe('done')
  })

  it('truncate a result that would fill the context and say so', async () => {
    const hostTools = toolboxOf({ mcp__tools__long: says('x'.repeat(150_000)) })
    const { session } = await openLoop({ wire, steps: [calls('mcp__tools__long'), done] }, { hostTools })
    const result = await session.send('go')
    expect(result.toolResults[0]?.result).toMatch(/x\n\[cut: 50000 more characters\]$/)
  })

  it('turn an exception into an error result', async () => {
    const hostTools = toolboxOf({ mcp__tools__broken: () => Promise.reject(new Error('out of paper')) })
    const { session } = await openLoop({ wire, steps: [calls('mcp__tools__broken'), done] }, { hostTools })
    const [first] = (await session.send('go')).toolResults
    expect(first).toMatchObject({ isError: true, result: 'mcp__tools__broken failed: out of paper' })
  })

  it('send the images of a message and of a tool to the model', async () => {
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

  it('pass a client tool call to the client', async () => {
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

  it('ask a person the agent’s questions if somebody can answer', async () => {
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

  it('do not include the question tool if nobody can answer', async () => {
    const { harness, session } = await openLoop({ wire, steps: [done] })
    await session.send('go')
    expect(JSON.stringify(harness.requests()[0]?.tools)).not.toContain('AskUserQuestion')
  })

  it('report the available tools and servers at the start', async () => {
    const hostTools = toolboxOf({ mcp__tools__look: says('seen') })
    const { session } = await openLoop({ wire, steps: [done] }, { hostTools })
    const { data } = find(await collect(session.run('hi', never)), 'AgentSessionStarted')
    expect(data.tools).toEqual(['mcp__tools__look'])
    expect(data.mcpServers).toEqual([{ name: 'tools', status: 'connected' }])
  })

  it('stop the calls of an interrupted turn without waiting for them', async () => {
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
    // The conversation stays valid for providers: every call has its result.
    expect((await session.send('and now?')).response).toBe('done')
    expect(JSON.stringify(harness.requests()[1]?.messages)).toContain('stopped with its turn')
  })
})

const keep = async () => undefined

it('report input that is not a JSON object to the model and do not run the call', async () => {
  const reported: BackendEvent[] = []
  const harness = await openHarness({ wire: 'anthropic', steps: [done] })
  const session = harness.options({ hostTools: toolboxOf({ mcp__tools__look: says('seen') }) })
  const { hooks, cwd } = session
  const hookCalls = createHookCalls({ hooks, cwd, sessionId: 's', transcript: '', permissionMode: () => 'manual' })
  const callContext = { session, hookCalls, offered: new Set(['mcp__tools__look']), signal: never, now: () => 0, keep }
  const emit = (event: BackendEvent) => {
    reported.push(event)
    return null
  }
  const call = {
    type: 'call',
    toolUseId: 'a',
    toolName: 'mcp__tools__look',
    toolInput: {},
    unreadable: '{"x": ',
  } as const
  const results = await callTools({ ...callContext, emit, onDenied: () => undefined, onStopped: () => undefined }, [
    call,
  ])
  expect(results).toMatchObject([{ isError: true, output: 'The input is not a JSON object: {"x": ' }])
  expect(find(reported, 'ToolExecuted').data.isError).toBe(true)
})

it('do not start for a turn that has been stopped', async () => {
  const begun: string[] = []
  const harness = await openHarness({ wire: 'anthropic', steps: [done] })
  const fails = async (what: string): Promise<never> => {
    begun.push(what)
    throw new Error('nobody hears this')
  }
  const session = harness.options({ gate: gateOf({ check: () => fails('check') }) })
  const { hooks, cwd } = session
  const hookCalls = createHookCalls({ hooks, cwd, sessionId: 's', transcript: '', permissionMode: () => 'manual' })
  const callContext = {
    session,
    hookCalls,
    offered: new Set(['Bash']),
    signal: AbortSignal.abort(),
    now: () => 0,
    keep,
  }
  const call = { type: 'call', toolUseId: 'a', toolName: 'Bash', toolInput: {}, unreadable: null } as const
  const results = await callTools(
    { ...callContext, emit: () => null, onDenied: () => undefined, onStopped: () => undefined },
    [call],
  )
  expect(results).toMatchObject([{ isError: true, output: 'The call was stopped with its turn.' }])
  expect(begun).toEqual([])
})
