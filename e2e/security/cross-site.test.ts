// A foreign page tries everything a page can do, in a browser that is signed in.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, launchBrowser, type Page } from '../support/browser/browser.ts'
import { type Served, serve } from '../support/server/serve.ts'

/** A foreign name that resolves to this machine, as in DNS rebinding. */
const strangeName = 'rebound.example'

let served: Served
let browser: Browser
let strangers: Server
let signedIn: Awaited<ReturnType<Browser['newContext']>>
let sessionId: string
beforeAll(async () => {
  served = await serve({ args: ['--model-source', 'simulator'] })
  sessionId = (await served.client.createSession({ agent: 'hello', title: 'ours' })).sessionId
  strangers = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<title>elsewhere</title>'),
  )
  await new Promise<void>((resolve) => strangers.listen(0, '127.0.0.1', resolve))
  browser = await launchBrowser([`--host-resolver-rules=MAP ${strangeName} 127.0.0.1`])
  signedIn = await browser.newContext()
  signedIn.setDefaultTimeout(60_000)
  const page = await signedIn.newPage()
  await page.goto(served.loginLink)
  await page.close()
})
afterAll(async () => {
  await browser.close()
  strangers.close()
  await served.stop()
})

const strangePort = () => (strangers.address() as AddressInfo).port // listening on TCP, so it has a port
const port = () => new URL(served.url).port

/** The attempts of a page and their results. */
const attempts = async ({ at, sessionId }: { at: string; sessionId: string }) => {
  const socket = (path: string) =>
    new Promise<string>((resolve) => {
      const ws = new WebSocket(`${at.replace('http', 'ws')}${path}`)
      ws.onopen = () => {
        resolve('open')
        ws.close()
      }
      ws.onerror = () => resolve('refused')
    })
  const get = (path: string) =>
    fetch(`${at}${path}`, { credentials: 'include' }).then(
      ({ ok }) => (ok ? 'open' : 'refused'),
      () => 'refused',
    )
  const stream = () =>
    new Promise<string>((resolve) => {
      const source = new EventSource(`${at}/v1/sessions/${sessionId}/events`, { withCredentials: true })
      const done = (outcome: string) => {
        resolve(outcome)
        source.close()
      }
      source.onopen = () => done('open')
      source.onerror = () => done('refused')
    })
  // A form can send this without a preflight. The page cannot read the response, but the request might take effect.
  const blind = fetch(`${at}/v1/sessions`, {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'include',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ agent: 'hello', title: 'theirs' }),
  }).catch(() => undefined)
  await blind
  return {
    native: await socket('/v1/ws'),
    chat: await socket('/ws/chat?agent=hello'),
    read: await get('/v1/sessions'),
    stream: await stream(),
  }
}

async function attack(page: Page, at: string) {
  const outcome = await page.evaluate(attempts, { at, sessionId })
  await page.close()
  return outcome
}

const all = (outcome: string) => ({ native: outcome, chat: outcome, read: outcome, stream: outcome })

describe('in a signed-in browser', () => {
  it('our own page can do all of it', async () => {
    const page = await signedIn.newPage()
    await page.goto(served.url)
    expect(await attack(page, served.url)).toEqual(all('open'))
  })

  it('a page on another port of this machine can do none of it, although the browser sends our cookie', async () => {
    const page = await signedIn.newPage()
    await page.goto(`http://127.0.0.1:${strangePort()}`)
    const shown: string[] = []
    page.on('websocket', (socket) => shown.push(socket.url()))
    expect(await attack(page, served.url)).toEqual(all('refused'))
    expect(shown).toHaveLength(2)
  })

  it('a page under another name that resolves here can do none of it', async () => {
    const page = await signedIn.newPage()
    await page.goto(`http://${strangeName}:${strangePort()}`)
    expect(await attack(page, served.url)).toEqual(all('refused'))
  })

  it('a page whose name is rebound to our address and port can do none of it', async () => {
    const at = `http://${strangeName}:${port()}`
    const page = await signedIn.newPage()
    // The page was loaded before its name changed.
    await page.route(`${at}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>theirs</title>' }))
    await page.goto(`${at}/`)
    expect(await page.title()).toBe('theirs')
    expect(await attack(page, at)).toEqual(all('refused'))
  })

  it('none of them has changed anything', async () => {
    const { sessions } = await served.client.listSessions()
    expect(sessions.map(({ title }) => title)).not.toContain('theirs')
  })
})
