// Approvals without a pointer: edit a command, deny with a note. No single key press can allow a call by accident.
import { expect, it } from 'vitest'
import { openBrowser, type Page } from '../support/browser/browser.ts'
import { openWorkbench } from '../support/browser/workbench.ts'
import { serve } from '../support/server/serve.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const patience = { timeout: 120_000 }

it('edits a command and allows it, then denies the next call with a note, by keyboard only', async () => {
  const served = await serve({ args: ['--model-source', 'simulator'] })
  const browser = await openBrowser()
  try {
    const { page, trouble } = await openWorkbench(browser, served)
    const { sessionId } = await served.client.createSession({
      agent: 'coder',
      message: 'Find and fix the failing test.',
    })
    await page.goto(`${served.url}/sessions/${sessionId}`)
    const ask = page.locator('article.ask')
    await ask.waitFor(patience)
    expect(await focusedElement(page)).not.toMatch(/allow/i)

    // A key pressed outside of the buttons approves nothing.
    for (const key of ['Enter', 'y', 'a', ' ']) await page.keyboard.press(key)
    expect((await served.client.listApprovals()).approvals).toHaveLength(1)

    await tabTo(page, /^Edit$/)
    expect(await hasVisibleFocus(page)).toBe(true)
    await page.keyboard.press('Enter')
    await tabTo(page, /^textarea: Run this instead$/)
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('node --test --test-concurrency=1')
    await tabTo(page, /^Allow this edit once$/)
    expect(await hasVisibleFocus(page)).toBe(true)
    await page.keyboard.press('Enter')

    await watchUntil(served, sessionId, (event) => event.type === 'ApprovalRequested' && event.data.toolName === 'Edit')
    await ask.getByText('src/cart.js', { exact: true }).waitFor(patience)
    expect(await focusedElement(page)).not.toMatch(/allow/i)
    await tabTo(page, /^Deny$/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^textarea: Tell the agent why/)
    await page.keyboard.type('Leave the cart alone.')
    await tabTo(page, /^Deny$/)
    await page.keyboard.press('Enter')
    await watchUntil(served, sessionId, isStatus('idle'))

    const log = await wholeLog(served, sessionId)
    expect(log.filter((event) => event.type === 'ApprovalDecided').map((event) => event.data)).toMatchObject([
      { decision: 'allow', edited: true, toolInput: { command: 'node --test --test-concurrency=1' } },
      { decision: 'deny', note: 'Leave the cart alone.' },
    ])
    const ran = log.filter((event) => event.type === 'ToolExecuted' && event.data.toolName === 'Bash')
    expect(ran).toHaveLength(1)
    await page.getByText('Allowed after an edit').waitFor(patience)
    await page.getByText('“Leave the cart alone.”').waitFor(patience)
    expect(trouble()).toEqual([])
  } finally {
    await browser.close()
    await served.stop()
  }
})

/** The accessible name of the focused element. */
const focusedElement = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body) return ''
    const label = element.getAttribute('aria-label') ?? (element as HTMLInputElement).labels?.[0]?.textContent
    const name = label ?? element.textContent ?? ''
    return `${element.tagName === 'TEXTAREA' ? 'textarea: ' : ''}${name.trim().slice(0, 120)}`
  })

/** Presses Tab, at most once around the page. */
async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  const passed: string[] = []
  for (let step = 0; step < 120; step += 1) {
    const focused = await focusedElement(page)
    if (wanted.test(focused)) return
    passed.push(focused)
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${wanted}; it passed:\n${passed.join('\n')}`)
}

/** A visible focus indicator: an outline or a box shadow. */
const hasVisibleFocus = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const element = document.activeElement
    if (element === null) return false
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
  })
