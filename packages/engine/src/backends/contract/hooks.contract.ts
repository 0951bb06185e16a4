// The part of the contract about hooks: their possible answers and the effect on the turn. All backends agree, so that
// the hooks of an agent file mean the same on each.
import type { JsonObject } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { HostToolbox } from '../../ports/host-toolbox.ts'
import type { HookPoints } from '../backend.ts'
import { collect, ended, types } from './backend-events.contract.ts'
import { type ContractReply, never, type OpenHarness, ready } from './backend-harness.contract.ts'
import { noHostTools } from './unattended-options.contract.ts'

const enough = { continue: false, stopReason: 'enough' }
const echo: ContractReply = { text: 'let me see', commands: ['echo one'] }
const again: ContractReply = { text: 'again', whenPrompt: 2 }
/** The reply of an agent that no hook stopped. */
const goesOn: ContractReply = { text: 'I go on', whenPrompt: 1 }

/** Returns this output for the first event and nothing afterwards. */
function once(event: string, output: JsonObject): HookPoints {
  const answers = [output]
  return { hasListener: (name) => name === event, run: async () => answers.pop() ?? {} }
}

const lookupTools: HostToolbox = {
  ...noHostTools,
  list: () => [{ name: 'mcp__tools__look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }],
  servers: () => [{ name: 'tools', status: 'connected', error: null }],
  call: async () => ({ output: 'as it was', isError: false }),
}

export function describeHooks(openHarness: OpenHarness): void {
  it.each([
    { event: 'PostToolUse', result: 'one', isError: false },
    { event: 'PreToolUse', result: 'enough', isError: true },
  ])('ends the turn after the call when $event requests it, and the session continues', async ({ event, ...shown }) => {
    const { harness, session } = await ready(openHarness, [echo, again, goesOn], { hooks: once(event, enough) })
    const { outcome, result } = ended(await collect(session.run('hi', never))).data
    expect({ outcome, ...result }).toMatchObject({ outcome: 'completed', errorReason: null, response: '' })
    expect(result.toolResults).toEqual([expect.objectContaining(shown)])
    expect((await session.send('and now?')).response).toBe('again')
    expect(harness.asked?.()).toContain(`${event}:Bash hook stopped continuation: enough`)
  })

  it('leaves a failed call to the model even if PostToolUseFailure requests a stop', async () => {
    const replies = [{ commands: ['exit 3'] }, { text: 'it failed' }]
    const { session } = await ready(openHarness, replies, { hooks: once('PostToolUseFailure', enough) })
    expect(await session.send('hi')).toMatchObject({ isError: false, response: 'it failed' })
  })

  it.each([
    { says: 'refuses it', output: { decision: 'block', reason: 'enough' } },
    { says: 'ends the turn', output: enough },
    { says: 'does both', output: { ...enough, decision: 'block', reason: 'not that' } },
  ])('makes no model request for a message when UserPromptSubmit $says', async ({ output }) => {
    const { session } = await ready(openHarness, [{ text: 'again' }], { hooks: once('UserPromptSubmit', output) })
    const events = await collect(session.run('hi', never))
    const result = { isError: true, errorReason: 'enough', response: '' }
    expect(ended(events).data).toMatchObject({ outcome: 'failed', result })
    expect(types(events)).not.toContain('UsageRecorded')
    expect((await session.send('and now?')).response).toBe('again')
  })

  it.each([
    { says: 'objects', output: { decision: 'block', reason: 'not yet' }, response: 'now' },
    { says: 'adds something', output: specific('Stop', { additionalContext: 'not yet' }), response: 'now' },
    { says: 'ends the turn', output: enough, response: 'done' },
  ])('returns the right final answer when Stop $says', async ({ output, response }) => {
    const { session } = await ready(openHarness, [{ text: 'done' }, { text: 'now' }], { hooks: once('Stop', output) })
    expect((await session.send('hi')).response).toBe(response)
  })

  it.each([
    { says: 'objects', output: { decision: 'block', reason: 'mind the date' }, expected: 'mind the date' },
    { says: 'objects without a reason', output: { decision: 'block' }, expected: 'Blocked by hook' },
    { says: 'adds context', output: afterCall({ additionalContext: 'mind the date' }), expected: 'mind the date' },
  ])('adds the answer of PostToolUse to the result when it $says', async ({ output, expected }) => {
    const replies = [{ calls: ['mcp__tools__look'] }, { text: 'I see' }]
    const { harness, session } = await ready(openHarness, replies, {
      hooks: once('PostToolUse', output),
      hostTools: lookupTools,
    })
    await session.send('hi')
    expect(harness.asked?.()).toContain(expected)
    expect(harness.asked?.()).toContain('as it was')
  })

  it.each([
    { by: 'a text', output: afterCall({ updatedToolOutput: 'redacted' }) },
    { by: 'content', output: afterCall({ updatedToolOutput: [{ type: 'text', text: 'redacted' }] }) },
    { by: 'a text under the older name', output: afterCall({ updatedMCPToolOutput: 'redacted' }) },
  ])('hides a result that PostToolUse replaces by $by', async ({ output }) => {
    const replies = [{ calls: ['mcp__tools__look'] }, { whenToolResult: '^redacted$', text: 'I see' }]
    const { harness, session } = await ready(openHarness, replies, {
      hooks: once('PostToolUse', output),
      hostTools: lookupTools,
    })
    const result = await session.send('hi')
    expect(result).toMatchObject({ response: 'I see', toolResults: [{ result: 'redacted' }] })
    expect(harness.asked?.()).not.toContain('as it was')
  })
}

function afterCall(part: JsonObject): JsonObject {
  return specific('PostToolUse', part)
}

function specific(hookEventName: string, part: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName, ...part } }
}
