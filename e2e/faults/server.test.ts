// The server is killed repeatedly at random moments while a client keeps sending, also between commit and publish.
// Acknowledged messages are in the log once, and the log contains everything that clients saw.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDurable, isQuarterdeckError, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../support/network/dropping-fetch.ts'
import { type LoopbackProvider, startProvider } from '../support/network/loopback-provider.ts'
import { processesMentioning } from '../support/server/process-tree.ts'
import { reportFacts, scale } from '../support/server/scale.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { allowAll, isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'
import { expectBooked, expectServerIntact, expectSessionIntact } from './invariants.ts'

const patience = { timeout: 170_000 }
const kills = scale(4, 150)
const seed = Number(process.env.SEED ?? 2026)

/** With a budget for a long soak. */
const agentFile = `name: talker
model: { provider: anthropic, name: high }
instructions: { inline: Be brief. }
limits: { max_turns: 5, max_budget_usd: 100 }
`
let agents: string | undefined

const running: ServedProcess[] = []
let provider: LoopbackProvider | undefined
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
  await provider?.close()
})

describe('kill -9 of the server at random moments', () => {
  it(`${kills} times: every acknowledged message is in the log once, and all visible events are in it`, {
    timeout: scale(300_000, 3_600_000),
  }, async () => {
    const random = seededRandom(seed)
    const upstream = await startProvider({ paceMs: 5 })
    provider = upstream
    let served = await start(upstream)
    const { sessionId } = await served.client.createSession({ agent: 'talker' })
    const stop = new AbortController()
    const seen: StreamedEvent[] = []
    const following = (async () => {
      for await (const event of served.client.follow(sessionId, { signal: stop.signal })) seen.push(event)
    })()
    const sender = startSender(served, sessionId, stop.signal)
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(Math.floor(random() ** 2 * 2500))
      await served.kill('SIGKILL')
      await expect.poll(() => processesMentioning(served.dataDir), patience).toEqual([])
      served = await start(upstream, served)
    }
    const acknowledged = await sender.finish(kills / 2 + 1)
    expect(acknowledged.length).toBeGreaterThan(kills / 2)
    await idleWithoutWaiting(served, sessionId)
    const unseen = async () => {
      const { session } = await served.client.getSession(sessionId)
      return session.seq - (seen.findLast(isDurable)?.seq ?? 0)
    }
    await expect.poll(unseen, patience).toBe(0)
    stop.abort()
    await following

    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged })
    expect(seen.filter(isDurable)).toHaveLength(log.length)
    const unread = expectBooked(upstream, [log], { kills, seen })
    await expectServerIntact(served)
    const recovered = log.filter((event) => event.type === 'AgentSessionRecovered').length
    await reportFacts('random kills of the server', {
      seed,
      kills,
      recovered,
      acknowledged: acknowledged.length,
      unread,
    })
  })
})

describe('kill -9 of the server during an answer', () => {
  it('books the usage that the provider had already served', async () => {
    const upstream = await startProvider({ script: slowWords })
    provider = upstream
    const first = await start(upstream)
    const { sessionId } = await first.client.createSession({ agent: 'talker', message: 'Tell it slowly.' })
    const seen = await watchUntil(first, sessionId, (event) => event.type === 'AgentStreamToken')
    await first.kill('SIGKILL')
    const second = await start(upstream, first)
    await second.client.sendMessage(sessionId, { content: 'And now?' })
    await watchUntil(second, sessionId, isStatus('idle'))
    const log = await expectSessionIntact(second, sessionId, { seen, acknowledged: ['Tell it slowly.', 'And now?'] })
    expectBooked(upstream, [log])
    await expectServerIntact(second)
  })
})

const slowWords = `steps:
  - { when: { text: slowly }, then: { text: One two three four five six seven eight., pace_ms: 20000 }, repeat: true }
  - { when: {}, then: { text: Right away. }, repeat: true }
`

/** At the address of its predecessor, so that clients reconnect by themselves. */
async function start({ env }: LoopbackProvider, before?: ServedProcess): Promise<ServedProcess> {
  const again = before === undefined ? {} : { dataDir: before.dataDir, port: Number(new URL(before.url).port) }
  agents ??= await writeAgent(agentFile)
  const served = await serveProcess({ ...again, agents, env })
  running.push(served)
  if (before !== undefined) expect(served.url).toBe(before.url)
  return served
}

/** Numbered messages one after another, each retried under its own key until it is acknowledged. */
function startSender(served: ServedProcess, sessionId: SessionId, signal: AbortSignal) {
  const acknowledged: string[] = []
  let enough = Number.POSITIVE_INFINITY
  const sending = (async () => {
    for (let number = 1; acknowledged.length < enough; number += 1) {
      const content = `What can you do? (${number})`
      await sendUntilTaken(served, sessionId, { content, key: `number-${number}`, signal })
      acknowledged.push(content)
      await sleep(scale(600, 2000))
    }
  })()
  return {
    /** On a slow machine a server may be killed before it acknowledges any message. Then more are sent now. */
    async finish(atLeast: number) {
      enough = atLeast
      await sending
      return acknowledged
    },
  }
}

async function sendUntilTaken(
  served: ServedProcess,
  sessionId: SessionId,
  { content, key, signal }: { content: string; key: string; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await served.client.sendMessage(sessionId, { content, delivery: 'queued' }, { key })
      return
    } catch (error) {
      if (!isQuarterdeckError(error, 'server.unreachable')) throw error
      await sleep(50)
    }
  }
}

async function idleWithoutWaiting(served: ServedProcess, sessionId: SessionId): Promise<void> {
  await expect
    .poll(
      async () => {
        const { session } = await served.client.getSession(sessionId)
        return { status: session.status, waiting: session.queued.length }
      },
      scale(patience, { timeout: 1_200_000 }),
    )
    .toEqual({ status: 'idle', waiting: 0 })
}

describe('kill -9 of the server before the first approval', () => {
  it.each([
    ['at its first words', (event: StreamedEvent) => event.type === 'AgentStreamToken'],
    [
      'while a subagent reads',
      (event: StreamedEvent) => event.type === 'AgentInvokedTool' && event.data.toolName === 'Read',
    ],
  ])('lets Coder finish its task after a resume when the server is killed %s', async (_, isTheMoment) => {
    const first = await serveProcess()
    running.push(first)
    const { sessionId } = await first.client.createSession({
      agent: 'coder',
      message: 'Find and fix the failing test.',
    })
    const seen = await watchUntil(first, sessionId, isTheMoment)
    await first.kill('SIGKILL')
    expect(seen.map(({ type }) => type)).not.toContain('ApprovalRequested')
    const served = await serveProcess({ dataDir: first.dataDir })
    running.push(served)
    await served.client.resume(sessionId)
    await allowAll(served, sessionId)
    const texts = (await wholeLog(served, sessionId)).flatMap((one) =>
      one.type === 'AgentThought' ? [one.data.text] : [],
    )
    expect(texts.join('\n')).toContain('3 of 3 pass')
  })
})
