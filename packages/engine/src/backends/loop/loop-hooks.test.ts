// Hooks in the loop, including behaviour that only the loop has.

import { type JsonObject, UserMessageId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { testAgent } from '../../testing/agent-definition.fixture.ts'
import type { HookPoints } from '../backend.ts'
import { collect, durable, ended, find, gateOf, types } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { openLoop } from './testing/loop-harness.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'

const calls = (...names: string[]) => ({ then: { tools: names.map((name) => ({ name, input: {} })) } })
const done = { then: { text: 'done' } }

const hooksOf = (answers: Record<string, (input: JsonObject) => JsonObject>): HookPoints => ({
  hasListener: (event) => event in answers,
  run: async (event, input) => answers[event]?.(input) ?? {},
})

const enough = { continue: false, stopReason: 'enough' }
const outputOf = (output: unknown) => ({ output: String(output), isError: false })

describe('hooks in the loop', () => {
  const wire = 'anthropic'
  const look = toolboxOf({
    mcp__tools__look: async ({ toolInput }) => ({ output: JSON.stringify(toolInput), isError: false }),
  })

  it('PreToolUse refuses a call or changes its input, which the gate checks again', async () => {
    const judged: JsonObject[] = []
    const gate = gateOf({
      check: async ({ toolInput }) => {
        judged.push(toolInput)
        return { type: 'allow', input: toolInput }
      },
    })
    const updatedInput = { where: 'here' }
    const hooks = hooksOf({ PreToolUse: () => ({ hookSpecificOutput: { updatedInput } }) })
    const { session } = await openLoop(
      { wire, steps: [calls('mcp__tools__look'), done] },
      { hostTools: look, gate, hooks },
    )
    expect((await session.send('go')).toolResults[0]?.result).toBe('{"where":"here"}')
    expect(judged).toEqual([{}, updatedInput])
    const refusing = hooksOf({ PreToolUse: () => ({ decision: 'block', reason: 'not now' }) })
    const other = await openLoop(
      { wire, steps: [calls('mcp__tools__look'), done] },
      { hostTools: look, hooks: refusing },
    )
    const events = await collect(other.session.run('go', never))
    expect(find(events, 'ToolExecuted').data).toMatchObject({ output: 'not now', isError: true, withoutResult: true })
    expect(ended(events).data.permissionDenials).toMatchObject([{ tool_name: 'mcp__tools__look' }])
  })

  it('PreToolUse ends the turn on request, and the call is not run', async () => {
    const hooks = hooksOf({ PreToolUse: () => ({ continue: false, stopReason: 'enough for today' }) })
    const { harness, session } = await openLoop(
      { wire, steps: [calls('mcp__tools__look'), done] },
      { hostTools: look, hooks },
    )
    const events = await collect(session.run('go', never))
    expect(find(events, 'ToolExecuted').data).toMatchObject({ output: 'enough for today', withoutResult: true })
    expect(ended(events).data).toMatchObject({ outcome: 'completed', result: { errorReason: null, response: '' } })
    expect(harness.requests()).toHaveLength(1)
  })

  it('PostToolUse adds to a result and PostToolUseFailure receives a failure, with the SDK’s inputs', async () => {
    const inputs: JsonObject[] = []
    const hooks = hooksOf({
      PostToolUse: (input) => {
        inputs.push(input)
        return { hookSpecificOutput: { additionalContext: 'mind the date' } }
      },
      PostToolUseFailure: (input) => {
        inputs.push(input)
        return {}
      },
    })
    const hostTools = toolboxOf({ mcp__tools__look: says('seen'), mcp__tools__fail: says('blind', true) })
    const steps = [calls('mcp__tools__look', 'mcp__tools__fail'), done]
    const { session } = await openLoop({ wire, steps }, { hostTools, hooks })
    expect((await session.send('go')).toolResults.map(({ result }) => result).sort()).toEqual([
      'blind',
      'seen\n\nmind the date',
    ])
    const common = { session_id: 'ses_looptest', cwd: expect.any(String), tool_use_id: expect.any(String) }
    expect(inputs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...common, hook_event_name: 'PostToolUse', tool_response: 'seen' }),
        expect.objectContaining({ ...common, hook_event_name: 'PostToolUseFailure', error: 'blind' }),
      ]),
    )
  })

  it('UserPromptSubmit adds to a message or refuses it', async () => {
    const context = { hookSpecificOutput: { additionalContext: 'it is Sunday' } }
    const hooks = hooksOf({
      UserPromptSubmit: ({ prompt }) => (prompt === 'no' ? { decision: 'block', reason: 'bad word' } : context),
    })
    const { harness, session } = await openLoop({ wire, steps: [done] }, { hooks })
    await session.send('hi')
    expect(JSON.stringify(harness.requests()[0]?.messages)).toContain('it is Sunday')
    expect(await session.send('no')).toMatchObject({ isError: true, errorReason: 'bad word' })
    expect(harness.requests()).toHaveLength(1)
  })

  it('Stop keeps the turn going with its reason and is told that it already did', async () => {
    const active: unknown[] = []
    const hooks = hooksOf({
      Stop: ({ stop_hook_active }) => {
        active.push(stop_hook_active)
        return stop_hook_active === true ? {} : { decision: 'block', reason: 'run the tests first' }
      },
    })
    const { harness, session } = await openLoop({ wire, steps: [done, { then: { text: 'tested' } }] }, { hooks })
    const events = await collect(session.run('go', never))
    expect(ended(events).data.result.response).toBe('tested')
    expect(JSON.stringify(harness.requests()[1]?.messages)).toContain('run the tests first')
    expect(active).toEqual([false, true])
    expect(types(durable(events)).filter((type) => type === 'AgentThought')).toHaveLength(2)
  })

  it('end the turn after the parallel calls of the stopped one and answer an added message', async () => {
    let steer: () => Promise<boolean> = async () => false
    const hooks = hooksOf({ PostToolUse: ({ tool_name }) => (tool_name === 'mcp__tools__look' ? enough : {}) })
    const hostTools = toolboxOf({
      mcp__tools__look: says('seen'),
      mcp__tools__tell: async () => outputOf(await steer()),
    })
    const steps = [calls('mcp__tools__look', 'mcp__tools__tell'), done]
    const { harness, session } = await openLoop({ wire, steps }, { hostTools, hooks })
    expect((await session.send('go')).toolResults).toHaveLength(2)
    expect(harness.requests()).toHaveLength(1)
    const other = await openLoop({ wire, steps }, { hostTools, hooks })
    steer = () => other.session.steer('and another thing', UserMessageId.parse('umsg_looptest1'))
    expect((await other.session.send('go')).response).toBe('done')
    expect(JSON.stringify(other.harness.requests()[1]?.messages)).toMatch(/stopped continuation: enough.*another thing/)
  })

  it('fail a structured turn that ends before its answer', async () => {
    const responseFormat = { type: 'object', properties: {} }
    const hooks = hooksOf({ PostToolUse: () => enough })
    const steps = [calls('mcp__tools__look'), { then: { text: '{}' } }]
    const { session } = await openLoop({ wire, steps, agent: { responseFormat } }, { hostTools: look, hooks })
    expect((await session.send('go')).errorReason).toContain('response_format: the agent ended without giving one')
  })

  it('hide the images of a result that PostToolUse replaces', async () => {
    const images = [{ mediaType: 'image/png', data: 'aWNvbg==' }] as const
    const hostTools = toolboxOf({ mcp__tools__look: async () => ({ output: 'seen', isError: false, images }) })
    const hooks = hooksOf({ PostToolUse: () => ({ hookSpecificOutput: { updatedToolOutput: 'redacted' } }) })
    const { harness, session } = await openLoop(
      { wire, steps: [calls('mcp__tools__look'), done] },
      { hostTools, hooks },
    )
    await session.send('go')
    expect(JSON.stringify(harness.requests()[1])).not.toContain('aWNvbg==')
  })

  it.each([
    { says: 'hidden', output: { decision: null, hookSpecificOutput: { updatedToolOutput: 'hidden' } } },
    { says: 'hidden', output: { reason: null, hookSpecificOutput: { updatedMCPToolOutput: 'hidden' } } },
    { says: 'KEY', output: { hookSpecificOutput: { updatedMCPToolOutput: null } } },
    { says: 'KEY', output: { hookSpecificOutput: { updatedToolOutput: null } } },
    { says: 'KEY', output: { hookSpecificOutput: null } },
    { says: 'KEY\n\nBlocked by hook', output: { decision: 'block', reason: '' } },
    {
      says: expect.stringMatching(/^\[withheld: a hook returned an invalid answer: decision\]$/),
      output: { decision: 7 },
    },
  ])('PostToolUse treats null as absent and withholds the result after an invalid answer: $output', async (given) => {
    const hooks = hooksOf({ PostToolUse: () => given.output })
    const hostTools = toolboxOf({ mcp__tools__look: says('KEY') })
    const { session } = await openLoop({ wire, steps: [calls('mcp__tools__look'), done] }, { hostTools, hooks })
    expect((await session.send('go')).toolResults[0]?.result).toEqual(given.says)
  })

  it.each([
    { reason: 'a hook refused the message', output: { decision: 'block', reason: null } },
    { reason: 'a hook refused the message', output: { decision: 'block', reason: '' } },
    { reason: 'a hook refused the message', output: { continue: false, stopReason: '' } },
    { reason: 'a hook returned an invalid answer: decision', output: { decision: 'deny' } },
  ])('UserPromptSubmit refuses a message with $output', async ({ reason, output }) => {
    const { harness, session } = await openLoop(
      { wire, steps: [done] },
      { hooks: hooksOf({ UserPromptSubmit: () => output }) },
    )
    expect(await session.send('hi')).toMatchObject({ isError: true, errorReason: reason })
    expect(harness.requests()).toEqual([])
  })

  it.each([null, ''])('Stop keeps the turn going even without a reason: %j', async (reason) => {
    const hooks = hooksOf({
      Stop: ({ stop_hook_active }) => (stop_hook_active === true ? {} : { decision: 'block', reason }),
    })
    const { harness, session } = await openLoop({ wire, steps: [done, { then: { text: 'more' } }] }, { hooks })
    expect((await session.send('go')).response).toBe('more')
    expect(JSON.stringify(harness.requests()[1]?.messages)).toContain('Blocked by hook')
  })

  it('keep a prompt that UserPromptSubmit only leaves unanswered, but not one that it refuses', async () => {
    const hooks = hooksOf({
      UserPromptSubmit: ({ prompt }) =>
        prompt === 'later' ? enough : prompt === 'never' ? { decision: 'block', reason: 'no' } : {},
    })
    const { harness, session } = await openLoop({ wire, steps: [done] }, { hooks })
    await session.send('later')
    await session.send('never')
    await session.send('now')
    expect(JSON.stringify(harness.requests()[0]?.messages)).toMatch(/later.*now/)
    expect(JSON.stringify(harness.requests()[0]?.messages)).not.toContain('never')
  })
})

describe('PreCompact in the loop', () => {
  const wire = 'anthropic'
  const hooks = hooksOf({ PreCompact: () => ({ decision: 'block', reason: 'keep every word' }) })
  const { id } = testAgent('/').model
  const small = { id, aliases: [], label: id, tier: 'high', price: null, use: '', contextWindow: 2000 } as const
  const full = { repeat: true, then: { text: 'noted', usage: { input_tokens: 1900, output_tokens: 10 } } }

  it('keeps the whole conversation while it may still fit', async () => {
    const { harness, session } = await openLoop(
      { wire, steps: [full], backend: { catalog: async () => [small] } },
      { hooks },
    )
    await session.send('remember 42')
    const events = await collect(session.run('what was it?', never))
    expect(ended(events).data.outcome).toBe('completed')
    expect(types(events)).not.toContain('AgentContextCompacted')
    expect(JSON.stringify(harness.requests().at(-1))).toContain('remember 42')
  })

  const fault = { type: 'status', status: 400, message: 'prompt is too long: 9 > 8' } as const
  const faults = [{ fault, on: { nth: 2 } }]

  it('fails the turn with its reason when the provider finds the conversation too long', async () => {
    const { harness, session } = await openLoop({ wire, steps: [full], faults }, { hooks })
    await session.send('remember 42')
    expect((await session.send('what was it?')).errorReason).toMatch(/does not fit.*a hook refused.*: keep every word$/)
    expect(harness.requests()).toHaveLength(2)
  })

  it.each([null, ''])('refuses even without a reason: %j', async (reason) => {
    const silent = hooksOf({ PreCompact: () => ({ decision: 'block', reason }) })
    const { session } = await openLoop({ wire, steps: [full], faults }, { hooks: silent })
    await session.send('remember 42')
    expect((await session.send('what was it?')).errorReason).toMatch(/a hook refused to compact it: Blocked by hook$/)
  })
})
