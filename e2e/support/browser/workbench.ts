// A signed-in page that records everything that must never happen on it.

import type { Served } from '../server/serve.ts'
import type { Browser, Page } from './browser.ts'

export interface Workbench {
  readonly page: Page
  /** Dialogs, script errors and violations of the content security policy. */
  trouble(): readonly string[]
  /** Requests to other servers. */
  outside(): readonly string[]
  close(): Promise<void>
}

export interface WorkbenchOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
}

/** A separate browser context: nothing is shared with other pages. */
export async function openPage(browser: Browser, url: string, options: WorkbenchOptions = {}): Promise<Workbench> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.theme ?? 'light',
    // Without animations, pictures and geometry do not depend on timing.
    reducedMotion: 'reduce',
  })
  // A bound against hanging: a click waits for its button as long as a test waits for a text.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const { trouble, outside } = await watch(page, url)
  await page.goto(url)
  return { page, trouble: () => trouble, outside: () => outside, close: () => context.close() }
}

/** Signs in with the link and waits for the first page. */
export async function openWorkbench(browser: Browser, served: Served, options: WorkbenchOptions = {}) {
  const workbench = await openPage(browser, served.loginLink, options)
  await workbench.page.getByRole('heading', { name: 'Start an agent' }).waitFor({ timeout: 60_000 })
  return workbench
}

async function watch(page: Page, url: string) {
  const { origin } = new URL(url)
  const trouble: string[] = []
  const outside: string[] = []
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const { url: source } = message.location()
    // Some tests cause failed or refused requests, and the page itself reports them.
    const isAnswer = /^Failed to load resource/.test(message.text())
    if (message.type() === 'error' && !isAnswer) trouble.push(`console: ${message.text()} (${source})`)
  })
  page.on('request', (request) => {
    const asked = request.url()
    if (!asked.startsWith(`${origin}/`) && !asked.startsWith('data:') && !asked.startsWith('blob:')) outside.push(asked)
  })
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)
    })
  })
  return { trouble, outside }
}
