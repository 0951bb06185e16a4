import { describe, expect, it, onTestFinished } from 'vitest'
import { type Logger, silentLogger } from '../ports/logger.ts'
import { openCollector } from './collector.fixture.ts'
import { postSpans } from './post-spans.ts'
import type { Span } from './span.ts'
import { createSpanQueue, type ExportOutcome, type SpanQueueOptions } from './span-queue.ts'

const span = (name: string): Span => ({
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentSpanId: null,
  kind: 'internal',
  isError: false,
  name,
  startedAt: 1,
  endedAt: 2,
  attributes: {},
})

function open(change: Partial<SpanQueueOptions>) {
  const logged: string[] = []
  const logger: Logger = {
    ...silentLogger,
    warn: ({ reason }, message) => void logged.push(`${message}: ${String(reason)}`),
    info: ({ dropped }, message) => void logged.push(`${message}: ${String(dropped)}`),
  }
  const queue = createSpanQueue({
    maxSpans: 100,
    maxBatch: 10,
    delayMs: 5,
    firstRetryMs: 5,
    closeMs: 2000,
    logger,
    send: async (): Promise<ExportOutcome> => ({ type: 'taken' }),
    ...change,
  })
  onTestFinished(queue.close)
  return { ...queue, logged }
}

/** Sends to a collector that first answers with these statuses. */
async function openToCollector(statuses: readonly number[], change: Partial<SpanQueueOptions> = {}) {
  const collector = await openCollector(statuses)
  const receiver = {
    endpoint: `${collector.url}/v1/traces`,
    headers: { 'x-team': 'a' },
    timeoutMs: 5000,
    compression: 'none' as const,
    resource: {},
  }
  const queue = open({ ...change, send: (spans, signal) => postSpans(receiver, spans, signal) })
  return { ...queue, collector }
}

describe('the span queue', () => {
  it('observability.traces.max_export_batch_size: sends spans in batches, in order', async () => {
    const { add, collector } = await openToCollector([], { maxBatch: 2 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) add(span(name))
    await expect.poll(() => collector.spans().length).toBe(5)
    expect(collector.spans().map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(collector.requests.length).toBe(3)
    expect(collector.requests[0]).toMatchObject({ url: '/v1/traces', headers: { 'x-team': 'a' } })
  })

  it.each([429, 503])('retries after a %i without losing spans', async (status) => {
    const { add, collector, logged } = await openToCollector([status, status])
    add(span('a'))
    await expect.poll(() => collector.requests.length).toBe(3)
    expect(collector.spans().map(({ name }) => name)).toEqual(['a', 'a', 'a'])
    expect(logged).toEqual([])
  })

  it('drops refused spans with one warning, until spans are accepted again', async () => {
    const { add, collector, logged } = await openToCollector([400, 400])
    for (let sent = 1; sent <= 3; sent += 1) {
      add(span('a'))
      await expect.poll(() => collector.requests.length).toBe(sent)
    }
    await expect
      .poll(() => logged)
      .toEqual(['spans cannot be exported and are dropped: the collector answered 400', 'spans are exported again: 2'])
  })

  it('gives up after a few attempts, so that later spans are sent', async () => {
    let tries = 0
    const send = async (): Promise<ExportOutcome> => {
      tries += 1
      return { type: 'later', reason: 'busy', afterMs: 1 }
    }
    const { add, logged } = open({ send })
    add(span('a'))
    await expect.poll(() => logged).toEqual(['spans cannot be exported and are dropped: busy'])
    expect(tries).toBe(5)
  })

  it('observability.traces.max_queue_size: limits the queue, and adding never blocks', async () => {
    const sent: string[] = []
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const send = async (spans: readonly Span[]): Promise<ExportOutcome> => {
      await held
      sent.push(...spans.map(({ name }) => name))
      return { type: 'taken' }
    }
    const { add, close, logged } = open({ send, maxSpans: 3, maxBatch: 2 })
    for (let count = 0; count < 1000; count += 1) add(span(`${count}`))
    expect(logged).toEqual(['spans cannot be exported and are dropped: the queue is full'])
    release()
    await close()
    expect(sent).toEqual(['0', '1', '2'])
  })

  it('observability.traces.schedule_delay_millis: collects spans before sending', async () => {
    const { add, collector } = await openToCollector([], { delayMs: 100 })
    const started = performance.now()
    add(span('a'))
    add(span('b'))
    await expect.poll(() => collector.requests.length).toBe(1)
    expect(performance.now() - started).toBeGreaterThan(90)
    expect(collector.spans().length).toBe(2)
  })

  it('sends waiting spans on close, but a collector that never answers does not delay it further', async () => {
    const { add, close, collector } = await openToCollector([], { delayMs: 60_000 })
    add(span('a'))
    await close()
    expect(collector.spans().map(({ name }) => name)).toEqual(['a'])

    const silent = open({
      delayMs: 60_000,
      closeMs: 50,
      send: (_, signal) =>
        new Promise<ExportOutcome>((resolve) => {
          signal.addEventListener('abort', () => resolve({ type: 'later', reason: 'left', afterMs: null }))
        }),
    })
    silent.add(span('a'))
    await silent.close()
    expect(silent.logged).toEqual(['spans cannot be exported and are dropped: left'])
  })

  it('drops spans after close, and logs the reason', async () => {
    const { add, close, logged } = open({})
    await close()
    add(span('a'))
    expect(logged).toEqual(['spans cannot be exported and are dropped: the queue is closed'])
  })
})
