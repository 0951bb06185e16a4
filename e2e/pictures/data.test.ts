// Pictures of the Data pages in both themes, taken only with PICTURES=1. Pictures used in docs/ are written there to be
// committed; the others are only for review.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DataWorkbench, openDataWorkbench } from '../data/support/data-workbench.ts'
import type { Page } from '../support/browser/browser.ts'
import { checkout } from '../support/server/serve.ts'
import { pictureScenario, questions, stockCsv } from './data.fixture.ts'

const docs = join(checkout, 'docs', 'pictures')
const review = join(checkout, 'e2e', 'results', 'pictures')
/** In the light theme. */
const shown = ['analysis', 'data-review', 'data-sent']

let workbench: DataWorkbench

beforeAll(async () => {
  await Promise.all([docs, review].map((folder) => mkdir(folder, { recursive: true })))
  workbench = await openDataWorkbench(pictureScenario())
})
afterAll(() => workbench?.close())

const run = (page: Page, question: string) => page.getByRole('region', { name: question })

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Your question' }).fill(question)
  await page.getByRole('button', { name: /^Ask ./ }).click()
  await run(page, question).waitFor()
}

const tab = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Takes each picture in both themes. */
function createCamera(page: Page) {
  return async (name: string): Promise<void> => {
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await page.evaluate(() => document.fonts.ready.then(() => undefined))
      // Charts are drawn again after a change of theme.
      await page.waitForTimeout(400)
      const isShown = theme === 'light' && shown.includes(name)
      await page.screenshot({ path: isShown ? join(docs, `${name}.png`) : join(review, `${name}-${theme}.png`) })
    }
  }
}

type Camera = ReturnType<typeof createCamera>

/** The empty page, the review of a file, and its rejected rows. */
async function takeImport(page: Page, take: Camera): Promise<void> {
  await page.goto(`${workbench.served.url}/data`)
  await page.getByText('Or try a sample').waitFor()
  await take('data-empty')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Add files' }).click(),
  ])
  await chooser.setFiles({ name: 'Lager Süd.csv', mimeType: 'text/csv', buffer: Buffer.from(stockCsv) })
  const review = page.getByRole('dialog')
  await review.getByRole('grid').waitFor()
  await take('data-review')
  await review.getByRole('button', { name: 'Add table' }).click()
  await page
    .getByRole('button', { name: /rejected/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('table').waitFor()
  await page.getByText('Profiling columns…').waitFor({ state: 'hidden' })
  await take('data-rejected')
  await page.getByRole('button', { name: 'Leave it out' }).click()
  await page.getByRole('button', { name: /^Dismiss/ }).click()
  await page.locator('summary[aria-label="More for Lager_Süd"]').click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('button', { name: 'Remove from this browser' }).click()
}

/** A question with its answer and a selected number. */
async function takeAnswer(page: Page, take: Camera): Promise<void> {
  await page.getByRole('button', { name: 'Open the sample Deliveries' }).click()
  await page.waitForURL(/\/data\/[0-9a-f-]{36}/)
  await page.getByRole('switch', { name: 'Never send customer_email' }).waitFor()
  await take('data-new')
  await ask(page, questions.trend)
  const block = run(page, questions.trend)
  await block.getByText('Done', { exact: true }).waitFor()
  await block.getByRole('button', { name: '33.0 %' }).click()
  await page.getByText('This cell proves').waitFor()
  await block.locator('canvas, svg.marks').first().waitFor()
  expect(await block.locator('.proof.unverified').allInnerTexts()).toEqual([])
  await take('analysis')
}

async function takeTabs(page: Page, take: Camera): Promise<void> {
  await tab(page, 'Profile')
  await page.getByText('customer_email').first().waitFor()
  await take('data-profile')
  await tab(page, 'SQL')
  const sql = page.getByRole('textbox', { name: 'Your SQL' })
  await sql.fill(
    'SELECT carrier, region, count(*) AS parcels,\n  round(avg(fee_eur), 2) AS fee\nFROM deliveries JOIN depots USING (depot_id)\nWHERE month(promised_at) = 9 -- as promised\nGROUP BY carrier, region\nORDER BY parcels DESC',
  )
  await page.keyboard.press('Control+Enter')
  await page.getByRole('grid', { name: 'Rows of your query' }).waitFor()
  await take('data-sql')
  await tab(page, 'Report')
  await page.frameLocator('.report-preview').getByRole('img').first().waitFor()
  await take('data-report')
  await tab(page, 'Ask')
  await page.getByRole('button', { name: /^Sent to this server: / }).click()
  const drawer = page.getByRole('dialog', { name: 'What was sent' })
  await drawer.getByRole('listitem').nth(3).getByRole('button').first().click()
  await take('data-sent')
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
}

/** A question to the user, and an approval that waits. */
async function takeOpen(page: Page, take: Camera): Promise<void> {
  await ask(page, questions.rows)
  await run(page, questions.rows).getByRole('button', { name: 'Allow these rows' }).waitFor()
  await take('data-rows-asked')
  await page.getByRole('button', { name: 'Summary only' }).click()
  await run(page, questions.rows).getByText('Done', { exact: true }).waitFor()
  await ask(page, questions.endless)
  await page.getByText('Compare each one with each other one').first().waitFor()
  await page.getByText('running query').first().waitFor()
  await take('data-running')
  await page.setViewportSize({ width: 360, height: 740 })
  await take('data-running-360')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await run(page, questions.endless).getByText('Cancelled', { exact: true }).first().waitFor()
}

async function takeNarrow(page: Page, take: Camera): Promise<void> {
  const block = run(page, questions.trend)
  await block.getByText('Done', { exact: true }).scrollIntoViewIfNeeded()
  await take('data-ask-360')
  await block.locator('figure').first().scrollIntoViewIfNeeded()
  await take('data-chart-360')
  await block.getByRole('button', { name: '33.0 %' }).click()
  await page.getByText('This cell proves').waitFor()
  await take('data-step-360')
  await page.goto(`${workbench.served.url}/data`)
  await page.getByRole('heading', { name: 'Analyses' }).waitFor()
  await take('data-list-360')
  await page.setViewportSize({ width: 1440, height: 900 })
  await take('data-list')
}

it('the Data pages', async () => {
  const { page, trouble } = workbench
  page.setDefaultTimeout(60_000)
  const take = createCamera(page)
  await takeImport(page, take)
  await takeAnswer(page, take)
  await takeTabs(page, take)
  await takeOpen(page, take)
  await takeNarrow(page, take)
  expect(trouble()).toEqual([])
})
