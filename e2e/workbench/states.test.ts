// Every view has an empty, filtered, refused and narrow state, and works with a screen reader.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser, type Page } from '../support/browser/browser.ts'
import { unnamedElements } from '../support/browser/unnamed-elements.ts'
import { openPage, openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil } from '../support/server/watched-session.ts'

const patience = { timeout: 120_000 }

const hasSidewaysScroll = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth)

describe('the states of the workbench', () => {
  let browser: Browser
  let served: Served
  let workbench: Workbench
  let waiting: string

  beforeAll(async () => {
    served = await serve({ args: ['--model-source', 'simulator'] })
    browser = await openBrowser()
    workbench = await openWorkbench(browser, served)
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  it('no sessions: explains what a session is and links to the first page', async () => {
    const { page } = workbench
    await page.goto(`${served.url}/sessions`)
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor(patience)
    expect(await unnamedElements(page)).toEqual([])
    await page.getByRole('button', { name: 'Start an agent' }).click()
    await page.getByRole('heading', { name: 'Start an agent' }).waitFor(patience)
  })

  it('lists and filters sessions, and offers to clear a filter without matches', async () => {
    const { page } = workbench
    const hello = await served.client.createSession({ agent: 'hello', message: 'What can you do?' })
    await watchUntil(served, hello.sessionId, isStatus('idle'))
    const coder = await served.client.createSession({ agent: 'coder', message: 'Find and fix the failing test.' })
    await watchUntil(served, coder.sessionId, isStatus('waiting_approval'))
    waiting = coder.sessionId
    await page.goto(`${served.url}/sessions`)
    const rows = page.locator('a.session-row')
    await expect.poll(() => rows.count(), patience).toBe(2)
    await page.getByLabel('Agent', { exact: true }).selectOption('hello')
    await expect.poll(() => rows.count(), patience).toBe(1)
    expect(await rows.first().innerText()).toContain('What can you do?')
    await page.getByLabel('State', { exact: true }).selectOption('failed')
    await page.getByText('0 sessions match').waitFor(patience)
    expect(page.url()).toContain('status=failed')
    await page.reload()
    await page.getByText('0 sessions match').waitFor(patience)
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await expect.poll(() => rows.count(), patience).toBe(2)
    await page.getByLabel('State', { exact: true }).selectOption('waiting_approval')
    await expect.poll(() => rows.count(), patience).toBe(1)
    expect(await rows.first().innerText()).toContain('Needs approval')
  })

  it('an unknown session, a malformed address and an unknown page explain the problem and link to another page', async () => {
    const { page } = workbench
    await page.goto(`${served.url}/sessions/ses_00000000000000000000000aa`)
    await page.getByText('Session not found', { exact: true }).waitFor(patience)
    await page.goto(`${served.url}/sessions/nonsense`)
    await page.getByText('This is not a session address').waitFor(patience)
    expect(await unnamedElements(page)).toEqual([])
    await page.getByRole('link', { name: 'All sessions' }).click()
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor(patience)
    await page.goto(`${served.url}/no/such/page`)
    await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor(patience)
  })

  it('signed out: every address shows only how to sign in', async () => {
    const stranger = await openPage(browser, `${served.url}/sessions/${waiting}`)
    await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor(patience)
    const text = await stranger.page.locator('body').innerText()
    expect(text).not.toContain('node --test')
    expect(text).not.toContain('Find and fix')
    expect(await unnamedElements(stranger.page)).toEqual([])
    const status = await stranger.page.evaluate(() => fetch('/v1/sessions').then((answer) => answer.status))
    expect(status).toBe(401)
    await stranger.close()
  })

  it('at 360 pixels no page scrolls sideways, and the important parts of a session are visible', async () => {
    const narrow = await openPage(browser, served.url, { width: 360, height: 780 })
    await narrow.page.context().addCookies(await workbench.page.context().cookies())
    for (const path of ['/', '/sessions', `/sessions/${waiting}`]) {
      await narrow.page.goto(served.url + path)
      await narrow.page
        .getByRole('heading', { level: 1 })
        .first()
        .waitFor({ state: 'attached', ...patience })
      if (path.includes(waiting)) await narrow.page.locator('article.ask').waitFor(patience)
      else await narrow.page.locator('a.session-row').first().waitFor(patience)
      expect({ path, sideways: await hasSidewaysScroll(narrow.page) }).toEqual({ path, sideways: false })
      expect(await unnamedElements(narrow.page)).toEqual([])
    }
    const { page } = narrow
    for (const part of [
      page.locator('.head').getByText('Needs approval'),
      page.locator('.head').getByText(/\$0\.\d+ of \$1/),
      page.locator('.head').getByRole('button', { name: 'Stop' }),
      page.locator('article.ask'),
      page.getByLabel('Message coder'),
    ]) {
      expect(await part.first().isVisible()).toBe(true)
    }
    for (const tab of ['Agents', 'About', 'Transcript']) {
      await page
        .getByRole('navigation', { name: 'Views' })
        .getByRole('button', { name: new RegExp(`^${tab}`) })
        .click()
      expect({ tab, sideways: await hasSidewaysScroll(page) }).toEqual({ tab, sideways: false })
    }
    expect(narrow.trouble()).toEqual([])
    await narrow.close()
  })

  it('follows the system’s dark theme, or the user’s choice, before the first paint', async () => {
    const dark = await openPage(browser, served.url, { theme: 'dark' })
    await dark.page.context().addCookies(await workbench.page.context().cookies())
    await dark.page.reload()
    await dark.page.getByRole('heading', { name: 'Start an agent' }).waitFor(patience)
    expect(await ground(dark.page)).toBeLessThan(0.4)
    const button = dark.page.getByRole('button', { name: /^Theme: / })
    await button.click()
    await expect.poll(() => ground(dark.page), patience).toBeGreaterThan(0.7)
    await dark.page.reload()
    await dark.page.getByRole('heading', { name: 'Start an agent' }).waitFor(patience)
    expect(await ground(dark.page)).toBeGreaterThan(0.7)
    expect(dark.trouble()).toEqual([])
    await dark.close()
  })

  it('every button has a name, every field a label, and headings descend one level at a time', async () => {
    const { page } = workbench
    for (const path of ['/', '/sessions', `/sessions/${waiting}`]) {
      await page.goto(served.url + path)
      if (path.includes(waiting)) await page.locator('article.ask').waitFor(patience)
      else await page.locator('a.session-row').first().waitFor(patience)
      expect({ path, unnamed: await unnamedElements(page) }).toEqual({ path, unnamed: [] })
    }
    await page.locator('article.ask').getByRole('button', { name: 'Edit' }).click()
    expect(await unnamedElements(page)).toEqual([])
    expect(workbench.trouble()).toEqual([])
    expect(workbench.outside()).toEqual([])
  })
})

/** The lightness of the page background as drawn, 0 to 1. */
async function ground(page: Page): Promise<number> {
  return page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d')
    if (context === null) throw new Error('no canvas')
    context.fillStyle = getComputedStyle(document.body).backgroundColor
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
    return (red + green + blue) / 3 / 255
  })
}
