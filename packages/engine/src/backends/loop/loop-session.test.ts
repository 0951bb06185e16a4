// Persistence and guarantees of a loop session, on both wires.
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InputImage, type JsonObject, SessionId, type ToolFiltering, UserMessageId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { BackendEvent } from '../backend.ts'
import { collect, durable, ended, find, types } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { openHarness, openLoop, wires } from './testing/loop-harness.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'

const say = (text: string) => ({ then: { text } })
const messagesOf = (request: JsonObject | undefined) => JSON.stringify(request?.messages)

describe.each(wires)('a conversation on the %s wire', (wire) => {
  async function openConversation() {
    const call = { then: { tools: [{ name: 'Bash', input: { command: 'echo one' } }] } }
    const { harness, session } = await openLoop({ wire, steps: [call, say('first'), say('second'), say('third')] })
    const events = await collect(session.run('remember 42', never))
    const { backendSessionId } = find(events, 'AgentSessionStarted').data
    const folder = join(harness.dataDir, 'loop', 'ses_looptest')
    return { harness, session, resume: backendSessionId, file: join(folder, `${backendSessionId}.jsonl`) }
  }

  it('continues in another process without repeating earlier requests', async () => {
    const { harness, session, resume } = await openConversation()
    await session.close()
    const again = await harness.restart().createSession(harness.options({ resume }))
    const events = await collect(again.run('and?', never))
    expect(ended(events).data.result.response).toBe('second')
    expect(find(events, 'AgentSessionStarted').data.backendSessionId).toBe(resume)
    for (const part of ['remember 42', 'echo one', 'first', 'and?'])
      expect(messagesOf(harness.requests()[2])).toContain(part)
  })

  it('is private, has one line per entry, and loses only a line that was being written at a crash', async () => {
    const { harness, resume, file } = await openConversation()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4)
    appendFileSync(file, '{"type":"prompt","text":"hal')
    const again = await harness.restart().createSession(harness.options({ resume }))
    expect((await again.send('and?')).response).toBe('second')
    const once = await harness.restart().createSession(harness.options({ resume }))
    expect((await once.send('and then?')).response).toBe('third')
    expect(messagesOf(harness.requests()[3])).not.toContain('"hal')
  })

  it('gets a result for every call that died with its process, because providers require one', async () => {
    const { harness, resume, file } = await openConversation()
    const call = { type: 'call', toolUseId: 'toolu_9', toolName: 'Bash', toolInput: {}, unreadable: null }
    appendFileSync(file, `${JSON.stringify({ type: 'answer', messageId: 'msg_9', model: 'm', parts: [call] })}\n`)
    const again = await harness.restart().createSession(harness.options({ resume }))
    expect((await again.send('and?')).response).toBe('second')
    expect(messagesOf(harness.requests()[2])).toContain('whether it had its effect is unknown')
  })

  it('starts over and reports it when there is nothing to resume', async () => {
    const { harness } = await openConversation()
    const again = await harness.restart().createSession(harness.options({ resume: 'long-gone' }))
    const events = durable(await collect(again.run('hi', never)))
    expect(find(events, 'RawBackendMessage').data.kind).toBe('resume_failed')
    expect(find(events, 'AgentSessionStarted').data.backendSessionId).not.toBe('long-gone')
  })

  it.each([0, 1, 2, 3])('continues without the unreadable line %i and reports it once', async (line) => {
    const { harness, resume, file } = await openConversation()
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    lines[line] = '{"type":'
    writeFileSync(file, `${lines.join('\n')}\n`)
    const again = await harness.restart().createSession(harness.options({ resume }))
    const events = durable(await collect(again.run('and?', never)))
    expect(ended(events).data.result).toMatchObject({ isError: false, response: 'second' })
    expect(find(events, 'RawBackendMessage').data.kind).toBe('resume_damaged')
    expect(find(events, 'AgentSessionStarted').data.backendSessionId).toBe(resume)
    const kept = ['remember 42', 'echo one', 'first'].filter((part) => lines.join('').includes(part))
    for (const part of kept) expect(messagesOf(harness.requests()[2])).toContain(part)
    const once = await harness.restart().createSession(harness.options({ resume }))
    const later = durable(await collect(once.run('and then?', never)))
    expect(ended(later).data.result.response).toBe('third')
    expect(types(later)).not.toContain('RawBackendMessage')
    for (const part of kept) expect(messagesOf(harness.requests()[3])).toContain(part)
  })

  it.each(['', '\n\n', 'no line\nof any conversation\n'])(
    'starts over and reports it when its file has nothing to resume (%j)',
    async (text) => {
      const { harness, resume, file } = await openConversation()
      writeFileSync(file, text)
      const again = await harness.restart().createSession(harness.options({ resume }))
      const events = durable(await collect(again.run('hi', never)))
      expect(ended(events).data.result.response).toBe('second')
      expect(find(events, 'RawBackendMessage').data.kind).toBe('resume_failed')
      expect(find(events, 'AgentSessionStarted').data.backendSessionId).not.toBe(resume)
    },
  )

  it('fails the turn whose entry it cannot store and continues with the next', async () => {
    // A tool that violates its types.
    const images = [{ mediaType: 7 }] as unknown as InputImage[]
    const hostTools = toolboxOf({ mcp__tools__look: async () => ({ output: 'seen', isError: false, images }) })
    const steps = [{ then: { tools: [{ name: 'mcp__tools__look' }] } }, say('done'), say('again')]
    const { harness, session } = await openLoop({ wire, steps }, { hostTools })
    const events = await collect(session.run('go', never))
    expect(ended(events).data.outcome).toBe('failed')
    expect(ended(events).data.result.errorReason).toContain('the conversation cannot store this entry (results)')
    expect(await session.send('and?')).toMatchObject({ isError: false, response: 'done' })
    expect(messagesOf(harness.requests()[1])).toContain('whether it had its effect is unknown')
    const { backendSessionId: resume } = find(events, 'AgentSessionStarted').data
    const again = await harness.restart().createSession(harness.options({ resume }))
    expect(await again.send('and then?')).toMatchObject({ isError: false, response: 'again' })
  })

  it('is removed completely with its session', async () => {
    const { harness, session } = await openConversation()
    await session.close()
    await harness.backend.forget(SessionId.parse('ses_looptest'))
    expect(readdirSync(join(harness.dataDir, 'loop'))).toEqual([])
  })

  it('sends the model a message that was added to the turn with the next request', async () => {
    let steer: () => Promise<boolean> = async () => false
    const hostTools = toolboxOf({ mcp__tools__look: async () => ({ output: String(await steer()), isError: false }) })
    const steps = [{ then: { tools: [{ name: 'mcp__tools__look' }] } }, say('done')]
    const { harness, session } = await openLoop({ wire, steps }, { hostTools })
    steer = () => session.steer('and be quick', UserMessageId.parse('umsg_looptest1'))
    expect(await session.send('go')).toMatchObject({ response: 'done', toolResults: [{ result: 'true' }] })
    expect(messagesOf(harness.requests()[1])).toContain('and be quick')
  })

  it('answers a message that is added during the last answer', async () => {
    const { session } = await openLoop({ wire, steps: [say('one two three'), say('and four')] })
    const taken: boolean[] = []
    const events: BackendEvent[] = []
    for await (const event of session.run('count', never)) {
      events.push(event)
      if (event.type !== 'AgentStreamToken' || taken.length > 0) continue
      taken.push(await session.steer('go on', UserMessageId.parse('umsg_looptest1')))
    }
    expect(taken).toEqual([true])
    expect(ended(events).data.result).toMatchObject({ response: 'and four', numTurns: 2 })
  })

  it('uses another model from the next request on and adds the plan mode prompt', async () => {
    const { harness, session } = await openLoop({ wire, steps: [say('one'), say('two')] })
    await session.send('hi')
    await session.setModel('claude-haiku-4-5')
    await session.setPermissionMode('plan')
    await session.send('hi')
    expect(harness.requests().map(({ model }) => model)).toEqual([harness.options().model, 'claude-haiku-4-5'])
    const [before, after] = harness.requests().map((request) => JSON.stringify(request))
    expect(before).not.toContain('You are planning')
    expect(after).toContain('You are planning')
  })
})

describe.each(wires)('response_format on the %s wire', (wire) => {
  const responseFormat = {
    type: 'object',
    properties: { city: { type: 'string' }, people: { type: 'integer' } },
    required: ['city', 'people'],
    additionalProperties: false,
  }
  const vienna = { city: 'Vienna', people: 2_000_000 }
  const agent = { responseFormat }
  const good = say(JSON.stringify(vienna))

  it('returns the answer as an object and as text, in every turn and after a resume', async () => {
    const { harness, session } = await openLoop({ wire, agent, steps: [good, good, good] })
    const events = await collect(session.run('where?', never))
    const kept = { structuredOutput: vienna, response: JSON.stringify(vienna, null, 2), isError: false }
    expect(ended(events).data.result).toMatchObject(kept)
    expect(await session.send('and now?')).toMatchObject(kept)
    await session.close()
    const { backendSessionId: resume } = find(events, 'AgentSessionStarted').data
    const again = await harness.restart().createSession(harness.options({ resume }))
    expect(await again.send('and then?')).toMatchObject(kept)
    const asked = harness
      .requests()
      .map((request) => JSON.stringify(wire === 'openai' ? request.response_format : request.output_config))
    for (const format of asked) expect(format).toContain('"people":{"type":"integer"}')
  })

  it('tells the model how its answer does not match and accepts a better one', async () => {
    const steps = [say('{"city": "Vienna"}'), say('It is:\n```json\n{"city": "Vienna", "people": 1}\n```')]
    const { harness, session } = await openLoop({ wire, agent, steps })
    expect(await session.send('where?')).toMatchObject({ structuredOutput: { city: 'Vienna', people: 1 }, numTurns: 2 })
    expect(messagesOf(harness.requests()[1])).toContain("must have required property 'people'")
  })

  it('refuses a number that would be stored as null', async () => {
    const format = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
    const steps = [say('{"total": 1e999}'), say('{"total": 1e9}')]
    const { harness, session } = await openLoop({ wire, agent: { responseFormat: format }, steps })
    expect(await session.send('how much?')).toMatchObject({ structuredOutput: { total: 1e9 }, numTurns: 2 })
    expect(messagesOf(harness.requests()[1])).toContain('total is a number too large to store')
  })

  it('fails the turn with the mismatch after two more attempts', async () => {
    const { harness, session } = await openLoop({ wire, agent, steps: [{ repeat: true, then: { text: 'Vienna' } }] })
    const result = await session.send('where?')
    expect(result).toMatchObject({ isError: true, structuredOutput: null, response: 'Vienna' })
    expect(result.errorReason).toBe('the answer does not match response_format: it is not JSON')
    expect(harness.requests()).toHaveLength(3)
  })

  it('applies to the final answer, not to text alongside calls', async () => {
    const call = { then: { text: 'let me see', tools: [{ name: 'Bash', input: { command: 'echo 1' } }] } }
    const { session } = await openLoop({ wire, agent, steps: [call, good] })
    expect(await session.send('where?')).toMatchObject({ structuredOutput: vienna, isError: false })
  })

  it('refuses to start with an invalid schema', async () => {
    const { backend } = await openHarness({ wire, agent: { responseFormat: { type: 'no-such-type' } }, steps: [good] })
    await expect(backend.initialize()).rejects.toThrow('response_format is not a valid JSON Schema')
  })
})

describe('tool_filtering', () => {
  const filtering: ToolFiltering = {
    topK: 1,
    minScore: 0,
    alwaysInclude: ['clock'],
    alwaysIncludeMostUsed: 1,
    method: 'bm25',
  }
  const descriptions = {
    mcp__tools__invoices: 'Finds invoices of a customer',
    mcp__tools__weather: 'Tells the weather of a city',
    mcp__tools__clock: 'Tells the time',
    mcp__tools__mail: 'Sends a letter',
  }
  const hostTools = toolboxOf(
    Object.fromEntries(Object.keys(descriptions).map((name) => [name, says('ok')])),
    descriptions,
  )
  const offered = ({ tools }: JsonObject) => (Array.isArray(tools) ? tools.map(({ name }) => name) : [])

  it('offers the tools that match the message, those always wanted, and those used most', async () => {
    const call = { then: { tools: [{ name: 'mcp__tools__weather' }] } }
    const steps = [call, { repeat: true, then: { text: 'done' } }]
    const { harness, session } = await openLoop(
      { wire: 'anthropic', steps, agent: { toolFiltering: filtering } },
      { hostTools },
    )
    await session.send('What is the weather in Graz?')
    expect(offered(harness.requests()[0] ?? {})).toEqual(['mcp__tools__weather', 'mcp__tools__clock'])
    await session.send('Which invoices are open?')
    expect(offered(harness.requests().at(-1) ?? {})).toEqual([
      'mcp__tools__invoices',
      'mcp__tools__weather',
      'mcp__tools__clock',
    ])
  })

  it('ranks by meaning if configured', async () => {
    const meanings: Record<string, number[]> = { rain: [1, 0], weather: [0.9, 0.1], letter: [0.3, 1] }
    const embed = async (texts: readonly string[]) =>
      texts.map((text) => Object.entries(meanings).find(([word]) => text.includes(word))?.[1] ?? [0, 1])
    const toolFiltering: ToolFiltering = { ...filtering, alwaysInclude: [], topK: 5, minScore: 0.5, method: 'semantic' }
    const options = { wire: 'anthropic', steps: [say('done')], agent: { toolFiltering }, backend: { embed } } as const
    const { harness, session } = await openLoop(options, { hostTools })
    await session.send('Will it rain?')
    expect(offered(harness.requests()[0] ?? {})).toEqual(['mcp__tools__weather'])
  })

  it('fails the turn but not the session when embedding fails', async () => {
    const toolFiltering: ToolFiltering = { ...filtering, method: 'hybrid' }
    let isBroken = true
    const embed = async (texts: readonly string[]) => {
      if (isBroken) throw new Error('the embedder is down')
      return texts.map(() => [1, 0])
    }
    const options = { wire: 'anthropic', steps: [say('done')], agent: { toolFiltering }, backend: { embed } } as const
    const { session } = await openLoop(options, { hostTools })
    expect((await session.send('hi')).errorReason).toBe('tool_filtering: the embedder is down')
    isBroken = false
    expect((await session.send('hi')).response).toBe('done')
  })

  it('embeds a message once, even for several requests', async () => {
    const asked: string[] = []
    const embed = async (texts: readonly string[]) => {
      asked.push(...texts)
      return texts.map(() => [1, 0])
    }
    const toolFiltering: ToolFiltering = { ...filtering, topK: 5, method: 'semantic' }
    const steps = [{ then: { tools: [{ name: 'mcp__tools__weather' }] } }, { repeat: true, then: { text: 'done' } }]
    const options = { wire: 'anthropic', steps, agent: { toolFiltering }, backend: { embed } } as const
    const { harness, session } = await openLoop(options, { hostTools })
    await session.send('Will it rain?')
    expect(harness.requests()).toHaveLength(2)
    expect(asked).toHaveLength(5)
    await session.send('And then?')
    expect(asked.slice(5)).toEqual(['And then?'])
  })

  it('fails a turn that got too few vectors and does not cache them', async () => {
    let missing = 1
    const embed = async (texts: readonly string[]) => texts.slice(missing).map(() => [1, 0])
    const toolFiltering: ToolFiltering = { ...filtering, alwaysInclude: [], topK: 5, method: 'semantic' }
    const options = { wire: 'anthropic', steps: [say('done')], agent: { toolFiltering }, backend: { embed } } as const
    const { harness, session } = await openLoop(options, { hostTools })
    expect((await session.send('hi')).errorReason).toBe('tool_filtering: got 4 vectors for 5 texts')
    missing = 0
    await session.send('hi')
    expect(offered(harness.requests()[0] ?? {})).toEqual(Object.keys(descriptions))
  })

  it('refuses to start semantic filtering without an embedding provider', async () => {
    const toolFiltering: ToolFiltering = { ...filtering, method: 'hybrid' }
    const { backend } = await openHarness({ wire: 'anthropic', steps: [say('no')], agent: { toolFiltering } })
    await expect(backend.initialize()).rejects.toThrow('tool_filtering by hybrid')
  })
})

it('reports in the session why its programs are not sandboxed', async () => {
  const backend = { unsandboxedReason: 'no namespaces here' }
  const { session } = await openLoop({ wire: 'anthropic', steps: [say('hello')], backend })
  const { data } = find(await collect(session.run('hi', never)), 'SecurityNoticed')
  expect(data).toEqual({ code: 'agent.not-shut-in', sentence: 'no namespaces here' })
})
