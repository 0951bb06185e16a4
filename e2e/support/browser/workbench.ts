// A signed-in page, watched for everything that must never happen on it.

import type { Served } from '../server/serve.ts'
import type { Browser, Page } from './browser.ts'

export interface Workbench {
  readonly page: Page
  /** Dialogs, script errors and refusals of the content policy. */
  trouble(): readonly string[]
  /** Addresses asked for that are not the server's own. */
  outside(): readonly string[]
  close(): Promise<void>
}

export interface WorkbenchOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
}

/** A browser of its own: nothing is shared with another page. */
export async function openPage(browser: Browser, url: string, options: WorkbenchOptions = {}): Promise<Workbench> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.theme ?? 'light',
    // What the system prefers: pictures and geometry then do not depend on a moment.
    reducedMotion: 'reduce',
  })
  // A bound against a hang: a press waits for its button as long as a test waits for a word.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const { trouble, outside } = await watch(page, url)
  await page.goto(url)
  return { page, trouble: () => trouble, outside: () => outside, close: () => context.close() }
}

/** Signs in with the link and waits until the first page is drawn. */
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
    // A request that failed or was refused is the subject of some tests; the page says it in words.
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
