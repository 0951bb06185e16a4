// Requests of the loop that fail, wait, are refused or are answered by another model, on both wires.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentDefinition } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { claudeSettings, noTools } from '../../testing/agent-definition.fixture.ts'
import type { BackendEvent, SessionOptions } from '../backend.ts'
import { collect, ended, find, types } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { defaultRetryPolicy } from './request/loop-retry-policy.ts'
import { type LoopHarnessOptions, openHarness, openLoop, wires } from './testing/loop-harness.fixture.ts'

const retryPolicy = { ...defaultRetryPolicy, maxRetries: 2, firstDelayMs: 1 }

const open = (options: LoopHarnessOptions, overrides: Partial<SessionOptions> = {}) =>
  openLoop({ backend: { retryPolicy }, ...options }, overrides)

const hello = [{ repeat: true, then: { text: 'hello there' } }]
const status = (code: number, extra = {}) => ({ type: 'status', status: code, ...extra }) as const
const openai: Partial<AgentDefinition['model']> = { provider: 'openai', id: 'gpt-4o', name: 'gpt-4o' }

describe.each(wires)('requests on the %s wire', (wire) => {
  it('are booked once each, with their usage and the served model', async () => {
    const { harness, session } = await open({ wire, steps: hello })
    const events = await collect(session.run('hi', never))
    const [ticket, ...more] = harness.admission.tickets
    expect(more).toEqual([])
    expect(ticket).toMatchObject({ ends: 1, estimate: { model: harness.options().model }, retries: [] })
    expect(ticket?.estimate.inputTokens).toBeGreaterThan(0)
    const usage = find(events, 'UsageRecorded').data
    expect(ticket?.settled).toMatchObject({ apiMessageId: usage.apiMessageId, tokens: usage.tokens })
    expect(ticket?.begun?.apiMessageId).toBe(usage.apiMessageId)
    expect(find(events, 'AgentThought').data.messageId).toBe(usage.apiMessageId)
  })

  it('append the instructions of the session to those of the file', async () => {
    const asked = async (instructions: string | null) => {
      const sessionTools = { instructions, has: () => true }
      const { harness, session } = await open({ wire, steps: hello }, { sessionTools })
      await session.send('hi')
      return harness.admission.tickets[0]?.estimate.inputTokens ?? 0
    }
    expect(await asked('Only sites. '.repeat(200))).toBeGreaterThan((await asked(null)) + 200)
  })

  it('are retried after 429 and 5xx on the same ticket, after the delay that the provider requests', async () => {
    const faults = [
      { fault: status(429, { retry_after_seconds: 0.05 }), on: { nth: 1 } },
      { fault: status(503), on: { nth: 2 } },
    ] as const
    const { harness, session } = await open({ wire, steps: hello, faults })
    expect((await session.send('hi')).response).toBe('hello there')
    const [ticket, ...more] = harness.admission.tickets
    expect(more).toEqual([])
    expect(ticket?.retries).toMatchObject([
      { attempt: 1, maxRetries: 2, status: 429, delayMs: 50 },
      { attempt: 2, maxRetries: 2, status: 503 },
    ])
    expect(ticket?.ends).toBe(1)
  })

  it('are retried as often as configured, even after broken answers, and each one is booked', async () => {
    const faults = [
      { fault: status(503), on: { nth: 1 } },
      { fault: { type: 'reset_mid_stream', after_deltas: 1 }, on: 'every' },
    ] as const
    const harness = await openHarness({
      wire,
      steps: hello,
      faults,
      backend: { retryPolicy: { ...retryPolicy, maxRetries: 9 } },
    })
    const { modelAccess } = harness.options()
    if (modelAccess.type !== 'in-process') throw new Error('not in-process')
    const reported = { ...modelAccess, retryPolicy: { maxRetries: 3 } }
    const session = await harness.backend.createSession(harness.options({ modelAccess: reported }))
    expect(await session.send('hi')).toMatchObject({ isError: true })
    expect(harness.requests()).toHaveLength(4)
    const retries = harness.admission.tickets.flatMap((ticket) => ticket.retries)
    expect(retries).toMatchObject([1, 2, 3].map((attempt) => ({ attempt, maxRetries: 3 })))
    const booked = { ends: 1, settled: { tokens: { isOutputEstimated: true } } }
    expect(harness.admission.tickets).toMatchObject([booked, booked, booked])
  })

  it('count an answer as broken after the configured silence', async () => {
    const faults = [{ fault: { type: 'stall', after_deltas: 1 }, on: { nth: 1 } }] as const
    const harness = await openHarness({ wire, steps: hello, faults, backend: { retryPolicy } })
    const { modelAccess } = harness.options()
    if (modelAccess.type !== 'in-process') throw new Error('not in-process')
    const reported = { ...modelAccess, retryPolicy: { silenceMs: 100 } }
    const session = await harness.backend.createSession(harness.options({ modelAccess: reported }))
    expect((await session.send('hi')).response).toBe('hello there')
    expect(harness.admission.tickets[0]?.retries[0]).toMatchObject({
      maxRetries: 2,
      error: expect.stringContaining('no data'),
    })
  })

  it('give up with the provider’s message when it keeps failing', async () => {
    const faults = [{ fault: status(529, { message: 'too many of you' }), on: 'every' }] as const
    const { harness, session } = await open({ wire, steps: hello, faults })
    const result = await session.send('hi')
    expect(result).toMatchObject({ isError: true, errorReason: expect.stringContaining('too many of you') })
    expect(harness.requests()).toHaveLength(3)
    expect(harness.admission.tickets).toMatchObject([{ ends: 1, settled: null }])
  })

  it('are not retried if the request itself is invalid', async () => {
    const faults = [{ fault: status(400, { message: 'no such parameter' }), on: 'every' }] as const
    const { harness, session } = await open({ wire, steps: hello, faults })
    expect((await session.send('hi')).errorReason).toContain('no such parameter')
    expect(harness.requests()).toHaveLength(1)
  })

  it.each([401, 403])(
    'fail at once when the key is refused with %i, naming the variable and not the key',
    async (code) => {
      const faults = [{ fault: status(code, { message: 'bad key made-up' }), on: 'every' }] as const
      const model = {
        ...openai,
        authProvider: 'api_key',
        endpoint: null,
        apiVersion: null,
        maxTokens: null,
        temperature: null,
        topP: null,
      }
      const agent = wire === 'openai' ? { agent: { model: model as AgentDefinition['model'] } } : {}
      const { harness, session } = await open({ wire, steps: hello, faults, ...agent })
      const variable = wire === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY'
      const result = await session.send('hi')
      expect(result.errorReason).toBe(`the provider refused the key (${code}): check ${variable}`)
      expect(harness.requests()).toHaveLength(1)
      expect(harness.admission.tickets).toMatchObject([{ refusedKey: code, ends: 1 }])
    },
  )

  it('book a broken answer as far as it came, discard its text and are repeated', async () => {
    const faults = [{ fault: { type: 'reset_mid_stream', after_deltas: 1 }, on: { nth: 1 } }] as const
    const { harness, session } = await open({ wire, steps: hello, faults })
    const events = await collect(session.run('hi', never))
    expect(ended(events).data.result.response).toBe('hello there')
    expect(find(events, 'AgentStreamDiscarded').data.text).toBe('hello')
    expect(harness.admission.tickets).toMatchObject([
      { ends: 1, retries: [{ attempt: 1 }], settled: { tokens: { isOutputEstimated: true } } },
      { ends: 1, settled: { tokens: { output: expect.any(Number) } } },
    ])
  })

  it('are repeated after an error in the middle of a stream and after one that is not JSON', async () => {
    const faults = [
      { fault: { type: 'error_event', after_deltas: 1 }, on: { nth: 1 } },
      { fault: { type: 'malformed_sse', after_deltas: 1 }, on: { nth: 2 } },
    ] as const
    const { harness, session } = await open({ wire, steps: hello, faults })
    expect((await session.send('hi')).response).toBe('hello there')
    expect(harness.admission.tickets.map(({ ends }) => ends)).toEqual([1, 1, 1])
  })

  it('count an answer that falls silent as broken', async () => {
    const faults = [{ fault: { type: 'stall', after_deltas: 1 }, on: { nth: 1 } }] as const
    const impatient = { retryPolicy: { ...retryPolicy, silenceMs: 100 } }
    const { harness, session } = await open({ wire, steps: hello, faults, backend: impatient })
    expect((await session.send('hi')).response).toBe('hello there')
    expect(harness.admission.tickets[0]?.retries[0]?.error).toContain('no data for')
  })

  it('wait longer for the first data than between data', async () => {
    const faults = [{ fault: { type: 'slow_first_byte', delay_ms: 400 }, on: { nth: 1 } }] as const
    const impatient = { retryPolicy: { ...retryPolicy, silenceMs: 100, firstByteMs: 60_000 } }
    const { harness, session } = await open({ wire, steps: hello, faults, backend: impatient })
    expect((await session.send('hi')).response).toBe('hello there')
    expect(harness.requests()).toHaveLength(1)
  })

  it('have a time limit for the first data', async () => {
    const faults = [{ fault: { type: 'slow_first_byte', delay_ms: 60_000 }, on: { nth: 1 } }] as const
    const impatient = { retryPolicy: { ...retryPolicy, firstByteMs: 100 } }
    const { harness, session } = await open({ wire, steps: hello, faults, backend: impatient })
    expect((await session.send('hi')).response).toBe('hello there')
    expect(harness.admission.tickets[0]?.retries[0]?.error).toContain('no data for')
  })

  it('reserve thinking tokens in addition to output tokens', async () => {
    const { harness, session } = await open({ wire, steps: hello }, { thinking: { budgetTokens: 10_000 } })
    await session.send('hi')
    expect(harness.admission.tickets[0]?.estimate.maxOutputTokens).toBe(26_000)
    if (wire === 'anthropic') expect(harness.requests()[0]?.max_tokens).toBe(26_000)
  })

  it('use the fallback model when their own is overloaded and report it', async () => {
    const claude = claudeSettings('/', { ...noTools, fallbackModel: 'claude-haiku-4-5' })
    const faults = [{ fault: status(529), on: { nth: 1 } }] as const
    const steps = [{ then: { tools: [{ name: 'Bash', input: { command: 'echo 1' } }] } }, ...hello]
    const { harness, session } = await open({ wire, steps, faults, agent: { claude } })
    const events = await collect(session.run('hi', never))
    const from = harness.options().model
    expect(find(events, 'ModelFellBack').data).toMatchObject({ from, to: 'claude-haiku-4-5' })
    expect(types(events).filter((type) => type === 'ModelFellBack')).toHaveLength(1)
    expect(harness.requests().map(({ model }) => model)).toEqual([from, 'claude-haiku-4-5', 'claude-haiku-4-5'])
    expect(harness.admission.tickets).toMatchObject([{ ends: 1, settled: null }, { ends: 1 }, { ends: 1 }])
    await session.send('again')
    expect(harness.requests().at(-1)?.model).toBe(from)
  })

  it('use a model that a person selects during a fallback', async () => {
    const claude = claudeSettings('/', { ...noTools, fallbackModel: 'claude-haiku-4-5' })
    const faults = [{ fault: status(529), on: { nth: 1 } }] as const
    const steps = [{ then: { tools: [{ name: 'Bash', input: { command: 'echo 1' } }] } }, ...hello]
    const { harness, session } = await open({ wire, steps, faults, agent: { claude } })
    for await (const event of session.run('hi', never)) {
      if (event.type === 'ModelFellBack') await session.setModel('claude-opus-4-1')
    }
    expect(harness.requests().map(({ model }) => model)).toEqual([
      harness.options().model,
      'claude-haiku-4-5',
      'claude-opus-4-1',
    ])
  })

  it('stop waiting for a retry as soon as the turn is interrupted', async () => {
    const faults = [{ fault: status(429, { retry_after_seconds: 300 }), on: { nth: 1 } }] as const
    const { harness, session } = await open({ wire, steps: hello, faults })
    const running = collect(session.run('hi', never))
    while (harness.admission.tickets[0]?.retries.length !== 1) await sleep(5)
    await session.interrupt()
    expect(ended(await running).data.outcome).toBe('interrupted')
    expect(harness.admission.tickets).toMatchObject([{ ends: 1, settled: null }])
  })

  it('do not wait for a provider that requests an hour', async () => {
    const faults = [{ fault: status(429, { retry_after_seconds: 3600 }), on: 'every' }] as const
    const { session } = await open({ wire, steps: hello, faults })
    expect((await session.send('hi')).errorReason).toContain('429')
  })

  it('book the usage of an interrupted answer so far', async () => {
    const faults = [{ fault: { type: 'stall', after_deltas: 1 }, on: { nth: 1 } }] as const
    const { harness, session } = await open({ wire, steps: hello, faults })
    const events: BackendEvent[] = []
    for await (const event of session.run('hi', never)) {
      events.push(event)
      if (event.type === 'AgentStreamToken') await session.interrupt()
    }
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(find(events, 'AgentStreamDiscarded').data.reason).toBe('interrupted')
    const [ticket] = harness.admission.tickets
    expect(ticket).toMatchObject({ ends: 1, settled: { tokens: { isOutputEstimated: true } } })
    expect(ticket?.settled?.tokens.output).toBeGreaterThan(ticket?.begun?.tokens.output ?? 9)
    await session.send('and now?')
    expect(JSON.stringify(harness.requests().at(-1)?.messages)).toContain('[Request interrupted by user]')
  })

  it('fail with the message of a refused admission and continue once admitted', async () => {
    const { harness, session } = await open({ wire, steps: hello })
    harness.admission.refuseWith({
      type: 'refuse',
      status: 403,
      errorType: 'permission_error',
      message: 'no money left',
    })
    expect(await session.send('hi')).toMatchObject({ isError: true, errorReason: 'no money left' })
    harness.admission.refuseWith(null)
    expect((await session.send('hi')).response).toBe('hello there')
  })

  it('fail an answer that was cut off at max_tokens and suggest a remedy', async () => {
    const steps = [{ then: { text: 'half a', stop_reason: 'max_tokens' as const } }]
    const { session } = await open({ wire, steps })
    const result = await session.send('hi')
    expect(result).toMatchObject({ isError: true, response: 'half a' })
    expect(result.errorReason).toContain('raise model.max_tokens')
  })
})
