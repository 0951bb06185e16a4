// Broken or malicious answers of providers: each is booked and reported with a message, and the session stays usable.
import { TokenCounts } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { BackendEvent } from '../backend.ts'
import { collect, ended, find, types } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { defaultRetryPolicy } from './request/loop-retry-policy.ts'
import { openFakeProvider, type ResponseChunks, wireFormats } from './testing/fake-provider.fixture.ts'
import { openHarness, wires } from './testing/loop-harness.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'

const retryPolicy = { ...defaultRetryPolicy, maxRetries: 2, firstDelayMs: 1 }

/** A session with a provider that gives these answers. */
async function openWith(
  wire: (typeof wires)[number],
  answers: readonly ResponseChunks[],
  more: Partial<typeof retryPolicy> = {},
) {
  const provider = await openFakeProvider(answers)
  const backend = { retryPolicy: { ...retryPolicy, ...more } }
  const harness = await openHarness({ wire, steps: [{ then: { text: 'nobody asks' } }], backend })
  const { modelAccess } = harness.options()
  if (modelAccess.type !== 'in-process') throw new Error('the loop asks by itself')
  const hostTools = toolboxOf({ mcp__tools__look: says('seen') })
  const access = { ...modelAccess, baseUrl: provider.baseUrl }
  const session = await harness.backend.createSession(harness.options({ hostTools, modelAccess: access }))
  const run = (text = 'go') => collect(session.run(text, never))
  return { provider, harness, run }
}

const reasonOf = (events: readonly BackendEvent[]) => ended(events).data.result.errorReason

describe.each(wires)('a malformed answer on the %s wire', (wire) => {
  const { start, text, thinking, call, end, ...more } = wireFormats[wire]
  const head = { id: 'msg_1', model: 'm', usage: { input_tokens: 7, output_tokens: 1 } }
  const countNames = wire === 'anthropic' ? ['input_tokens', 'output_tokens'] : ['prompt_tokens', 'completion_tokens']
  const usage = (input: unknown, output: unknown) =>
    Object.fromEntries([input, output].map((n, i) => [countNames[i], n]))
  const hello = [start(head), text('hello there'), end(usage(7, 3))]
  const endless = function* (first: string, again: string): ResponseChunks {
    yield start(head) + first
    for (;;) yield again
  }

  it.each([
    ['abc', {}],
    [-1000, -1000],
    [1e300, 1e300],
    [1.5, 1.5],
    [null, undefined],
    [0, 0],
  ])('is booked by an estimate if it counts its tokens as %j and %j', async (input, output) => {
    const counts = usage(input, output)
    const { harness, run } = await openWith(wire, [
      [start({ ...head, usage: counts }), text('hello there'), end(counts)],
    ])
    const events = await run()
    expect(ended(events).data.outcome).toBe('completed')
    const [ticket] = harness.admission.tickets
    const estimated = TokenCounts.parse(ticket?.settled?.tokens)
    expect(estimated).toMatchObject({ output: 3, isOutputEstimated: true, cacheRead: 0, cacheWrite: 0 })
    expect(estimated.input).toBe(ticket?.estimate.inputTokens)
    expect(TokenCounts.parse(ticket?.begun?.tokens).input).toBe(ticket?.estimate.inputTokens)
    expect(find(events, 'UsageRecorded').data.tokens).toEqual(estimated)
  })

  it.each([
    ['a number', 7],
    ['an object', {}],
    ['nothing', undefined],
    ['an empty string', ''],
    ['too long', 'x'.repeat(10_000)],
    ['half a surrogate pair', 'msg_\u0000\ud800'],
    ['a repeated one', 'msg_1'],
  ])('is booked under a generated id if its id is %s', async (_, id) => {
    const model = { what: 'is this' }
    const { harness, run } = await openWith(wire, [
      [start({ ...head, id, model }), text('hello there'), end(usage(7, 3))],
    ])
    const events = [...(await run()), ...(await run())]
    const booked = harness.admission.tickets.map(({ settled }) => settled?.apiMessageId)
    for (const name of booked) expect(name).toMatch(/^[\w-]{1,100}$/)
    expect(new Set(booked).size).toBe(2)
    expect(harness.admission.tickets.map(({ begun }) => begun?.apiMessageId)).toEqual(booked)
    expect(harness.admission.tickets[0]?.settled?.servedModel).toBe(harness.options().model)
    const recorded = events.flatMap((event) => (event.type === 'UsageRecorded' ? [event.data.apiMessageId] : []))
    expect(recorded).toEqual(booked)
  })

  it.each([
    ['an id that is a number', { id: 7, name: 'mcp__tools__look' }],
    ['a name that is an object', { id: 'call_1', name: {} }],
    ['an overlong name', { id: 'call_1', name: 'x'.repeat(10_000) }],
  ])('ends the turn with a message and is not stored if it calls with %s', async (_, odd) => {
    const { provider, run } = await openWith(wire, [[start(head), call({ ...odd, json: '{}' }), end()], hello])
    const events = await run()
    expect(ended(events).data.outcome).toBe('failed')
    expect(reasonOf(events)).toMatch(
      /^the provider sent the (id|name) of a call that is not a string, or too long: check/,
    )
    expect(types(events)).not.toContain('AgentInvokedTool')
    expect(ended(await run('and now?')).data.result.response).toBe('hello there')
    expect(provider.asked).toHaveLength(2)
  })

  it.each([
    [
      'nested 20,000 levels deep',
      `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      'nested more than 100 levels deep',
    ],
    ['a number that is too large', '{"a":[1e999]}', 'a number that is too large'],
  ])('is reported to the model, and the call is not run, if the input is %s', async (_, json, words) => {
    const calls = [start(head), call({ id: 'call_1', name: 'mcp__tools__look', json }), end()]
    const { provider, run } = await openWith(wire, [calls, hello])
    const events = await run()
    expect(find(events, 'ToolExecuted').data).toMatchObject({ isError: true })
    expect(find(events, 'ToolExecuted').data.output).toContain(words)
    expect(find(events, 'AgentInvokedTool').data.toolInput).toEqual({})
    expect(ended(events).data.result.response).toBe('hello there')
    expect(ended(await run('and now?')).data.outcome).toBe('completed')
    expect(provider.asked[1]).toContain(words)
  })

  const piece = 'x'.repeat(50_000)
  const look = call({ id: 'call_1', name: 'mcp__tools__look', json: '{"a":"' })
  it.each([
    ['text', text(''), text(piece)],
    ['thinking', thinking(''), thinking(piece)],
    ['arguments', look, more.arguments(piece)],
  ])('is stopped and not requested again with endless %s', async (what, first, again) => {
    const { provider, harness, run } = await openWith(wire, [endless(first, again), hello])
    const events = await run()
    expect(ended(events).data.outcome).toBe('failed')
    expect(reasonOf(events)).toBe('the answer has more than 8 million characters and was stopped')
    expect(provider.asked).toHaveLength(1)
    await expect.poll(() => provider.left()).toBe(1)
    const [ticket] = harness.admission.tickets
    expect(ticket).toMatchObject({ ends: 1, settled: { tokens: { isOutputEstimated: true } } })
    expect(ticket?.settled?.tokens.output).toBeGreaterThan(1_900_000)
    const discarded = events.filter(({ type }) => type === 'AgentStreamDiscarded')
    expect(discarded).toHaveLength(what === 'text' ? 1 : 0)
    if (what === 'text') expect(find(events, 'AgentStreamDiscarded').data.reason).toBe(reasonOf(events))
    expect(ended(await run('and now?')).data.result.response).toBe('hello there')
  })

  it('is stopped and not requested again with endless calls', async () => {
    const calls = function* (): ResponseChunks {
      yield start(head)
      for (let index = 0; ; index += 1) yield call({ id: `call_${index}`, name: 'mcp__tools__look', json: '{}' }, index)
    }
    const { provider, run } = await openWith(wire, [calls()])
    expect(reasonOf(await run())).toBe('the answer has more than 1000 parts and was stopped')
    expect(provider.asked).toHaveLength(1)
  })

  it('is booked including the arguments of a call in which it breaks off', async () => {
    const { harness, run } = await openWith(wire, [[start(head), look, more.arguments(piece)], hello])
    expect(ended(await run()).data.outcome).toBe('completed')
    expect(harness.admission.tickets[0]?.settled?.tokens.output).toBeGreaterThan(12_500)
  })

  it('is reported in full if its error is an object', async () => {
    const message = { why: 'busy' }
    const { run } = await openWith(wire, [[more.error({ type: { a: 1 }, message })]], { maxRetries: 0 })
    expect(reasonOf(await run())).toBe('the answer broke off: {"why":"busy"}')
  })
})

describe('on the anthropic wire', () => {
  const { start, text, end } = wireFormats.anthropic
  const head = { id: 'msg_1', model: 'm', usage: { input_tokens: 7, output_tokens: 1 } }

  it('text before its message is booked', async () => {
    const { harness, run } = await openWith('anthropic', [[text('hello there'), start(head), start(head), end()]])
    const events = await run()
    expect(ended(events).data.result.response).toBe('hello there')
    expect(harness.admission.tickets).toMatchObject([
      { ends: 1, settled: { tokens: { output: 3, isOutputEstimated: true } } },
    ])
    expect(find(events, 'AgentThought').data.messageId).toBe(harness.admission.tickets[0]?.settled?.apiMessageId)
  })

  it('a provider that only sends pings counts as silent', async () => {
    const pings = function* (): ResponseChunks {
      yield start(head)
      for (;;) yield 'event: ping\ndata: {"type":"ping"}\n\n'
    }
    const { run } = await openWith('anthropic', [pings()], { maxRetries: 0, silenceMs: 200 })
    expect(reasonOf(await run())).toContain('no data for')
  })
})
