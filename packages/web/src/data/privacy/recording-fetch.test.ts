import { expect, it } from 'vitest'
import type { SentEntry } from '../domain/analysis.ts'
import { createRecordingFetch } from './recording-fetch.ts'

function open(answer: () => Promise<Response> = async () => new Response('{}')) {
  const entries: SentEntry[] = []
  const sent: { url: string; body: unknown; entries: number }[] = []
  const recordingFetch = createRecordingFetch(
    (input, init) => {
      sent.push({ url: String(input), body: init?.body, entries: entries.length })
      return answer()
    },
    {
      level: () => 1,
      stepOf: (callId) => (callId === 'call-1' ? 4 : null),
      kindOf: (callId) => (callId === 'call-1' ? 'summary' : undefined),
      onEntry: (entry) => void entries.push(entry),
      now: () => new Date(0),
    },
  )
  const post = (path: string, body: object) => recordingFetch(path, { method: 'POST', body: JSON.stringify(body) })
  return { entries, sent, recordingFetch, post }
}

it('records each request exactly as sent, before it is sent', async () => {
  const { entries, sent, post } = open()
  const result = { sessionId: 's', toolCallId: 'call-1', result: { rows: [{ a: 'Größe' }, { a: 1 }] } }
  await post('/api/analyze/tool-result', result)
  expect(entries).toEqual([
    {
      at: '1970-01-01T00:00:00.000Z',
      what: 'result',
      level: 1,
      step: 4,
      rows: 2,
      rowsKind: 'summary',
      body: sent[0]?.body,
      bytes: Buffer.byteLength(JSON.stringify(result)),
    },
  ])
  expect(sent[0]?.entries).toBe(1)
})

it('distinguishes questions, results, errors and other requests', async () => {
  const { entries, post } = open()
  await post('http://127.0.0.1:1/api/analyze?agent=a', {
    question: 'x',
    tables: [{ sample: [1, 2] }, { sample: [3] }, {}],
  })
  await post('/api/analyze', { sessionId: 's' })
  await post('/api/analyze/tool-result', { toolCallId: 'call-2', error: 'no' })
  await post('/api/generate-sql', { question: 'x', tables: [] })
  expect(entries.map(({ what, rows, step }) => [what, rows, step])).toEqual([
    ['question', 3, null],
    ['other', 0, null],
    ['error', 0, null],
    ['other', 0, null],
  ])
})

it('records the kind of rows if known: those of a question are samples', async () => {
  const { entries, post } = open()
  const result = { rows: [{ a: 1 }] }
  await post('/api/analyze', { question: 'x', tables: [{ sample: [1] }] })
  await post('/api/analyze', { question: 'x', tables: [{}] })
  await post('/api/analyze/tool-result', { toolCallId: 'call-1', result })
  await post('/api/analyze/tool-result', { toolCallId: 'call-1', result: { rows: [] } })
  await post('/api/analyze/tool-result', { toolCallId: 'call-2', result })
  expect(entries.map(({ rowsKind }) => rowsKind)).toEqual(['files', undefined, 'summary', undefined, undefined])
})

it('records retries and requests that never arrive', async () => {
  const { entries, post } = open(async () => {
    throw new TypeError('no network')
  })
  for (const _ of [1, 2]) await expect(post('/api/analyze', { question: 'x' })).rejects.toThrow('no network')
  expect(entries).toHaveLength(2)
})

it('refuses bodies that it cannot read, and ignores requests without a body', async () => {
  const { entries, sent, recordingFetch } = open()
  await expect(recordingFetch('/api/analyze', { method: 'POST', body: new Uint8Array(2) })).rejects.toThrow(
    'must have a text body',
  )
  expect(sent).toHaveLength(0)
  await recordingFetch('/api/analyze?sessionId=s')
  expect(sent).toHaveLength(1)
  const request = new Request('http://127.0.0.1/api/analyze', { method: 'POST', body: '{"question":"y"}' })
  await expect(recordingFetch(request)).rejects.toThrow('must have a text body')
  await expect(recordingFetch(request, { body: '{"question":"z"}' })).rejects.toThrow('must have a text body')
  expect(sent).toHaveLength(1)
  expect(entries).toEqual([])
})
