// Every picture of the documentation. A screen that changed fails here until `npm run pictures` takes its picture again.
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exampleAgents } from '../../scripts/example-agents.mjs'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { examples, newFolder, type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil } from '../support/server/watched-session.ts'
import { enter, hasTmux, openTerminal, sees } from '../support/terminal/terminal.ts'
import { compareScreen, isTaking, picturesFolder } from './compare-screen.ts'
import { showTerminal } from './terminal-page.ts'

/** Semicolons, decimal commas, day-first dates, a duplicate and an empty column name, and two malformed lines. */
const stockCsv = [
  'Artikel;Größe;Preis;Eingang;Menge;;Menge',
  ...Array.from({ length: 40 }, (_, at) =>
    [
      `A-${1000 + at}`,
      ['S', 'M', 'L', 'XL'][at % 4],
      `${(at * 7) % 90},${10 + (at % 80)}`,
      `${String(1 + (at % 28)).padStart(2, '0')}.${String(1 + (at % 12)).padStart(2, '0')}.2026`,
      at === 17 ? 'viele' : String((at * 13) % 40),
      at % 3 === 0 ? 'ja' : '',
      String(at),
    ].join(';'),
  ),
  'A-1040;M;9,90',
].join('\n')

let folder = ''
let served: Served
let browser: Browser
let workbench: Workbench

beforeAll(async () => {
  folder = isTaking ? await makeVisibleFolder() : await newFolder('shop')
  await cp(examples, join(folder, 'examples'), { recursive: true })
  // In the order of `npm start`.
  const [agents = '', ...others] = exampleAgents(join(folder, 'examples'))
  const args = [...others, '--model-source', 'simulator']
  served = await serve({ port: isTaking ? 4300 : 0, dataDir: join(folder, 'data'), agents, args })
  if (isTaking && !served.url.endsWith(':4300')) throw new Error('Port 4300 is taken: stop its server, then try again')
  browser = await openBrowser()
  workbench = await openWorkbench(browser, served)
  workbench.page.setDefaultTimeout(60_000)
})
afterAll(async () => {
  await browser?.close()
  await served?.stop()
  if (folder !== '') await rm(folder, { recursive: true, force: true })
})

/** A short, neutral path, because paths are visible in the pictures. A folder that exists belongs to someone else. */
async function makeVisibleFolder(): Promise<string> {
  const made = join(tmpdir(), 'shop')
  await mkdir(made).catch((cause) => {
    throw new Error(`cannot create ${made}: if it exists, move it away, then try again`, { cause })
  })
  return made
}

it('shows the first page as in first-page.png', async () => {
  await compareScreen(workbench.page.locator('body'), 'first-page')
})

it.skipIf(isTaking)('reports a changed screen, and the command that takes its picture again', async () => {
  const { page } = workbench
  await page.getByRole('heading', { name: 'Not available yet' }).evaluate((heading) => {
    heading.textContent = 'Planned'
  })
  const changed = compareScreen(page.locator('body'), 'first-page', 1000)
  await expect(changed).rejects.toThrow('first-page.png is out of date: run `npm run pictures`')
})

it('shows a file before it becomes a table as in data-review.png', async () => {
  const { page } = workbench
  await page.goto(`${served.url}/data`)
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Add files' }).click(),
  ])
  await chooser.setFiles({ name: 'Lager Süd.csv', mimeType: 'text/csv', buffer: Buffer.from(stockCsv) })
  const review = page.getByRole('dialog', { name: 'Add Lager Süd.csv' })
  await review.getByRole('grid').waitFor()
  await compareScreen(review, 'data-review')
})

it('shows an answer with its proof as in analysis.png, and the requests behind it as in data-sent.png', async () => {
  const { page } = workbench
  await page.goto(`${served.url}/data`)
  await page.getByRole('button', { name: 'Open the sample Deliveries' }).click()
  await page.getByRole('switch', { name: 'Never send customer_email' }).waitFor()
  const question = 'Which region had the most late deliveries in September, and why?'
  await page.getByRole('textbox', { name: 'Your question' }).fill(question)
  await page.getByRole('button', { name: /^Ask ./ }).click()
  const block = page.getByRole('region', { name: question })
  await block.getByText('Done', { exact: true }).waitFor()
  await block.getByRole('button', { name: '109' }).click()
  await page.getByText('This cell proves').waitFor()
  await block.locator('canvas, svg.marks').first().waitFor()
  expect(await block.locator('.proof.unverified').allInnerTexts()).toEqual([])
  await compareScreen(page.locator('body'), 'analysis')
  await page.getByRole('button', { name: /^Sent to this server: / }).click()
  const drawer = page.getByRole('dialog', { name: 'What was sent' })
  await drawer.getByRole('button', { name: /Result of step 1/ }).click()
  await compareScreen(drawer, 'data-sent')
  expect(workbench.trouble()).toEqual([])
})

it('shows a session that waits for an approval as in session.png', async () => {
  const { page } = workbench
  await page.goto(served.url)
  await page.getByRole('button', { name: 'Start coder: Find and fix the failing test.' }).click()
  await page.waitForURL(/\/sessions\/ses_/)
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
  await page.locator('article.ask .diff').first().waitFor()
  await page.getByRole('link', { name: 'Inbox 1 waiting for you' }).waitFor()
  await compareScreen(page.locator('body'), 'session')
})

it.runIf(hasTmux)('shows a conversation in the terminal as in chat.png', async () => {
  const flags = ['--model-source', 'simulator', '--data', join(folder, 'data')]
  const terminal = await openTerminal(['chat', join(folder, 'examples', 'coder'), ...flags], { hasColors: true })
  const page = await browser.newPage()
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
    await showTerminal(page, terminal.coloredScreen())
    await compareScreen(page.locator('body'), 'chat')
  } finally {
    await page.close()
    terminal.close()
  }
})

it('has a snapshot for each picture, and no other file', async () => {
  const names = ['analysis', 'chat', 'data-review', 'data-sent', 'first-page', 'session']
  expect((await readdir(picturesFolder)).sort()).toEqual(names.flatMap((name) => [`${name}.aria.yml`, `${name}.png`]))
})
