import { createHash } from 'node:crypto'
import { AnalyzeStarted } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { answer, call, changeAgent, ofType, openAnalysisApp, query, tables } from './analysis.fixture.ts'

describe('an analysis', () => {
  it('thinks, calls two tools at once, gets both results and answers', async () => {
    const app = await openAnalysisApp([
      [
        { type: 'thinking', text: 'Two looks.' },
        { type: 'text', chunks: ['I look ', 'twice.'] },
        { type: 'parallel', tools: [query('SELECT 1'), query('SELECT 2')] },
        answer('Oslo, with 12.', { xAxis: 'city', yAxis: 'amount', sourceStep: 1, caveats: ['few rows'] }),
      ],
    ])
    const response = await app.call('/api/analyze', { method: 'POST', body: { question: 'Where?', tables } })
    expect(response.status).toBe(201)
    const started = AnalyzeStarted.parse(await response.json())
    const stream = await app.stream(started.streamUrl)
    const calls = ofType(await stream.untilType('tool_call', 2), 'tool_call')
    expect(calls.map(({ name, input }) => [name, input.sql])).toEqual([
      ['run_query', 'SELECT 1'],
      ['run_query', 'SELECT 2'],
    ])
    for (const { id } of calls.toReversed()) {
      expect((await app.giveBack(started, id, { result: { rows: [[12]] } })).status).toBe(202)
    }
    await stream.ended
    const [first, ...rest] = stream.events()
    expect(first).toEqual({ type: 'session', sessionId: started.sessionId })
    const thoughts = ofType(stream.frames, 'thinking').map(({ content }) => content)
    expect(thoughts.join('')).toBe('Two looks.I look twice.')
    expect(ofType(stream.frames, 'answer')).toMatchObject([
      {
        type: 'answer',
        result: {
          answer: 'Oslo, with 12.',
          chartType: 'bar',
          xAxis: 'city',
          yAxis: 'amount',
          sourceStep: 1,
          caveats: ['few rows'],
        },
      },
    ])
    expect(rest.at(-1)).toEqual({ type: 'done' })
    expect(rest.filter(({ type }) => type === 'tool_call')).toHaveLength(2)
  })

  it('reports a failed tool or an unknown column to the model, and continues', async () => {
    const app = await openAnalysisApp([[query('SELECT nme'), query('SELECT name'), answer('Done.')]])
    const started = await app.start()
    const stream = await app.stream(started.streamUrl)
    const [bad] = ofType(await stream.untilType('tool_call'), 'tool_call')
    if (bad === undefined) throw new Error('nothing is called')
    const error = 'Binder Error: column "nme" not found. Candidates: "name"'
    expect((await app.giveBack(started, bad.id, { error })).status).toBe(202)
    const good = ofType(await stream.untilType('tool_call', 2), 'tool_call')[1]
    if (good === undefined) throw new Error('nothing more is called')
    await app.giveBack(started, good.id, { result: [] })
    await stream.ended
    expect(ofType(stream.frames, 'answer')).toHaveLength(1)
    const { events } = await app.runtime.engine
      .sessionsOf({ name: 'operator', owner: 'operator', scope: 'admin', requestsPerMinute: null })
      .readEvents(started.sessionId, { limit: 500 })
    const executed = events.filter((event) => event.type === 'ToolExecuted').map(({ data }) => data)
    expect(executed[0]).toMatchObject({ output: error, isError: true })
    expect(executed[1]).toMatchObject({ output: '[]', isError: false })
  })

  it('returns an invalid final answer to the model, and never sends it as a call', async () => {
    const bad = call('final_answer', { answer: 'So.', chartType: 'radar' })
    const app = await openAnalysisApp([[bad, answer('Better.')]])
    const started = await app.start()
    const stream = await app.stream(started.streamUrl)
    await stream.ended
    expect(ofType(stream.frames, 'tool_call')).toEqual([])
    expect(ofType(stream.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Better.'])
  })

  it('refuses a final answer while other calls of the same message run', async () => {
    const app = await openAnalysisApp([
      [{ type: 'parallel', tools: [query('SELECT 1'), answer('Too early.')] }, answer('In time.')],
    ])
    const started = await app.start()
    const stream = await app.stream(started.streamUrl)
    const [open] = ofType(await stream.untilType('tool_call'), 'tool_call')
    if (open === undefined) throw new Error('nothing is called')
    await app.giveBack(started, open.id, { result: 1 })
    await stream.ended
    expect(ofType(stream.frames, 'answer').map(({ result }) => result.answer)).toEqual(['In time.'])
  })

  it('uses the text of a model that ends without a final answer', async () => {
    const app = await openAnalysisApp([[{ type: 'text', chunks: ['There are three rows.'] }]])
    const stream = await app.stream((await app.start()).streamUrl)
    await stream.ended
    const [given] = ofType(stream.frames, 'answer')
    expect(given?.result).toMatchObject({ answer: 'There are three rows.', chartType: 'table' })
    expect(stream.events().at(-1)).toEqual({ type: 'done' })
  })

  it('reports why it failed, and ends', async () => {
    const app = await openAnalysisApp([[{ type: 'fail', reason: 'the provider is on fire' }]])
    const stream = await app.stream((await app.start()).streamUrl)
    await stream.ended
    expect(stream.events().slice(-2)).toEqual([
      { type: 'error', message: 'the provider is on fire', code: 'failed', retryable: true },
      { type: 'done' },
    ])
  })

  it('takes a further question with its own stream', async () => {
    const app = await openAnalysisApp((input) => [answer(input === 'And then?' ? 'Bergen.' : 'Oslo.')])
    const { sessionId, streamUrl } = await app.start()
    await (await app.stream(streamUrl)).ended
    const again = await app.start({ sessionId, question: 'And then?', tier: 'low', thinking: true })
    expect(again.sessionId).toBe(sessionId)
    const stream = await app.stream(again.streamUrl)
    await stream.ended
    expect(ofType(stream.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Bergen.'])
    const latest = await app.stream(`/api/analyze?sessionId=${sessionId}`)
    await latest.ended
    expect(latest.events()).toEqual(stream.events())
    const first = await app.stream(streamUrl)
    await first.ended
    expect(ofType(first.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Oslo.'])
  })

  it('sends the model the new privacy level when a further question changes it', async () => {
    const inputs: string[] = []
    const app = await openAnalysisApp((input) => {
      inputs.push(input)
      return [answer('Oslo.')]
    })
    const { sessionId, streamUrl } = await app.start()
    await (await app.stream(streamUrl)).ended
    const again = await app.start({ sessionId, question: 'And then?', tables, level: 0 })
    await (await app.stream(again.streamUrl)).ended
    expect(inputs.at(-1)).toMatch(/^And then\?\n\nThe tables are these now:.*\n\nFrom now on: .*no values at all/s)
  })

  it('takes a further question once when it is sent twice under one key, with the same reply', async () => {
    const app = await openAnalysisApp((input) => [answer(input === 'And then?' ? 'Bergen.' : 'Oslo.')])
    const { sessionId, streamUrl } = await app.start()
    await (await app.stream(streamUrl)).ended
    const ask = async () => {
      const body = { sessionId, question: 'And then?', tier: 'low' }
      const headers = { 'idempotency-key': 'k1' }
      return (await app.call('/api/analyze', { method: 'POST', body, headers })).json()
    }
    const [first, second] = await Promise.all([ask(), ask()])
    expect(second).toEqual(first)
    await (await app.stream(first.streamUrl)).ended
    expect(await ask()).toEqual(first)
    const { events } = await (await app.call(`/v1/sessions/${sessionId}/events`)).json()
    const asked = events.filter(({ type }: { type: string }) => type === 'UserMessageQueued')
    expect(asked).toHaveLength(2)
    const stored = await app.runtime.engine.replies.findReply(
      'operator',
      createHash('sha256').update('k1').digest('hex'),
    )
    expect(stored?.body).not.toContain(first.toolToken)
  })

  it('refuses a further question while it works, and all requests for a session that is not an analysis', async () => {
    const app = await openAnalysisApp([[query('SELECT 1')]])
    const { sessionId, streamUrl } = await app.start()
    await (await app.stream(streamUrl)).untilType('tool_call')
    const busy = await app.call('/api/analyze', { method: 'POST', body: { sessionId, question: 'More?' } })
    expect(await busy.json()).toMatchObject({ status: 409, code: 'session.busy' })
    const other = await (await app.call('/v1/sessions', { method: 'POST', body: { agent: 'hello' } })).json()
    const foreign = await app.call(`/api/analyze?sessionId=${String(other.sessionId)}`)
    expect(await foreign.json()).toMatchObject({ status: 404, code: 'session.not-found' })
  })

  it('applies the tier and the thinking of a further question', async () => {
    const app = await openAnalysisApp(() => [answer('Done.')])
    const principal = { name: 'bot', owner: 'bot', scope: 'agent', requestsPerMinute: null } as const
    const ask = async (body: object) => {
      const headers = { host: '127.0.0.1:4300', 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await app.app.request('/api/analyze', init, { known: { principal, key: null } })
      expect(response.status).toBe(201)
      const { sessionId } = AnalyzeStarted.parse(await response.json())
      const state = async () => (await app.runtime.engine.sessions.getSession(sessionId)).session
      await expect.poll(async () => (await state()).status, { timeout: 60_000 }).toBe('idle')
      return state()
    }
    const { sessionId, model } = await ask({ question: 'Where?', tables, tier: 'low' })
    expect(model).toBe('claude-haiku-4-5')
    const further = await ask({ sessionId, question: 'And then?', tier: 'high', thinking: true })
    expect(further).toMatchObject({ sessionId, thinking: { budgetTokens: 4000 } })
    expect(further.model).not.toBe(model)
  })

  it('knows only the tools that the agent file allows', async () => {
    const app = await openAnalysisApp([[answer('Done.')]])
    await changeAgent(app, { claude: 'disallowed_tools: [list_tables, mcp__client__ask_user]' })
    const { sessionId } = await app.start()
    const { session } = await (await app.call(`/v1/sessions/${sessionId}`)).json()
    expect(session.instructions).toContain('transform_data')
    expect(session.instructions).not.toContain('list_tables')
    expect(session.instructions).not.toContain('ask_user')
  })

  it('stops when it is cancelled, and takes another question', async () => {
    const app = await openAnalysisApp((input) => (input === 'Again?' ? [answer('Yes.')] : [query('SELECT 1')]))
    const { sessionId, streamUrl, toolToken } = await app.start()
    const stream = await app.stream(streamUrl)
    const [open] = ofType(await stream.untilType('tool_call'), 'tool_call')
    if (open === undefined) throw new Error('nothing is called')
    const stop = (key: string) =>
      app.call(`/api/analyze?sessionId=${sessionId}`, { method: 'DELETE', headers: { 'idempotency-key': key } })
    expect((await stop('first')).status).toBe(202)
    expect((await stop('first')).headers.get('idempotent-replay')).toBe('true')
    await stream.ended
    expect(stream.events().slice(-2)).toEqual([
      { type: 'error', message: 'the analysis was cancelled', code: 'cancelled', retryable: false },
      { type: 'done' },
    ])
    expect((await app.giveBack({ sessionId, toolToken }, open.id, { result: 1 })).status).toBe(410)
    expect((await stop('second')).status).toBe(202)
    const again = await app.stream((await app.start({ sessionId, question: 'Again?' })).streamUrl)
    await again.ended
    expect(ofType(again.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Yes.'])
  })

  it.each([
    { limit: 'max_budget_usd: 1', code: 'budget_limit', step: { type: 'usage', input: 1, output: 1, costUsd: 2 } },
    { limit: 'max_duration: 1s', code: 'timeout', step: { type: 'delay', ms: 60_000 } },
  ] as const)(
    'reports its end again to a page that wakes it after its own limit stopped it: $limit',
    async ({ limit, code, step }) => {
      const app = await openAnalysisApp([[step]])
      await changeAgent(app, { lines: `limits: { ${limit} }\n` })
      const { sessionId, streamUrl } = await app.start()
      const stream = await app.stream(streamUrl)
      await stream.ended
      expect(ofType(stream.frames, 'error')).toMatchObject([{ code }])
      const again = await app.stream((await app.start({ sessionId })).streamUrl)
      await again.ended
      expect(again.events()).toEqual(stream.events())
      const latest = await app.stream(`/api/analyze?sessionId=${sessionId}`)
      await latest.ended
      expect(latest.events()).toEqual(stream.events())
    },
  )
})
