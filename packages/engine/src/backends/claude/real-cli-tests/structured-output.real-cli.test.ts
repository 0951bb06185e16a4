// `response_format` on the real CLI: every final answer matches the schema, in each turn and in each process.
import type { JsonObject } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { descendantsOf } from '../../../system/linux-processes.ts'
import { BackendInitError } from '../../backend-errors.ts'
import { collect, ended, find, gateOf, types } from '../../contract/backend-events.contract.ts'
import { outputText } from '../../driver/structured-output.ts'
import { type ClaudeHarness, type ClaudeHarnessOptions, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const format: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
const ulm = { city: 'Ulm', degrees: 12.5 }
const answer = (city: string) => ({ structured_output: { city, degrees: 1 } })

async function open(steps: ClaudeHarnessOptions['steps']): Promise<ClaudeHarness> {
  const harness = await openClaudeHarness({ steps, agent: { responseFormat: format } })
  cleanups.push(harness.close)
  return harness
}

describe('response_format', () => {
  it('response_format: returns the object, and its text as the response, without an extra tool call', async () => {
    const asked: string[] = []
    const gate = gateOf({
      check: async ({ toolName, toolInput }) => {
        asked.push(toolName)
        return { type: 'allow', input: toolInput }
      },
    })
    const harness = await open([
      { when: { text: 'weather' }, then: { tools: [{ name: 'Bash', input: { command: 'echo 12.5' } }] } },
      { when: { tool_result: { name: 'Bash' } }, then: { text: 'There it is.', structured_output: ulm } },
    ])
    const session = await harness.backend.createSession(harness.options({ gate }))
    const events = await collect(session.run('the weather?', never))
    const { outcome, result } = ended(events).data
    expect(outcome).toBe('completed')
    expect(result).toMatchObject({ structuredOutput: ulm, response: outputText(ulm), isError: false })
    expect(result.toolCalls.map(({ name }) => name)).toEqual(['Bash'])
    expect(asked).toEqual(['Bash'])
    expect(find(events, 'AgentSessionStarted').data.tools).not.toContain('StructuredOutput')
    const thoughts = events.flatMap((event) => (event.type === 'AgentThought' ? [event.data.text] : []))
    expect(thoughts).toEqual(['There it is.', outputText(ulm)])
    const offered = harness.requests()[0]?.tools?.find(({ name }) => name === 'StructuredOutput')
    expect(offered?.input_schema).toMatchObject({ required: ['city', 'degrees'] })
  })

  it('response_format: applies to invokeOnce and streams the answer', async () => {
    const harness = await open([{ repeat: true, then: { structured_output: ulm } }])
    expect(await harness.backend.invokeOnce('hi', harness.options())).toMatchObject({
      structuredOutput: ulm,
      isError: false,
    })
    const session = await harness.backend.createSession(harness.options())
    expect((await collect(session.sendStreaming('hi'))).join('')).toBe(outputText(ulm))
  })

  it('response_format: applies to every turn, including the first of a process that resumes a conversation', async () => {
    const cities = ['Aa', 'Bb', 'Cc', 'Dd', 'Ee', 'Ff', 'Gg', 'Hh', 'Ii']
    const harness = await open(cities.map((city) => ({ when: { text: `^${city}$` }, then: answer(city) })))
    let resume: string | null = null
    while (cities.length > 0) {
      const session = await harness.backend.createSession(harness.options({ resume }))
      for (const city of cities.splice(0, 3)) {
        const events = await collect(session.run(city, never))
        expect(ended(events).data.result).toMatchObject({ structuredOutput: { city }, isError: false })
        resume ??= find(events, 'AgentSessionStarted').data.backendSessionId
      }
      await session.close()
    }
  })

  it('response_format: applies after the CLI was killed during an answer', async () => {
    const harness = await open([
      { when: { text: 'first' }, then: answer('Aa') },
      { when: { text: 'second' }, then: { text: 'I begin to say', fault: { type: 'stall', after_deltas: 2 } } },
      { when: { text: 'third' }, then: { text: 'only words, for once' } },
      { when: { text: 'structured-output-enforce' }, then: answer('Cc') },
    ])
    const first = await harness.backend.createSession(harness.options())
    const before = await collect(first.run('first', never))
    for await (const event of first.run('second', never)) {
      if (event.type !== 'AgentStreamToken') continue
      for (const pid of harness.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    }
    const { backendSessionId: resume } = find(before, 'AgentSessionStarted').data
    const second = await harness.backend.createSession(harness.options({ resume }))
    expect(await second.send('third')).toMatchObject({ structuredOutput: { city: 'Cc' }, isError: false })
    await second.close()
  })

  it('response_format: fails the turn with the mismatch if the agent never matches it, and the session continues', async () => {
    const harness = await open([
      { when: { text: 'good' }, then: answer('Aa') },
      { repeat: true, then: { structured_output: { town: 'Ulm' } } },
    ])
    const session = await harness.backend.createSession(harness.options())
    const events = await collect(session.run('bad', never))
    expect(ended(events).data).toMatchObject({ outcome: 'failed', result: { structuredOutput: null, isError: true } })
    const { errorReason } = ended(events).data.result
    expect(errorReason).toMatch(/^the answer does not match response_format: .*city/)
    expect(types(events).filter((type) => type === 'RawBackendMessage').length).toBeGreaterThan(1)
    expect(await session.send('good')).toMatchObject({ structuredOutput: { city: 'Aa' }, isError: false })
  })

  it('response_format: applies to a branch after an answer', async () => {
    const harness = await open([
      { when: { text: 'first' }, then: answer('Aa') },
      { when: { text: 'second' }, then: answer('Bb') },
      { when: { text: 'other' }, then: answer('Cc') },
    ])
    const options = harness.options()
    const session = await harness.backend.createSession(options)
    const events = await collect(session.run('first', never))
    await session.send('second')
    await session.close()
    const resume = await harness.backend.branch({
      fromSessionId: options.sessionId,
      toSessionId: options.sessionId,
      cwd: harness.cwd,
      backendSessionId: find(events, 'AgentSessionStarted').data.backendSessionId,
      at: { type: 'after', messageId: find(events, 'AgentThought').data.messageId },
    })
    const branched = await harness.backend.createSession(harness.options({ resume }))
    expect(await branched.send('other')).toMatchObject({ structuredOutput: { city: 'Cc' } })
    expect(harness.conversations().at(-1)).toContain('first')
    expect(harness.conversations().at(-1)).not.toContain('second')
  })

  it('response_format: refuses an invalid schema before the first turn', async () => {
    const harness = await openClaudeHarness({ steps: [{ then: {} }], agent: { responseFormat: { type: 'objct' } } })
    cleanups.push(harness.close)
    await expect(harness.backend.initialize()).rejects.toThrow(BackendInitError)
  })
})
