import { tmpdir } from 'node:os'
import type { TraceSettings } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { Script, Step } from '../backends/scripted/script.ts'
import type { EngineOptions } from '../engine-options.ts'
import { silentLogger } from '../ports/logger.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { type CollectedSpan, openCollector } from './collector.fixture.ts'
import { traceSessions } from './trace-sessions.ts'
import { canary, openTracedEngine } from './traced-engine.fixture.ts'

const settings = (url: string, change: Partial<TraceSettings> = {}): TraceSettings => ({
  serviceName: 'quarterdeck-tester',
  resource: { 'deployment.environment.name': 'test', 'service.name': 'not this one' },
  sampleRate: 1,
  capturesContent: false,
  queue: { maxSpans: 2048, maxBatch: 512, delayMs: 20 },
  console: false,
  otlp: { endpoint: `${url}/v1/traces`, headers: ['authorization'], timeoutMs: 5000, compression: 'gzip' },
  ...change,
})

const bash: Step = {
  type: 'tool',
  name: 'Bash',
  input: { command: 'echo a-declared-secret-value' },
  result: 'the result',
}

const turnsOf = (spans: readonly CollectedSpan[]) => spans.filter(({ name }) => name === 'invoke_agent tester')

describe('a turn', () => {
  it('is exported as spans with the names of the conventions and without content', async () => {
    const collector = await openCollector()
    const script: Script = [
      [
        { type: 'usage', input: 10, output: 5 },
        bash,
        {
          type: 'subagent',
          agentType: 'searcher',
          description: 'Looks',
          summary: 'found',
          toolUseId: 'toolu_sub',
          steps: [{ type: 'tool', name: 'Grep', input: { pattern: 'x' }, result: 'no', isError: true }],
        },
        { type: 'text', chunks: ['the answer'] },
      ],
    ]
    const engine = await openTracedEngine({ script, traces: settings(collector.url) })
    const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'the question' }, 'ana')
    await engine.allowAll(sessionId)
    await engine.close()

    const spans = collector.spans()
    const one = (name: string): CollectedSpan => {
      const [found, ...more] = spans.filter((span) => span.name === name)
      if (found === undefined || more.length > 0)
        throw new Error(`not one ${name} in ${spans.map((span) => span.name)}`)
      return found
    }
    const turn = one('invoke_agent tester')
    const common = { 'gen_ai.conversation.id': sessionId, 'gen_ai.provider.name': 'simulator' }
    expect(collector.resource()).toEqual({
      'service.name': 'quarterdeck-tester',
      'deployment.environment.name': 'test',
    })
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(turn.parentSpanId).toBeUndefined()
    expect(turn.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      ...common,
      'gen_ai.agent.name': 'tester',
      'gen_ai.request.model': 'claude-sonnet-4-5-20250929',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'quarterdeck.turn.outcome': 'completed',
      'quarterdeck.cost.usd': expect.any(Number),
    })
    const request = one('chat claude-sonnet-4-5-20250929')
    expect(request.parentSpanId).toBe(turn.spanId)
    expect(request.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      ...common,
      'gen_ai.response.model': 'scripted',
      'gen_ai.usage.input_tokens': 10,
    })
    const call = one('execute_tool Bash')
    expect(call).toMatchObject({ parentSpanId: turn.spanId, isError: false })
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      ...common,
      'gen_ai.tool.name': 'Bash',
      'gen_ai.tool.call.id': expect.any(String),
      'quarterdeck.approval.decision': 'allow',
      'quarterdeck.approval.wait_ms': expect.any(Number),
    })
    const subagent = one('invoke_agent searcher')
    expect(spans.find(({ spanId }) => spanId === subagent.parentSpanId)?.parentSpanId).toBe(turn.spanId)
    expect(one('execute_tool Grep')).toMatchObject({
      parentSpanId: subagent.spanId,
      isError: true,
      attributes: { 'error.type': 'tool_error' },
    })

    const headers = collector.requests.map((each) => each.headers.authorization)
    expect(new Set(headers)).toEqual(new Set([canary]))
    expect(collector.requests[0]?.headers['content-encoding']).toBe('gzip')
    const bodies = collector.requests.map(({ body }) => body).join('\n')
    for (const secretText of ['the question', 'the answer', 'the result', 'echo', 'a-declared-secret-value', canary])
      expect(bodies).not.toContain(secretText)
  })

  it('observability.traces.capture_content: exports content without secrets', async () => {
    const collector = await openCollector()
    const script: Script = [[bash, { type: 'text', chunks: ['the answer'] }]]
    const engine = await openTracedEngine({ script, traces: settings(collector.url, { capturesContent: true }) })
    const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'the question' }, 'ana')
    await engine.allowAll(sessionId)
    await engine.close()
    const [turn] = collector.spans().filter(({ name }) => name === 'invoke_agent tester')
    const [call] = collector.spans().filter(({ name }) => name === 'execute_tool Bash')
    expect(turn?.attributes).toMatchObject({
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"the question"}]}]',
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"the answer"}]}]',
    })
    expect(call?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"command":"echo [redacted]"}',
      'gen_ai.tool.call.result': 'the result',
    })
    expect(collector.text()).not.toContain('a-declared-secret-value')
  })

  it('that fails has its error, and its open calls are unfinished', async () => {
    const collector = await openCollector()
    const script: Script = [[{ type: 'fail', reason: 'the private reason' }]]
    const engine = await openTracedEngine({ script, traces: settings(collector.url) })
    const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await engine.until(sessionId, 'failed')
    await engine.close()
    expect(collector.spans()).toEqual([
      expect.objectContaining({
        name: 'invoke_agent tester',
        isError: true,
        attributes: expect.objectContaining({ 'error.type': 'failed' }),
      }),
    ])
    expect(collector.text()).not.toContain('the private reason')
  })

  it('observability.traces.sample_rate: 0 exports no turn, and neither does a file without the block', async () => {
    for (const traces of ['sampled', null]) {
      const collector = await openCollector()
      const engine = await openTracedEngine({
        script: [],
        traces: traces === null ? null : settings(collector.url, { sampleRate: 0 }),
      })
      const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
      await engine.until(sessionId, 'idle')
      await engine.close()
      expect(collector.requests).toEqual([])
    }
  })

  it('contains only the messages of its own session', async () => {
    const collector = await openCollector()
    const script: Script = [[bash], [{ type: 'text', chunks: ['the answer'] }]]
    const engine = await openTracedEngine({ script, traces: settings(collector.url, { capturesContent: true }) })
    const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'the first' }, 'ana')
    await engine.until(sessionId, 'waiting_approval')
    const second = await engine.sessions.sendMessage(sessionId, { content: 'the secnod', delivery: 'queued' }, 'ana')
    const third = await engine.sessions.sendMessage(sessionId, { content: 'never mind', delivery: 'queued' }, 'ana')
    await engine.sessions.editMessage(sessionId, second.messageId, { content: 'the second' }, 'ana')
    await engine.sessions.cancelMessage(sessionId, third.messageId, 'ana')
    await engine.allowAll(sessionId)
    await expect.poll(() => turnsOf(collector.spans()).length, { timeout: 60_000 }).toBe(2)
    const inputMessages = turnsOf(collector.spans()).map(({ attributes }) => attributes['gen_ai.input.messages'])
    expect(inputMessages).toEqual([expect.stringContaining('"the first"'), expect.stringContaining('"the second"')])
    expect(collector.text()).not.toContain('never mind')
    await engine.close()
  })

  it('keeps its collector to the end, even if the agent file names another one meanwhile', async () => {
    const [before, after] = [await openCollector(), await openCollector()]
    const script: Script = (input) => (input === 'long' ? [bash] : [])
    const engine = await openTracedEngine({ script, traces: settings(before.url) })
    const long = await engine.sessions.createSession({ agent: 'tester', message: 'long' }, 'ana')
    await engine.until(long.sessionId, 'waiting_approval')
    engine.trace(settings(after.url))
    const short = await engine.sessions.createSession({ agent: 'tester', message: 'short' }, 'ana')
    await expect.poll(() => turnsOf(after.spans()).length, { timeout: 60_000 }).toBe(1)
    await engine.allowAll(long.sessionId)
    // The runtime is still open: the exporter was closed by the end of its last turn.
    await expect.poll(() => turnsOf(before.spans()).length, { timeout: 60_000 }).toBe(1)
    await engine.close()
    const sessionsOf = (spans: readonly CollectedSpan[]) =>
      new Set(spans.map(({ attributes }) => attributes['gen_ai.conversation.id']))
    expect(sessionsOf(before.spans())).toEqual(new Set([long.sessionId]))
    expect(sessionsOf(after.spans())).toEqual(new Set([short.sessionId]))
    expect(engine.warnings).toEqual([])
  })

  it('that ends before its agent file is read is exported completely, even if the runtime closes then', async () => {
    const written: Parameters<NonNullable<EngineOptions['onWritten']>>[] = []
    const engine = await openTracedEngine({ script: [], onWritten: (...observed) => void written.push(observed) })
    const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'the question' }, 'ana')
    await engine.until(sessionId, 'idle')

    const collector = await openCollector()
    const agent = testAgent(tmpdir(), { observability: settings(collector.url, { capturesContent: true }) })
    let read: () => void = () => undefined
    const loading = new Promise<void>((resolve) => {
      read = resolve
    })
    const tracer = traceSessions({
      clock: { now: () => new Date() },
      logger: silentLogger,
      headersOf: async () => ({}),
      loadAgent: () => loading.then(() => agent),
    })
    for (const [state, events] of written) tracer.observe(state, events)
    const closed = tracer.close()
    read()
    await closed
    expect(turnsOf(collector.spans()).map(({ attributes }) => attributes['gen_ai.input.messages'])).toEqual([
      expect.stringContaining('"the question"'),
    ])
  })

  it('loads the agent file once, even if it is not traced', async () => {
    const collector = await openCollector()
    const loads: number[] = []
    for (const traces of [settings(collector.url), null]) {
      const engine = await openTracedEngine({ script: [], traces })
      const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
      await engine.until(sessionId, 'idle')
      await engine.close()
      loads.push(engine.loads())
    }
    expect(loads[1]).toBe(loads[0])
  })

  it('is not affected by an unreachable collector, and the runtime closes', async () => {
    const engine = await openTracedEngine({ script: [], traces: settings('http://127.0.0.1:9') })
    const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await engine.until(sessionId, 'idle')
    await engine.close()
  })
})

describe('a model request through the gateway', () => {
  it('lasts from its authorization to its booking', async () => {
    const collector = await openCollector()
    const script: Script = [[{ type: 'stall', chunks: ['hm'] }]]
    const engine = await openTracedEngine({ script, traces: settings(collector.url) })
    const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await engine.until(sessionId, 'running')
    const model = 'claude-sonnet-4-5-20250929'
    const name = { sessionId, requestId: 'req_1' }
    const tokens = { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 }
    const asked = { ...name, model, inputTokens: 3, cachedInputTokens: 0, maxOutputTokens: 10 }
    expect(await engine.gateway.authorize(asked, new AbortController().signal)).toEqual({ type: 'go' })
    const waitMs = 60
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    const use = { ...name, apiMessageId: 'msg_1', requestedModel: model, servedModel: 'served-model', tokens }
    await engine.gateway.settle(use)
    await engine.sessions.interrupt(sessionId, 'ana')
    await engine.until(sessionId, 'interrupted')
    await engine.close()
    const [request] = collector.spans().filter(({ name: each }) => each.startsWith('chat '))
    expect(request?.durationMs).toBeGreaterThanOrEqual(waitMs - 5)
    expect(request?.attributes).toMatchObject({
      'gen_ai.response.model': 'served-model',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.usage.input_tokens': 14,
      'gen_ai.usage.cache_read.input_tokens': 5,
      'gen_ai.usage.cache_creation.input_tokens': 6,
    })
  })
})
