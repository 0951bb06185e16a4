// The pictures of the README, taken only with PICTURES=1. Review them before you commit them.
import { cp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exampleAgents } from '../../scripts/example-agents.mjs'
import { launchBrowser } from '../support/browser/browser.ts'
import { openWorkbench } from '../support/browser/workbench.ts'
import { checkout, examples, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil } from '../support/server/watched-session.ts'
import { enter, hasTmux, openTerminal, sees } from '../support/terminal/terminal.ts'
import { showTerminal } from './terminal-page.ts'

const patience = { timeout: 120_000 }

// A short, neutral path, because paths are visible in the pictures.
const shop = join(tmpdir(), 'shop')
const pictures = join(checkout, 'docs', 'pictures')

beforeEach(async () => {
  await rm(shop, { recursive: true, force: true })
  await cp(examples, join(shop, 'examples'), { recursive: true })
  await mkdir(pictures, { recursive: true })
})
afterEach(() => rm(shop, { recursive: true, force: true }))

it('the inbox and a session that waits for approval', async () => {
  const served = await serve({
    port: 4300,
    dataDir: join(shop, 'data'),
    agents: join(shop, 'examples', 'hello'),
    // In the order of `npm start`.
    args: [...exampleAgents(join(shop, 'examples')), '--model-source', 'simulator'],
  })
  const browser = await launchBrowser()
  try {
    const { page } = await openWorkbench(browser, served)
    await page.getByText('Not available yet').waitFor(patience)
    await page.screenshot({ path: join(pictures, 'first-page.png') })
    await page.getByRole('button', { name: 'Start coder: Find and fix the failing test.' }).click()
    await page.waitForURL(/\/sessions\/ses_/, patience)
    const { sessions } = await served.client.listSessions()
    const sessionId = sessions[0]?.sessionId
    if (sessionId === undefined) throw new Error('no session was started')
    let asked = 0
    await watchUntil(served, sessionId, (event) => {
      if (event.type !== 'ApprovalRequested') return false
      asked += 1
      // The second request is a diff, which shows more than the first command.
      if (asked === 1) void served.client.decideApproval(event.data.approvalId, { decision: 'allow' })
      return asked === 2
    })
    await watchUntil(served, sessionId, isStatus('waiting_approval'))
    await page.locator('article.ask .diff').first().waitFor(patience)
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    await page.screenshot({ path: join(pictures, 'session.png') })
    expect(await page.locator('article.ask').count()).toBe(1)
  } finally {
    await browser.close()
    await served.kill('SIGKILL')
  }
})

it.runIf(hasTmux)('a conversation in the terminal, from the first message to its cost', async () => {
  const flags = ['--model-source', 'simulator', '--data', join(shop, 'data')]
  const terminal = await openTerminal(['chat', join(shop, 'examples', 'coder'), ...flags], { hasColors: true })
  const browser = await launchBrowser()
  try {
    await sees(terminal, /›$/)
    enter(terminal, 'Find and fix the failing test.')
    await sees(terminal, /Bash needs approval[\s\S]*deny:$/)
    enter(terminal, 's')
    await sees(terminal, /Edit needs approval[\s\S]*deny:$/)
    enter(terminal, 'y')
    await sees(terminal, /3 of 3 pass[\s\S]*›$/)
    enter(terminal, '/cost')
    await sees(terminal, /\/cost\n.*\$\d[\s\S]*›$/)
    const page = await browser.newPage()
    await showTerminal(page, terminal.coloredScreen())
    await page.screenshot({ path: join(pictures, 'chat.png') })
  } finally {
    await browser.close()
    terminal.close()
  }
})
