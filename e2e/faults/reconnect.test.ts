// Whatever happens to the connection, every client ends with the same events: none lost, none repeated.
import { type Client, createClient } from '@quarterdeck/client'
import {
  emptyTranscript,
  foldTranscript,
  isDurable,
  SessionEvent,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { openPage } from '../support/browser/workbench.ts'
import { startCuttingProxy } from '../support/network/cutting-proxy.ts'
import { dropAfterEveryEvent, dropAtRandom, seededRandom } from '../support/network/dropping-fetch.ts'
import { type Served, serve } from '../support/server/serve.ts'
import { allowAll, expectGapFree, wholeLog } from '../support/server/watched-session.ts'

const seeds = [1, 7, 42, 1905]
const patience = { timeout: 170_000 }

interface Follower {
  readonly events: StreamedEvent[]
  /** Resolves when this follower has left the stream. */
  readonly done: Promise<void>
  drops(): number
}

describe('a client that loses its connection', () => {
  let served: Served
  let browser: Browser

  beforeAll(async () => {
    served = await serve({ args: ['--model-source', 'simulator'] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  const clientOver = (send: typeof fetch): Client =>
    createClient({ baseUrl: served.url, token: served.token, fetch: send })

  it('after every event or at any byte ends with the same transcript as a client that stayed connected', async () => {
    const { sessionId } = await served.client.createSession({ agent: 'coder' })
    const leaving = new AbortController()
    const follow = (client: Client, drops: () => number): Follower => {
      const events: StreamedEvent[] = []
      const done = (async () => {
        for await (const event of client.follow(sessionId, { signal: leaving.signal })) events.push(event)
      })()
      return { events, done, drops }
    }
    const counted = (make: (onDrop: () => void) => typeof fetch): Follower => {
      let drops = 0
      const send = make(() => {
        drops += 1
      })
      return follow(clientOver(send), () => drops)
    }
    const steady = follow(served.client, () => 0)
    const everyEvent = counted(dropAfterEveryEvent)
    const anywhere = seeds.map((seed) => counted((onDrop) => dropAtRandom(seededRandom(seed), onDrop)))
    const source = await followInBrowser(browser, served, sessionId)

    await served.client.sendMessage(sessionId, { content: 'Find and fix the failing test.' })
    await allowAll(served, sessionId)
    const log = await wholeLog(served, sessionId)
    expectGapFree(log)
    expect(log.length).toBeGreaterThan(40)

    const followers = [steady, everyEvent, ...anywhere]
    const lastSeq = (events: readonly StreamedEvent[]) => events.findLast(isDurable)?.seq ?? 0
    await expect
      .poll(() => followers.map(({ events }) => lastSeq(events)), patience)
      .toEqual(followers.map(() => log.length))
    leaving.abort()
    await Promise.all(followers.map(({ done }) => done))

    const stayed = foldTranscript(emptyTranscript, steady.events)
    for (const { events } of followers) {
      expect(events.filter(isDurable)).toEqual(log)
      expect(foldTranscript(emptyTranscript, events).items).toEqual(stayed.items)
    }
    expect(foldTranscript(emptyTranscript, log).items).toEqual(stayed.items)
    expect(everyEvent.drops()).toBeGreaterThanOrEqual(log.length)
    for (const { drops } of anywhere) expect(drops()).toBeGreaterThan(0)
    expect(anywhere.reduce((sum, { drops }) => sum + drops(), 0)).toBeGreaterThan(4 * seeds.length)

    // The browser's own EventSource, which resumes with Last-Event-ID only.
    await expect.poll(async () => lastSeq(await source.events()), patience).toBe(log.length)
    expect((await source.events()).filter(isDurable)).toEqual(log)
    expect(source.cuts()).toBeGreaterThan(1)
    await source.close()
  })

  it('and a client that connects late at any position in the log gets exactly the remaining events', async () => {
    const { sessions } = await served.client.listSessions()
    const sessionId = sessions[0]?.sessionId
    if (sessionId === undefined) throw new Error('the first test left no session')
    const log = await wholeLog(served, sessionId)
    const random = seededRandom(3)
    const cursors = [0, 1, log.length - 1, ...Array.from({ length: 5 }, () => Math.floor(random() * log.length))]
    for (const after of cursors) {
      const stop = new AbortController()
      const got: SessionEvent[] = []
      for await (const event of served.client.follow(sessionId, { after, signal: stop.signal })) {
        if (isDurable(event)) got.push(event)
        if (got.length === log.length - after) stop.abort()
      }
      expect(got).toEqual(log.slice(after))
    }
  })
})

/** An EventSource as any page would open it, through a network that cuts it repeatedly. */
async function followInBrowser(browser: Browser, served: Served, sessionId: SessionId) {
  const random = seededRandom(11)
  const proxy = await startCuttingProxy(served.url, () => 1000 + Math.floor(random() * 20_000))
  const { page, close } = await openPage(browser, served.loginLink.replace(served.url, proxy.url))
  await page.evaluate((path) => {
    const received: string[] = []
    Object.assign(window, { received })
    const source = new EventSource(path)
    source.onmessage = (message) => received.push(message.data)
  }, `/v1/sessions/${sessionId}/events`)
  return {
    cuts: proxy.cuts,
    /** The received events, without tokens, which are not part of the log. */
    async events(): Promise<readonly SessionEvent[]> {
      const received = await page.evaluate(() => Reflect.get(window, 'received') as string[])
      return received
        .map((text) => JSON.parse(text))
        .filter((event) => 'seq' in event)
        .map((event) => SessionEvent.parse(event))
    },
    async close() {
      await close()
      await proxy.close()
    },
  }
}
