// Lost connections, server restarts and missing readers during an analysis.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@quarterdeck/client'
import { silentLogger } from '@quarterdeck/engine'
import { type AnalysisEvent, isWakeMessage, modelCatalog, QuarterdeckError } from '@quarterdeck/protocol'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../../app/app.fixture.ts'
import { startServer } from '../../app/start-server.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { createIdempotency } from '../../middleware/idempotency.ts'
import { answerErrors } from '../../middleware/problem-response.ts'
import { createBackgroundWork } from '../../runtime/background-work.ts'
import { runtimeOptions, type Script } from '../../runtime/runtime.fixture.ts'
import { defaultStreamTiming } from '../../transports/stream-deps.ts'
import { answer, browserOf, call, ofType, openAnalysisApp, query, readStream, tables } from './analysis.fixture.ts'
import { createAnalyzeWire } from './mount-analyze-wire.ts'

async function serve(runtime: Awaited<ReturnType<typeof runtimeOptions>>) {
  const server = await startServer({ host: '127.0.0.1', port: 0, runtime })
  onTestFinished(() => server.close())
  const token = (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()
  const request: Parameters<typeof browserOf>[0] = (path, { method = 'GET', body, headers = {} } = {}) =>
    fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { server, token, request, ...browserOf(request) }
}

describe('a lost connection', () => {
  it('during two calls: both are sent again and answered, and the answer arrives once', async () => {
    const app = await openAnalysisApp([
      [{ type: 'text', chunks: ['I look.'] }, { type: 'parallel', tools: [query('A'), query('B')] }, answer('Done.')],
    ])
    const started = await app.start()
    const response = await app.call(started.streamUrl)
    const lost = readStream(response)
    const calls = ofType(await lost.untilType('tool_call', 2), 'tool_call')
    const back = await app.stream(started.streamUrl, lost.lastId())
    const again = ofType(await back.untilType('tool_call', 2), 'tool_call')
    expect(again.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
    for (const { id } of calls) await app.giveBack(started, id, { result: 1 })
    await back.ended
    expect(ofType(back.frames, 'answer')).toHaveLength(1)
    expect(back.events().at(-1)).toEqual({ type: 'done' })
    const late = await app.stream(started.streamUrl)
    await late.ended
    expect(ofType(late.frames, 'tool_call').map(({ answered }) => answered)).toEqual([true, true])
  })

  it('together with its server: the next server sends the call again and accepts its token', async () => {
    const script: Script = (input) => (isWakeMessage(input) ? [answer('After all.')] : [query('SELECT 1')])
    const runtime = await runtimeOptions(script)
    const first = await serve(runtime)
    const started = await first.start()
    const lost = await first.stream(started.streamUrl)
    const [open] = ofType(await lost.untilType('tool_call'), 'tool_call')
    if (open === undefined) throw new Error('nothing is called')
    await first.server.close()
    const second = await serve(runtime)
    const back = await second.stream(started.streamUrl, lost.lastId())
    expect(ofType(await back.untilType('tool_call'), 'tool_call')).toMatchObject([{ id: open.id, resent: true }])
    expect((await second.giveBack(started, open.id, { result: [[3]] })).status).toBe(202)
    await back.ended
    expect(ofType(back.frames, 'answer').map(({ result }) => result.answer)).toEqual(['After all.'])
    expect(ofType(back.frames, 'error')).toEqual([])
  })

  it('together with its server during a call: the next server stops it and answers the next question', async () => {
    const runtime = await runtimeOptions((input) =>
      input.startsWith('Next?') ? [answer('Next.')] : [query('SELECT 1')],
    )
    const first = await serve(runtime)
    const started = await first.start()
    const { sessionId } = started
    await (await first.stream(started.streamUrl)).untilType('tool_call')
    await first.server.close()
    const second = await serve(runtime)
    const back = await second.stream(started.streamUrl)
    await back.untilType('tool_call')
    await second.request(`/api/analyze?sessionId=${sessionId}`, { method: 'DELETE' })
    await back.ended
    expect(ofType(back.frames, 'error')).toMatchObject([{ code: 'cancelled' }])
    const next = await second.stream((await second.start({ sessionId, question: 'Next?' })).streamUrl)
    await next.ended
    expect(ofType(next.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Next.'])
    const client = createClient({ baseUrl: second.server.url, token: second.token })
    // Nothing of the stopped question wakes it after the answer.
    expect((await client.getSession(sessionId)).session).toMatchObject({
      status: 'idle',
      unreported: [],
      clientCalls: [],
    })
  })
})

describe('an analysis without a reader', () => {
  /** The wire alone with a short expiry, as on a compatibility listener. */
  async function openImpatient(script: Script) {
    const app = await openTestApp(script)
    onTestFinished(app.close)
    const principal = { name: 'door', owner: 'door', scope: 'operator', requestsPerMinute: null } as const
    const closing = new AbortController()
    onTestFinished(() => closing.abort())
    const mount = createAnalyzeWire({ expiryMs: 20 })
    const openWireApp = () => {
      const hono = new Hono<AppEnv>()
      hono.onError(answerErrors(silentLogger))
      hono.use(async (c, next) => {
        c.set('principal', principal)
        c.set('key', null)
        await next()
      })
      mount(hono, {
        sessionsOf: app.runtime.engine.sessionsOf,
        keys: app.runtime.engine.keys,
        agents: app.runtime.engine.agents,
        catalog: modelCatalog,
        version: '0',
        now: Date.now,
        isDraining: () => false,
        openMeter: () => () => undefined,
        agent: 'hello',
        timing: defaultStreamTiming,
        closing: closing.signal,
        logger: silentLogger,
        sign: () => 'none',
        keyWatch: { watch: () => ({ revoked: closing.signal, release: () => undefined }) },
        models: async () => [],
        idempotency: createIdempotency(app.runtime.engine.replies),
        background: createBackgroundWork(),
      })
      const request: Parameters<typeof browserOf>[0] = async (path, { method = 'GET', body, headers = {} } = {}) =>
        hono.request(path, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      return { ...browserOf(request), request }
    }
    return { ...openWireApp(), openWireApp, sessions: app.runtime.engine.sessionsOf(principal) }
  }

  it('is parked with its call, reports it, refuses a result until it is woken, and continues then', async () => {
    const app = await openImpatient([[query('SELECT 1'), answer('Done.')]])
    const { sessionId, streamUrl } = await app.start()
    const state = async () => (await app.sessions.getSession(sessionId)).session
    await expect.poll(async () => (await state()).clients, { timeout: 60_000 }).toEqual([])
    const { status, clientCalls } = await state()
    expect(status).toBe('waiting_client')
    const [toolCallId] = clientCalls.map(({ callId }) => callId)
    const parked = await app.stream(streamUrl)
    await parked.ended
    expect(parked.events().at(-1)).toMatchObject({ type: 'error', code: 'session_expired', retryable: true })
    const resumed = await app.request(streamUrl, { headers: { 'last-event-id': parked.lastId() } })
    expect(resumed.status).toBe(204)
    const giveBack = () =>
      app.request('/api/analyze/tool-result', { method: 'POST', body: { sessionId, toolCallId, result: 1 } })
    expect((await giveBack()).status).toBe(410)
    const woken = await app.start({ sessionId })
    const stream = await app.stream(woken.streamUrl)
    expect(ofType(await stream.untilType('tool_call'), 'tool_call')).toMatchObject([{ id: toolCallId, resent: true }])
    // Longer than the expiry: a reader keeps it alive.
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect((await giveBack()).status).toBe(202)
    await stream.ended
    expect(ofType(stream.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Done.'])
  })

  it('is not parked while it is read through another listener of the same server', async () => {
    const app = await openImpatient([[query('SELECT 1'), answer('Done.')]])
    const other = app.openWireApp()
    const { sessionId, streamUrl, toolToken } = await app.start()
    const stream = await other.stream(streamUrl)
    const [open] = ofType(await stream.untilType('tool_call'), 'tool_call')
    if (open === undefined) throw new Error('nothing is called')
    // Much longer than the expiry of the listener where it was started.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await app.giveBack({ sessionId, toolToken }, open.id, { result: 1 })).status).toBe(202)
    await stream.ended
    expect(ofType(stream.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Done.'])
  })
})

describe('analyze() of the typed client', () => {
  const script: Script = (input) => {
    if (input === 'Again?') return [answer('Once more.')]
    if (input === 'Ask!') return [call('ask_user', { question: 'Which?' }), call('nonsense', {}), answer('Asked.')]
    return [{ type: 'parallel', tools: [query('A'), query('bad')] }, answer('Twelve.', { sourceStep: 1 })]
  }

  it('runs the given functions concurrently, reports their errors, and resolves with the answer', async () => {
    const runtime = await runtimeOptions(script)
    const { server, token } = await serve(runtime)
    let connections = 0
    const dropping: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (!String(input).includes('sessionId=') || response.body === null) return response
      connections += 1
      // The first connections are cut after their first bytes.
      return connections > 2 ? response : new Response(firstChunk(response.body), response)
    }
    const client = createClient({ baseUrl: server.url, token, fetch: dropping })
    const seen: AnalysisEvent[] = []
    const ran: unknown[] = []
    const tools = {
      run_query: ({ sql }: { sql?: unknown }) => {
        ran.push(sql)
        if (sql === 'bad') throw new Error('no such column')
        return { rows: [[12]] }
      },
      ask_user: () => 'the first one',
    }
    const result = await client.analyze('How many?', tables, { tools, onEvent: (event) => void seen.push(event) })
    expect(result).toMatchObject({ answer: 'Twelve.', chartType: 'bar', sourceStep: 1, usage: { units: 0 } })
    expect(ran.sort()).toEqual(['A', 'bad'])
    expect(connections).toBeGreaterThan(2)
    expect(seen.filter(({ type }) => type === 'tool_call')).toHaveLength(2)
    const [first] = seen
    if (first?.type !== 'session') throw new Error('the first event is another')
    const { sessionId } = first
    expect(await client.analyze('Again?', [], { tools, sessionId })).toMatchObject({ answer: 'Once more.' })
    const { events } = await client.readEvents(sessionId)
    const executed = events.flatMap((event) => (event.type === 'ToolExecuted' ? [event.data] : []))
    expect(executed.find(({ isError }) => isError)?.output).toBe('no such column')
    expect(await client.analyze('Ask!', tables, { tools })).toMatchObject({ answer: 'Asked.' })
  })

  it.each([
    ['too large', () => 'x'.repeat(8 * 1024 * 1024), 'larger than'],
    ['too deep', () => JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`), 'levels deep'],
  ])('reports a result that is %s for the server to the model, and continues', async (_, run, words) => {
    const runtime = await runtimeOptions(() => [query('A'), answer('Done.')])
    const { server, token } = await serve(runtime)
    const client = createClient({ baseUrl: server.url, token })
    expect(await client.analyze('Long?', tables, { tools: { run_query: run } })).toMatchObject({ answer: 'Done.' })
    const [session] = (await client.listSessions()).sessions
    const { events } = await client.readEvents(session?.sessionId as never)
    const executed = events.flatMap((event) => (event.type === 'ToolExecuted' ? [event.data] : []))
    expect(executed.find(({ isError }) => isError)?.output).toContain(words)
  })

  it('cancels the analysis when its signal aborts, and reports the reason if there is no answer', async () => {
    const runtime = await runtimeOptions((input) =>
      input === 'Fail!' ? [{ type: 'fail', reason: 'out of luck' }] : [query('A')],
    )
    const { server, token } = await serve(runtime)
    const client = createClient({ baseUrl: server.url, token })
    const stop = new AbortController()
    const never = () => {
      stop.abort(new Error('enough'))
      return new Promise(() => undefined)
    }
    await expect(client.analyze('Long?', tables, { tools: { run_query: never }, signal: stop.signal })).rejects.toThrow(
      'enough',
    )
    const [session] = (await client.listSessions()).sessions
    await expect
      .poll(async () => (await client.getSession(session?.sessionId as never)).session.status, { timeout: 60_000 })
      .toBe('interrupted')
    const failure = await client.analyze('Fail!', tables, { tools: {} }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(QuarterdeckError)
    expect(failure).toMatchObject({ code: 'analysis.failed', message: 'out of luck', facts: { reason: 'failed' } })
  })
})

/** The first chunk, followed by the end of the connection. */
function firstChunk(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { value } = await reader.read()
      if (value !== undefined) controller.enqueue(value)
      controller.close()
      await reader.cancel()
    },
  })
}
