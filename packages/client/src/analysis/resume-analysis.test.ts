import type { AnalysisEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { AnalysisConnection } from './analysis-connection.ts'
import {
  answer,
  backoff,
  call,
  callId,
  ending,
  expired,
  fakeServer,
  over,
  refusal,
  sessionId,
} from './analysis-server.fixture.ts'
import { resumeAnalysis, watchAnalysis } from './resume-analysis.ts'

const stream = `/api/analyze?sessionId=${sessionId}`
const answered: AnalysisEvent = { ...call, id: callId, answered: true }

it('resumes a question once the server is reachable: reports finished calls and runs waiting ones', async () => {
  const waiting: AnalysisEvent = { type: 'tool_call', id: 'ctc_000002' as typeof callId, name: 'run_query', input: {} }
  const server = fakeServer([[answered, waiting], ending])
  const outages = [refusal('server.unreachable'), refusal('server.draining')]
  const start: AnalysisConnection['start'] = async (body, options) => {
    const outage = outages.shift()
    if (outage !== undefined) throw outage
    return server.connection.start(body, options)
  }
  const seen: AnalysisEvent[] = []
  const result = await resumeAnalysis({ ...server.connection, start }, sessionId, {
    tools: { run_query: () => 12 },
    backoff,
    onEvent: (event) => void seen.push(event),
  })
  expect(result).toMatchObject(answer)
  expect(server.starts).toEqual([{ sessionId }])
  // Without `after`: from the latest question on.
  expect(server.opened[0]).toEqual({ url: stream, after: null })
  expect(server.given.map(({ toolCallId, result }) => [toolCallId, result])).toEqual([['ctc_000002', 12]])
  expect(seen.map(({ type }) => type)).toEqual(['tool_call', 'tool_call', 'answer', 'done'])
})

it('begins behind the given cursor, and cancels or detaches as analyze does', async () => {
  const server = fakeServer([[...ending]])
  await resumeAnalysis(server.connection, sessionId, { tools: {}, backoff, after: '12.3' })
  expect(server.opened).toEqual([{ url: stream, after: '12.3' }])
  for (const [how, cancelled] of [
    ['signal', [sessionId]],
    ['leave', []],
  ] as const) {
    const stopped = fakeServer([[call], ending])
    const stop = new AbortController()
    const run = () => {
      stop.abort(new Error('enough'))
      return new Promise(() => undefined)
    }
    const resumed = resumeAnalysis(stopped.connection, sessionId, {
      tools: { run_query: run },
      backoff,
      [how]: stop.signal,
    })
    await expect(resumed).rejects.toThrow('enough')
    expect(stopped.cancelled).toEqual(cancelled)
  }
})

it('rejects with a permanent refusal, and ends as soon as the caller aborts', async () => {
  const server = fakeServer([])
  const start: AnalysisConnection['start'] = async () => Promise.reject(refusal('session.not-found'))
  const gone = resumeAnalysis({ ...server.connection, start }, sessionId, { tools: {}, backoff })
  await expect(gone).rejects.toMatchObject({ code: 'session.not-found' })
  const down: AnalysisConnection['start'] = async () => Promise.reject(refusal('server.unreachable'))
  const leave = AbortSignal.abort(new Error('left'))
  const left = resumeAnalysis({ ...server.connection, start: down }, sessionId, { tools: {}, backoff, leave })
  await expect(left).rejects.toThrow('left')
})

it('only watches: runs nothing, wakes nothing and waits until another client does', async () => {
  const server = fakeServer([[call, expired], over, [...ending]])
  const seen: AnalysisEvent[] = []
  const result = await watchAnalysis(server.connection, sessionId, {
    backoff,
    onEvent: (event) => void seen.push(event),
  })
  expect(result).toMatchObject(answer)
  expect([server.given, server.starts, server.cancelled]).toEqual([[], [], []])
  expect(seen.map(({ type }) => type)).toEqual(['tool_call', 'error', 'answer', 'done'])
  expect(server.opened).toHaveLength(3)
})

it('stops watching without changing the analysis', async () => {
  const server = fakeServer([[call], ending])
  const stop = new AbortController()
  const watched = watchAnalysis(server.connection, sessionId, {
    backoff,
    signal: stop.signal,
    onEvent: () => stop.abort(new Error('seen enough')),
  })
  await expect(watched).rejects.toThrow('seen enough')
  expect(server.cancelled).toEqual([])
})
