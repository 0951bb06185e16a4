// A model and its tools may output anything. The page shows it as text without side effects.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { newFolder, type Served, serve } from '../support/server/serve.ts'

const patience = { timeout: 120_000 }

describe('hostile content', () => {
  let browser: Browser
  let served: Served
  let workbench: Workbench

  beforeAll(async () => {
    const text = await readFile(new URL('../scenarios/hostile.yaml', import.meta.url), 'utf8')
    const script = join(await newFolder('scenario'), 'hostile.yaml')
    await writeFile(script, text.replace('LONG-LINE', 'x'.repeat(100_000)))
    served = await serve({ args: ['--model-source', 'simulator', '--script', script] })
    browser = await openBrowser()
    workbench = await openWorkbench(browser, served)
    const { sessionId } = await served.client.createSession({
      agent: 'coder',
      message: 'attack <script>window.hacked = "prompt"</script>',
      title: '</title><script>window.hacked = "title"</script>',
    })
    await workbench.page.goto(`${served.url}/sessions/${sessionId}`)
    await workbench.page.locator('article.ask').waitFor(patience)
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  const nothingHappened = async () => {
    expect(await workbench.page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined()
    expect(workbench.trouble()).toEqual([])
    expect(workbench.outside()).toEqual([])
  }

  it('shows markup in an answer as text', async () => {
    const { page } = workbench
    const message = page.locator('.say').first()
    const text = await message.innerText()
    expect(text).toContain("<script>window.hacked = 'script'</script>")
    expect(text).toContain('<img src="x"')
    expect(text).toContain("<script>window.hacked = 'fence'</script>")
    expect(await message.locator('script, img, iframe, svg, style, [onclick], [onerror]').count()).toBe(0)
    await nothingHappened()
  })

  it('links web addresses only, shows each host, and sends no referrer', async () => {
    const links = workbench.page.locator('.say a')
    const all = await links.evaluateAll((elements) =>
      elements.map((element) => ({
        href: element.getAttribute('href') ?? '',
        rel: element.getAttribute('rel'),
        target: element.getAttribute('target'),
        text: element.textContent ?? '',
      })),
    )
    expect(all.length).toBeGreaterThan(2)
    for (const { href, rel, target, text } of all) {
      expect(href).toMatch(/^https?:\/\//)
      expect(rel).toMatch(/noopener/)
      expect(rel).toMatch(/noreferrer/)
      expect(target).toBe('_blank')
      expect(text).toContain(new URL(href).host)
    }
    await nothingHappened()
  })

  it('loads no remote picture and shows its address', async () => {
    await workbench.page.getByText('Image not loaded: a remote picture').waitFor(patience)
    await nothingHappened()
  })

  it('neutralizes escape sequences and direction overrides', async () => {
    const shown = (await workbench.page.locator('.log').textContent()) ?? ''
    // Any of these could hide part of a command or reverse what a person reads.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
    expect(shown).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u200b]/)
    expect(shown).toContain('\\u202egnp.exe\\u202c')
    expect(shown).toContain('red')
  })

  it('shows the exact hostile command in the approval, in full and as text', async () => {
    const { page } = workbench
    const asked = await page.locator('article.ask .input').first().innerText()
    expect(asked).toContain('<script>window.hacked=1</script>')
    expect(asked).toContain('head -c 200000 /dev/zero')
    expect(asked).toContain('# \\u202eton si siht\\u202c')
    expect(await page.locator('article.ask script').count()).toBe(0)
    await nothingHappened()
  })

  it('shows markup and a huge line of tool output as text, and stays usable', async () => {
    const { page } = workbench
    await page
      .locator('article.ask')
      .getByRole('button', { name: /allow once/i })
      .click()
    await page.getByText('All said: <b>done</b>.').first().waitFor(patience)
    await page.locator('button.tool-head', { hasText: 'printf' }).first().click()
    const output = page.getByRole('region', { name: 'Output' }).first()
    await output.waitFor(patience)
    expect(await output.locator('script, img, h1').count()).toBe(0)
    await nothingHappened()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.getByLabel('Message coder').fill('still there?')
    await page.keyboard.press('Enter')
    await page.getByText('Still here.').first().waitFor(patience)
    expect(await page.title()).not.toBe('')
    await nothingHappened()
  })

  it('shows a hostile title as text in the inbox and in the list', async () => {
    const { page } = workbench
    for (const path of ['/', '/sessions']) {
      await page.goto(served.url + path)
      await page.locator('.session-row', { hasText: '</title><script>' }).first().waitFor(patience)
      await nothingHappened()
    }
  })
})
