import type { AgentStreamToken, SessionEvent, StreamedEvent } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { coalesceTokens } from './coalesce-tokens.ts'
import { thoughtEvent, tokenEvent } from './streamed-events.fixture.ts'

async function collect(batches: AsyncIterable<readonly StreamedEvent[]>): Promise<StreamedEvent[][]> {
  const all: StreamedEvent[][] = []
  for await (const batch of batches) all.push([...batch])
  return all
}

async function* inOrder(events: readonly StreamedEvent[]): AsyncGenerator<StreamedEvent> {
  yield* events
}

const texts = (events: readonly StreamedEvent[]): string[] =>
  events.map((event) => ('seq' in event ? `#${event.seq}` : event.data.text))

describe('coalescing tokens', () => {
  it('joins tokens of one message and keeps those of others apart', async () => {
    const source = inOrder([tokenEvent('m1', 'a'), tokenEvent('m2', 'x'), tokenEvent('m1', 'b'), tokenEvent('m2', 'y')])
    const batches = await collect(coalesceTokens(source, 10))
    expect(texts(batches.flat())).toEqual(['ab', 'xy'])
  })

  it('never joins across a durable event', async () => {
    const source = inOrder([tokenEvent('m1', 'a'), thoughtEvent(1), tokenEvent('m1', 'b'), tokenEvent('m1', 'c')])
    const batches = await collect(coalesceTokens(source, 10))
    expect(texts(batches.flat())).toEqual(['a', '#1', 'bc'])
  })

  it('keeps thinking apart from text, and one agent from another', async () => {
    const thinking: AgentStreamToken = {
      ...tokenEvent('m1', 't'),
      data: { messageId: 'm1', text: 't', kind: 'thinking' },
    }
    const below: AgentStreamToken = { ...tokenEvent('m1', 's'), agent: ['toolu_1'] }
    const source = inOrder([tokenEvent('m1', 'a'), thinking, below, tokenEvent('m1', 'b')])
    expect(texts((await collect(coalesceTokens(source, 10))).flat())).toEqual(['ab', 't', 's'])
  })

  it('does not let a durable event wait for the window', async () => {
    async function* slow(): AsyncGenerator<StreamedEvent> {
      yield thoughtEvent(1)
      await new Promise(() => undefined)
    }
    const batches = coalesceTokens(slow(), 3_600_000)
    expect(texts((await batches.next()).value ?? [])).toEqual(['#1'])
  })

  it('loses and reorders nothing, whatever comes in which order', async () => {
    for (let round = 0; round < 50; round += 1) {
      const events = randomEvents()
      const out = (await collect(coalesceTokens(inOrder(events), 1))).flat()
      expect(wholeTexts(out)).toEqual(wholeTexts(events))
      expect(out.filter((event) => 'seq' in event)).toEqual(events.filter((event) => 'seq' in event))
    }
  })

  it('sends a lone event at once without a window, and what piled up meanwhile together', async () => {
    const events = Array.from({ length: 20 }, (_, index) => thoughtEvent(index + 1))
    const batches = coalesceTokens(inOrder(events), 0)
    expect((await batches.next()).value).toEqual(events.slice(0, 1))
    await new Promise((resolve) => setImmediate(resolve))
    expect((await batches.next()).value).toEqual(events.slice(1))
  })

  it('bounds a batch, so that a slow reader cannot make it grow', async () => {
    const events: SessionEvent[] = Array.from({ length: 1000 }, (_, index) => thoughtEvent(index + 1))
    const batches = await collect(coalesceTokens(inOrder(events), 10))
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(64)
    expect(batches.flat()).toHaveLength(1000)
  })
})

function randomEvents(): StreamedEvent[] {
  let seq = 0
  return Array.from({ length: 100 }, (_, index) => {
    const dice = Math.random()
    if (dice < 0.2) {
      seq += 1
      return thoughtEvent(seq)
    }
    return tokenEvent(dice < 0.6 ? 'm1' : 'm2', `${index} `)
  })
}

/** The text of each message between two durable events: what joining must not change. */
function wholeTexts(events: readonly StreamedEvent[]): string[] {
  let place = 0
  const whole = new Map<string, string>()
  for (const event of events) {
    if ('seq' in event) place = event.seq
    else {
      const key = `${place} ${event.data.messageId}`
      whole.set(key, (whole.get(key) ?? '') + event.data.text)
    }
  }
  return [...whole].map(([key, text]) => `${key}: ${text}`).sort()
}
