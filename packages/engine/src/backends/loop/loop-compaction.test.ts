// Conversations of the loop that no longer fit into the context window.
import type { JsonObject } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { testAgent } from '../../testing/agent-definition.fixture.ts'
import { collect, durable, ended, find, types } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { openLoop, wires } from './testing/loop-harness.fixture.ts'

const messagesOf = (request: JsonObject | undefined) => JSON.stringify(request?.messages)

describe('a long conversation', () => {
  const small = { ...testAgentModel(), contextWindow: 2000 }
  const catalog = async () => [small]
  const long = 'word '.repeat(900)

  it.each(wires)('is summarized on the %s wire before it no longer fits, and continues', async (wire) => {
    const steps = [
      { when: { text: 'Sum up this conversation' }, then: { text: 'They spoke of 42.' } },
      { repeat: true, then: { text: long, usage: { input_tokens: 1900, output_tokens: 10 } } },
    ]
    const { harness, session } = await openLoop({ wire, steps, backend: { catalog } })
    await session.send('remember 42')
    const events = await collect(session.run('what was it?', never))
    expect(find(events, 'ContextNearingLimit').data.contextWindow).toBe(2000)
    expect(find(events, 'AgentContextCompacted').data).toMatchObject({ trigger: 'auto' })
    expect(types(events).indexOf('AgentContextCompacted')).toBeGreaterThan(types(events).indexOf('ContextNearingLimit'))
    expect(ended(events).data.outcome).toBe('completed')
    const last = messagesOf(harness.requests().at(-1))
    expect(last).toContain('They spoke of 42.')
    expect(last).toContain('what was it?')
    expect(last).not.toContain(long.trim())
    // The summary is not shown to the person.
    const streamed = events.flatMap((event) => (event.type === 'AgentStreamToken' ? [event.data.text] : []))
    expect([...streamed, JSON.stringify(durable(events))].join('')).not.toContain('They spoke')
    expect(harness.admission.tickets.map(({ ends }) => ends)).toEqual([1, 1, 1])
  })

  it('is summarized when the provider reports that it is too long', async () => {
    const faults = [
      { fault: { type: 'status', status: 400, message: 'prompt is too long: 9 > 8' }, on: { nth: 2 } },
    ] as const
    const steps = [
      { when: { text: 'Sum up this conversation' }, then: { text: 'They spoke of 42.' } },
      { repeat: true, then: { text: 'yes' } },
    ]
    const { harness, session } = await openLoop({ wire: 'anthropic', steps, faults })
    await session.send('remember 42')
    const events = await collect(session.run('what was it?', never))
    expect(ended(events).data).toMatchObject({ outcome: 'completed', result: { response: 'yes' } })
    expect(messagesOf(harness.requests().at(-1))).toContain('They spoke of 42.')
  })

  it.each(wires)('continues on the %s wire with a model whose window is much smaller than expected', async (wire) => {
    const steps = [
      { when: { text: 'Sum up this conversation' }, repeat: true, then: { text: 'They spoke of 42.' } },
      { repeat: true, then: { text: 'word '.repeat(200) } },
    ]
    const { harness, session } = await openLoop({ wire, steps, longest: 6000 })
    for (let turn = 1; turn <= 12; turn += 1) {
      expect(await session.send(`message ${turn}`)).toMatchObject({ isError: false })
    }
    expect(messagesOf(harness.requests().at(-1))).toContain('They spoke of 42.')
    expect(messagesOf(harness.requests().at(-1))).toContain('message 12')
  })

  it('shrinks further while the provider refuses it and gives up when nothing is left to remove', async () => {
    const steps = [
      { when: { text: 'Sum up this conversation' }, repeat: true, then: { text: 'They spoke of 42.' } },
      { repeat: true, then: { text: 'yes', usage: { input_tokens: 10, output_tokens: 10 } } },
    ]
    const faults = [
      { fault: { type: 'status', status: 400, message: 'prompt is too long' }, on: { nth: 9 } },
      { fault: { type: 'status', status: 400, message: 'prompt is too long' }, on: { nth: 11 } },
    ] as const
    const { session } = await openLoop({ wire: 'anthropic', steps, faults })
    for (let turn = 1; turn <= 8; turn += 1) await session.send(`message ${turn} ${'word '.repeat(100)}`)
    const events = await collect(session.run('and now?', never))
    expect(ended(events).data.result).toMatchObject({ isError: false, response: 'yes' })
    expect(types(events).filter((type) => type === 'AgentContextCompacted')).toHaveLength(2)
    const tiny = await openLoop({ wire: 'anthropic', steps, longest: 1000 })
    expect((await tiny.session.send('word '.repeat(400))).errorReason).toContain('does not fit')
  })

  it.each([
    ['the provider fails', { fault: { type: 'status', status: 500, message: 'down' } }, 'down'],
    ['the key is refused', { fault: { type: 'status', status: 401 } }, 'refused the key'],
  ] as const)('stays unchanged when %s during the summary', async (_, { fault }, reason) => {
    const steps = [
      { when: { text: 'Sum up this conversation' }, then: { text: 'They spoke of 42.' } },
      { repeat: true, then: { text: 'noted', usage: { input_tokens: 1900, output_tokens: 10 } } },
    ]
    const faults = [{ fault, on: { nth: 2 } }]
    const { harness, session } = await openLoop({ wire: 'anthropic', steps, faults, backend: { catalog } })
    await session.send('remember 42')
    expect((await session.send('what was it?')).errorReason).toContain(reason)
    expect((await session.send('and now?')).isError).toBe(false)
    expect(messagesOf(harness.requests()[2])).toContain('remember 42')
    expect(messagesOf(harness.requests().at(-1))).toContain('They spoke of 42.')
  })

  it('stays unchanged when the model returns no summary', async () => {
    const steps = [
      { when: { text: 'Sum up this conversation' }, then: { text: '', stop_reason: 'refusal' as const } },
      { when: { text: 'Sum up this conversation' }, then: { text: 'They spoke of 42.' } },
      { repeat: true, then: { text: long, usage: { input_tokens: 1900, output_tokens: 10 } } },
    ]
    const { harness, session } = await openLoop({ wire: 'anthropic', steps, backend: { catalog } })
    await session.send('remember 42')
    expect((await session.send('what was it?')).errorReason).toContain('summary')
    expect((await session.send('and now?')).isError).toBe(false)
    expect(messagesOf(harness.requests().at(-1))).toContain('They spoke of 42.')
  })
})

function testAgentModel() {
  const { id } = testAgent('/').model
  return { id, aliases: [], label: id, tier: 'high', price: null, use: '' } as const
}
