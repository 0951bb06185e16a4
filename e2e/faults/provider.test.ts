// The provider fails in every way. Temporary failures are retried and reported, permanent ones stop the turn at once.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionEvent, StreamedEvent } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { type LoopbackProvider, startProvider } from '../support/network/loopback-provider.ts'
import { newFolder, type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil } from '../support/server/watched-session.ts'
import { expectBooked, expectServerIntact, expectSessionIntact } from './invariants.ts'

const running: { served: Served; provider: LoopbackProvider }[] = []
afterEach(async () => {
  for (const { served, provider } of running.splice(0)) {
    await served.stop()
    await provider.close()
  }
})

/** The timeout for a silent provider is the default one: on a loaded machine a provider is slow, not silent. */
async function start(script: string, config = '') {
  const provider = await startProvider({ script })
  const home = await newFolder('home')
  await mkdir(join(home, '.quarterdeck'))
  await writeFile(join(home, '.quarterdeck', 'config.yaml'), config)
  const served = await serve({ env: { ...provider.env, HOME: home } })
  running.push({ served, provider })
  return { served, provider }
}

/** The first responses of the provider have this fault, later ones succeed. */
const failingFirst = (fault: string, times: number) => `steps:
  - { when: {}, then: { text: One two three four five six., fault: ${fault} }, times: ${times} }
  - { when: {}, then: { text: Answered. }, repeat: true }
`

const retriesIn = (log: readonly SessionEvent[]) =>
  log.flatMap((event) => (event.type === 'ModelRequestRetrying' ? [event.data] : []))

const messageIds = (events: readonly StreamedEvent[], type: StreamedEvent['type']) =>
  new Set(events.flatMap((event) => (event.type === type && 'messageId' in event.data ? [event.data.messageId] : [])))

interface Failing {
  readonly config?: string
  /** True if a connection reset may overtake the data sent before it: an unread response cannot be booked. */
  readonly mayBeUnread?: boolean
}

async function answered(script: string, { config, mayBeUnread = false }: Failing = {}) {
  const { served, provider } = await start(script, config)
  const { sessionId } = await served.client.createSession({ agent: 'hello', message: 'What can you do?' })
  const seen = await watchUntil(served, sessionId, isStatus('idle', 'failed'))
  const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: ['What can you do?'] })
  const { session } = await served.client.getSession(sessionId)
  expect(session).toMatchObject({ status: 'idle', lastResult: 'Answered.' })
  const unread = expectBooked(provider, [log], { kills: mayBeUnread ? 1 : 0, seen })
  await expectServerIntact(served)
  return { log, seen, provider, unread }
}

describe('a provider that fails for a while', () => {
  it.each([
    [429, '{ type: status, status: 429, retry_after_seconds: 1 }'],
    [500, '{ type: status, status: 500 }'],
    [529, '{ type: status, status: 529 }'],
    [null, '{ type: reset_before_headers }'],
  ])('with %s: each retry is reported with its countdown, and the message is answered', async (status, fault) => {
    const { log, provider } = await answered(failingFirst(fault, 2))
    const retries = retriesIn(log)
    expect(retries).toMatchObject([
      { attempt: 1, status, source: 'gateway' },
      { attempt: 2, status, source: 'gateway' },
    ])
    for (const { delayMs } of retries) expect(delayMs).toBeGreaterThan(0)
    expect(provider.served().requests.map((request) => request.fault !== null)).toEqual([true, true, false])
  })

  it.each<[string, string, Failing]>([
    ['breaks off in the middle of an answer', '{ type: reset_mid_stream, after_deltas: 3 }', { mayBeUnread: true }],
    ['says in the middle of an answer that it is overloaded', '{ type: error_event, after_deltas: 3 }', {}],
    ['sends what is no event', '{ type: malformed_sse, after_deltas: 3 }', {}],
    [
      'falls silent in the middle of an answer',
      '{ type: stall, after_deltas: 3 }',
      { config: 'gateway: { silence_after: 10s }\n' },
    ],
  ])('and %s: visible text is logged, the answer arrives, and both are booked', async (_, fault, failing) => {
    const { log, seen, unread } = await answered(failingFirst(fault, 1), failing)
    const answer = messageIds(log, 'AgentThought')
    expect(answer.size).toBe(1)
    // A reset may overtake the words before it. Then no client saw them, and nothing needs to be discarded.
    const discarded = messageIds(log, 'AgentStreamDiscarded')
    for (const id of messageIds(seen, 'AgentStreamToken')) expect([...discarded, ...answer]).toContain(id)
    expect(discarded.size).toBeLessThanOrEqual(1)
    expect(log.filter((event) => event.type === 'UsageRecorded')).toHaveLength(2 - unread)
  })
})

describe('a provider that refuses the key', () => {
  it('stops the turn at once: one request, no retry, and a message that names the variable to check', async () => {
    const { served, provider } = await start(failingFirst('{ type: status, status: 401 }', 100))
    const { sessionId } = await served.client.createSession({ agent: 'hello', message: 'What can you do?' })
    const seen = await watchUntil(served, sessionId, isStatus('idle', 'failed'))
    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: ['What can you do?'] })
    expect(retriesIn(log)).toEqual([])
    expect(provider.served().requests).toHaveLength(1)
    const ended = log.find((event) => event.type === 'TurnEnded')
    expect(ended?.data).toMatchObject({
      outcome: 'failed',
      result: { errorReason: expect.stringContaining('ANTHROPIC_API_KEY') },
    })
    await expectServerIntact(served)
  })
})
