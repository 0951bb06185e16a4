// Questions, elicitation and client tools on the real CLI.
import { fileURLToPath } from 'node:url'
import type { ClientTool } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import type { AskedQuestion, QuestionReply } from '../../../ports/question-asker.ts'
import type { ToolCall } from '../../../ports/tool-call.ts'
import type { ClientToolCaller } from '../../backend.ts'
import { collect, ended, gateOf } from '../../contract/backend-events.contract.ts'
import { type ClaudeHarness, type ClaudeHarnessOptions, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function open(options: ClaudeHarnessOptions): Promise<ClaudeHarness> {
  const harness = await openClaudeHarness(options)
  cleanups.push(harness.close)
  return harness
}

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: [
    { label: 'red', description: 'warm' },
    { label: 'blue', description: 'cold' },
  ],
  multiSelect: false,
}
const sizes = { ...colour, question: 'Which sizes?', header: 'Sizes', multiSelect: true }

function people(reply: (question: AskedQuestion) => QuestionReply) {
  const asked: AskedQuestion[] = []
  return {
    asked,
    questions: {
      ask: async (question: AskedQuestion) => {
        asked.push(question)
        return reply(question)
      },
    },
  }
}

describe('a question of the agent', () => {
  const steps = [
    { then: { tools: [{ name: 'AskUserQuestion', input: { questions: [colour, sizes] } }] } },
    { then: { text: 'thank you' } },
  ]

  it('goes to a person even in acceptAll mode, and the answers reach the model', async () => {
    const harness = await open({ steps, tools: ['AskUserQuestion'] })
    const answers = { 'Which colour?': 'a colour of my own', 'Which sizes?': ['red', 'blue'] }
    const { asked, questions } = people(() => ({ type: 'answered', answers, note: 'take your time' }))
    const session = await harness.backend.createSession(harness.options({ questions }))
    const events = await collect(session.run('hi', never))
    expect(asked).toMatchObject([{ source: 'agent', server: null, items: [colour, sizes], schema: null, url: null }])
    const conversation = harness.conversations().at(-1)
    for (const words of ['a colour of my own', 'red, blue', 'take your time']) expect(conversation).toContain(words)
    expect(ended(events).data.result.response).toBe('thank you')
  })

  it('fails with a message when it is declined', async () => {
    const harness = await open({ steps, tools: ['AskUserQuestion'] })
    const { questions } = people(() => ({ type: 'declined', message: 'No person can be asked here.' }))
    const session = await harness.backend.createSession(harness.options({ questions }))
    const events = await collect(session.run('hi', never))
    const [executed] = events.filter((event) => event.type === 'ToolExecuted')
    expect(executed?.data).toMatchObject({
      isError: true,
      output: expect.stringContaining('No person can be asked here.'),
    })
  })

  it('is not asked when the gate denies it', async () => {
    const harness = await open({ steps, tools: ['AskUserQuestion'] })
    const { asked, questions } = people(() => ({ type: 'declined', message: 'no' }))
    const gate = gateOf({ check: async () => ({ type: 'deny', message: 'no questions here' }) })
    const session = await harness.backend.createSession(harness.options({ questions, gate }))
    await collect(session.run('hi', never))
    expect(asked).toEqual([])
    expect(harness.conversations().at(-1)).toContain('no questions here')
  })
})

describe('an elicitation of an MCP server', () => {
  const mcpServers = {
    asker: {
      type: 'stdio' as const,
      command: process.execPath,
      args: [fileURLToPath(new URL('../testing/asking-server.mjs', import.meta.url))],
    },
  }
  const steps = (tool: string) => [
    { when: { text: 'hi' }, then: { tools: [{ name: `mcp__asker__${tool}` }] } },
    { then: { text: 'done' } },
  ]

  it('returns the person’s values for a form', async () => {
    const harness = await open({ steps: steps('form'), mcpServers })
    const { asked, questions } = people(() => ({ type: 'answered', answers: { name: 'Ana', age: 30 }, note: null }))
    const session = await harness.backend.createSession(harness.options({ questions }))
    await collect(session.run('hi', never))
    expect(asked).toMatchObject([
      { source: 'mcp', server: 'asker', message: 'Who are you?', schema: { required: ['name'] }, url: null },
    ])
    expect(harness.conversations().at(-1)).toMatch(/accept.*Ana/)
  })

  it('returns for a link whether the person followed it', async () => {
    const harness = await open({ steps: [...steps('link'), ...steps('link')], mcpServers })
    const replies: QuestionReply[] = [
      { type: 'answered', answers: {}, note: null },
      { type: 'declined', message: 'no' },
    ]
    const { asked, questions } = people(() => replies.shift() ?? { type: 'declined', message: 'asked too often' })
    const session = await harness.backend.createSession(harness.options({ questions }))
    await collect(session.run('hi', never))
    expect(asked).toMatchObject([{ source: 'mcp', url: 'https://example.test/login', schema: null }])
    expect(harness.conversations().at(-1)).toContain('accept')
    await collect(session.run('hi again', never))
    expect(harness.conversations().at(-1)).toContain('decline')
  })
})

const clock: ClientTool = {
  name: 'get_time',
  description: 'the time in a zone',
  inputSchema: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
}

function toolbox(first: readonly ClientTool[]) {
  let tools = first
  const listeners = new Set<() => void>()
  const calls: { call: ToolCall; give: (output: string) => void }[] = []
  const box: ClientToolCaller = {
    list: () => tools,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    call: (call, signal) =>
      new Promise((resolve) => {
        calls.push({ call, give: (output) => resolve({ output, isError: false }) })
        signal.addEventListener('abort', () => resolve({ output: 'given up', isError: true }))
      }),
  }
  const offer = (next: readonly ClientTool[]) => {
    tools = next
    for (const listener of listeners) listener()
  }
  return { box, calls, offer, listeners }
}

const timeIn = (zone: string) => ({ name: 'mcp__client__get_time', input: { zone } })

describe('client tools', () => {
  it('run in parallel, each under its own id, and may be answered in any order', async () => {
    const steps = [{ then: { tools: [timeIn('utc'), timeIn('utc'), timeIn('cet')] } }, { then: { text: 'late' } }]
    const harness = await open({ steps })
    const { box, calls } = toolbox([clock])
    const session = await harness.backend.createSession(harness.options({ clientTools: box }))
    const running = collect(session.run('what time is it?', never))
    await expect.poll(() => calls.length).toBe(3)
    // The CLI starts them at the same time: they arrive in any order.
    expect(calls.map(({ call }) => call.toolInput.zone).toSorted()).toEqual(['cet', 'utc', 'utc'])
    for (const { call, give } of calls.toReversed()) give(`result of ${call.toolUseId}`)
    const events = await running
    const executed = events.filter((event) => event.type === 'ToolExecuted').map(({ data }) => data)
    expect(executed).toHaveLength(3)
    for (const { toolUseId, output } of executed) expect(output).toBe(`result of ${toolUseId}`)
    const invoked = events.filter((event) => event.type === 'AgentInvokedTool').map(({ data }) => data.toolUseId)
    expect(calls.map(({ call }) => call.toolUseId).sort()).toEqual(invoked.toSorted())
  })

  it('are available to the next turn when they change between turns', async () => {
    const steps = [
      { when: { text: 'one' }, then: { text: 'without' } },
      { when: { text: 'two', tools_offered: ['mcp__client__get_time'] }, then: { text: 'with one' } },
      { when: { text: 'three', tools_offered: ['mcp__client__get_date'] }, then: { text: 'with two' } },
    ]
    const harness = await open({ steps })
    const { box, offer, listeners } = toolbox([])
    const session = await harness.backend.createSession(harness.options({ clientTools: box }))
    const responseTo = async (prompt: string) => ended(await collect(session.run(prompt, never))).data.result.response
    expect(await responseTo('one')).toBe('without')
    offer([clock])
    expect(await responseTo('two')).toBe('with one')
    offer([clock, { ...clock, name: 'get_date' }])
    expect(await responseTo('three')).toBe('with two')
    await session.close()
    expect(listeners.size).toBe(0)
  })

  it('are cancelled when the turn is interrupted', async () => {
    const harness = await open({ steps: [{ then: { tools: [timeIn('utc')] } }, { then: { text: 'late' } }] })
    const { box, calls } = toolbox([clock])
    const session = await harness.backend.createSession(harness.options({ clientTools: box }))
    const running = collect(session.run('what time is it?', never))
    await expect.poll(() => calls.length).toBe(1)
    await session.interrupt()
    expect(ended(await running).data.outcome).toBe('interrupted')
  })

  it('pass the gate like any other call', async () => {
    const harness = await open({ steps: [{ then: { tools: [timeIn('utc')] } }, { then: { text: 'late' } }] })
    const { box, calls } = toolbox([clock])
    const gate = gateOf({ check: async () => ({ type: 'deny', message: 'not in plan mode' }) })
    const session = await harness.backend.createSession(harness.options({ clientTools: box, gate }))
    await collect(session.run('what time is it?', never))
    expect(calls).toEqual([])
    expect(harness.conversations().at(-1)).toContain('not in plan mode')
  })
})
