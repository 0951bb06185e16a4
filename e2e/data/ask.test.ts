// Asking questions on screen: steps, numbers with their source cells, edits, the log of sent data, and the SQL console.
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seriousIssues } from '../support/browser/axe.ts'
import type { Page } from '../support/browser/browser.ts'
import { perRegion, sales, scenario } from './support/ask-scenario.ts'
import { addCsv, newAnalysis } from './support/data-page.ts'
import { type DataWorkbench, openDataWorkbench } from './support/data-workbench.ts'

let workbench: DataWorkbench
let page: Page

beforeAll(async () => {
  workbench = await openDataWorkbench(scenario())
  page = workbench.page
  await addCsv(page, { name: 'sales.csv', text: sales })
  await newAnalysis(page)
  await page.getByRole('log', { name: 'Questions and answers' }).waitFor()
})

afterAll(() => workbench?.close())

const box = () => page.getByRole('textbox', { name: 'Your question' })
const run = (question: string) => page.getByRole('region', { name: question })
const step = (n: number) => page.locator(`[data-step="${n}"]`)
const inspector = (n: number) => page.getByRole('complementary', { name: `Step ${n}` })

/** Uses only the keyboard. */
async function ask(question: string): Promise<void> {
  await box().focus()
  await page.keyboard.type(question)
  await page.keyboard.press('Control+Enter')
  await run(question).waitFor()
}

const done = (question: string) => run(question).getByText('Done', { exact: true }).waitFor()

it('answers with steps, and links every number to its source cell or marks it', async () => {
  await ask('Which region sold most')
  await done('Which region sold most')
  const block = run('Which region sold most')
  expect(await block.getByRole('listitem').filter({ hasText: 'Add up' }).innerText()).toMatch(
    /4 rows[\s\S]*ms[\s\S]*sent /,
  )
  expect(await step(3).innerText()).toMatch(/no column “amonut”, corrected in step 4[\s\S]*sent /)
  const chips = block.locator('.proof')
  await expect
    .poll(() => chips.allInnerTexts())
    .toEqual(['4', '145', '33.0 %', '440', '116'].map((text) => expect.stringContaining(text)))
  expect(await block.locator('.proof.unverified').count()).toBe(1)
  expect(await block.locator('.proof.unverified').innerText()).toContain('116')
  // The word appears when the number has focus.
  await block.locator('.proof.unverified').focus()
  expect(await block.locator('.unverified-word').isVisible()).toBe(true)

  const share = block.getByRole('button', { name: '33.0 %' })
  await share.focus()
  await page.keyboard.press('Enter')
  await inspector(2).getByText('This cell proves 33.0 % in the answer.').waitFor()
  expect(await inspector(2).locator('td.hit').innerText()).toBe('33')
  expect(new URL(page.url()).searchParams.get('step')).toBe('2')
  // The address holds positions, not names: the next reload sends it to the server.
  expect(new URL(page.url()).searchParams.get('cell')).toMatch(/^\d+-\d+$/)
  expect(await share.getAttribute('aria-current')).toBe('true')
  // The address alone restores the selection.
  await page.reload()
  await inspector(2).getByText('This cell proves 33.0 % in the answer.').waitFor()
  await block.getByRole('button', { name: '4', exact: true }).click()
  await inspector(1).getByText('The number of rows proves 4 in the answer.').waitFor()
})

it('marks dependent steps and the answer as outdated after an edit, and can restore the step', async () => {
  await run('Which region sold most').getByRole('button', { name: '145', exact: true }).click()
  await inspector(1).getByText('This cell proves 145 in the answer.').waitFor()
  expect(await inspector(1).locator('td.hit').innerText()).toBe('145')
  const code = inspector(1).getByRole('textbox', { name: 'SQL of step 1' })
  await expect.poll(() => code.inputValue()).toBe(perRegion)
  await code.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(perRegion.replace('sum(amount)', '2 * sum(amount)'))
  await page.keyboard.press('Control+Enter')
  await inspector(1).getByRole('gridcell', { name: '290' }).waitFor()
  await inspector(1).getByText('Edited by you').waitFor()
  // The editor keeps focus after a run.
  expect(await code.evaluate((field) => field === document.activeElement)).toBe(true)
  await expect.poll(() => step(2).getAttribute('data-look')).toBe('stale')
  await step(1).getByText('edited').waitFor()
  const block = run('Which region sold most')
  await block.getByText('Based on an earlier version').waitFor()
  // No step contains 145 any more.
  await expect.poll(() => block.locator('.proof.unverified').count()).toBe(2)
  expect(await inspector(1).locator('td.hit').count()).toBe(0)
  expect(await inspector(1).getByText('This cell proves').count()).toBe(0)

  await inspector(1).getByRole('button', { name: 'Run from here' }).click()
  await expect.poll(() => step(2).getAttribute('data-look')).toBe('ok')
  await block.getByText('Based on an earlier version').waitFor()

  await inspector(1).getByLabel('More for this step').click()
  await inspector(1).getByRole('button', { name: 'Restore original' }).click()
  await inspector(1).getByRole('gridcell', { name: '145' }).waitFor()
  await inspector(1).getByRole('button', { name: 'Run from here' }).click()
  await expect.poll(() => block.getByText('Based on an earlier version').count()).toBe(0)

  await inspector(1).getByRole('button', { name: 'Run', exact: true }).waitFor()
  await code.fill('SELECT nothing FROM nowhere')
  await page.keyboard.press('Control+Enter')
  await inspector(1).getByRole('alert').waitFor()
  // The error of one step does not appear at another.
  await step(2).getByRole('button').click()
  await inspector(2).getByRole('grid').waitFor()
  expect(await inspector(2).getByRole('alert').count()).toBe(0)
  await step(1).getByRole('button').click()
  await inspector(1).getByLabel('More for this step').click()
  await inspector(1).getByRole('button', { name: 'Restore original' }).click()
  await inspector(1).getByRole('gridcell', { name: '145' }).waitFor()
  await inspector(1).getByRole('button', { name: 'Run from here' }).click()
  await expect.poll(() => step(2).getAttribute('data-look')).toBe('ok')
})

it('draws the named step of a run with twelve steps, and links numbers to it', async () => {
  await ask('Look at it twelve ways')
  await done('Look at it twelve ways')
  const block = run('Look at it twelve ways')
  expect(await block.locator('[data-step]').count()).toBe(12)
  await block.getByText('From step 9').waitFor()
  await block.getByRole('button', { name: '99', exact: true }).click()
  await inspector(9).getByText('This cell proves 99 in the answer.').waitFor()
  await page.getByLabel('Export', { exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Rows of step 9 \(CSV\)/ }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Which region sold most, step 9.csv')
})

it('fits into one screen and scrolls long content inside', async () => {
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0)
})

it('asks the user when the model has a question and before it sees single rows', async () => {
  await ask('Ask me first')
  await run('Ask me first').getByText('Which quarter?').last().waitFor()
  await page.getByLabel('The second').check()
  await page.getByRole('button', { name: 'Send answer' }).click()
  await done('Ask me first')

  await ask('Show me single rows')
  const approval = run('Show me single rows').getByRole('article', { name: /^Approval for step/ })
  await approval.getByText('analysis wants to see 12 rows of your files.').waitFor()
  // The prompt is visible without scrolling.
  const [card, foot] = [await approval.boundingBox(), await page.locator('.ask-col > .foot').boundingBox()]
  expect((card?.y ?? 0) + (card?.height ?? 0)).toBeLessThan(foot?.y ?? 0)
  const words = await approval.innerText()
  expect(words).toContain('SELECT * FROM sales ORDER BY amount LIMIT 12')
  expect(words).toMatch(/From\s+sales\s+Columns\s+region, day, amount/)
  expect(await page.title()).toMatch(/^\(1\)/)
  await page.getByRole('button', { name: 'Summary only' }).click()
  await done('Show me single rows')
  const lines = run('Show me single rows').locator('[data-step]')
  await lines.getByRole('button').click()
  await page.getByText('Sent to the model: no rows').waitFor()
})

it('asks for confirmation on Escape before it stops', async () => {
  await ask('Count for ever')
  await run('Count for ever').getByText('running query').first().waitFor()
  await box().focus()
  await page.keyboard.press('Escape')
  await page.getByText('Stop this question?').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await run('Count for ever').getByText('Cancelled', { exact: true }).first().waitFor()
})

it('lists the sent bytes and the kind of rows, and sends no value at level 0', async () => {
  const bar = page.getByRole('region', { name: 'What the model sees' })
  expect(await bar.innerText()).toContain('column names, types, summary numbers and the most frequent texts')
  // The log entry stays the same when its step changes.
  await step(5).getByRole('button').click()
  await inspector(5).getByText('Sent to the model: 4 summary rows').waitFor()
  await inspector(5).getByRole('textbox', { name: 'SQL of step 5' }).fill('SELECT * FROM sales')
  await page.keyboard.press('Control+Enter')
  await inspector(5).getByText('Sent to the model before the edit: 4 summary rows').waitFor()
  await inspector(5).getByRole('button', { name: 'Run', exact: true }).click()
  await expect.poll(() => step(5).getAttribute('data-look')).toBe('ok')
  await bar.getByRole('button', { name: /^Sent to this server: / }).click()
  const drawer = page.getByRole('dialog', { name: 'What was sent' })
  const entries = drawer.getByRole('listitem')
  await entries.filter({ hasText: 'Result of step 2' }).getByRole('button').click()
  expect(await entries.filter({ hasText: 'Result of step 2' }).innerText()).toContain('"share"')
  expect(await entries.filter({ hasText: 'Result of step 5' }).first().innerText()).toContain('4 summary rows')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    drawer.getByRole('button', { name: 'Export as JSON' }).click(),
  ])
  const file = JSON.parse(await text(await download.createReadStream())) as {
    readonly sent: readonly { readonly body: string; readonly bytes: number }[]
  }
  expect(download.suggestedFilename()).toBe('Which region sold most, sent.json')
  for (const { body, bytes } of file.sent) expect(Buffer.byteLength(body)).toBe(bytes)
  expect(await entries.count()).toBe(file.sent.length)
  await page.keyboard.press('Escape')
  await bar.getByText('Change').click()
  await bar.getByRole('button', { name: /^0 · Names only/ }).click()
  await expect.poll(() => bar.innerText()).toContain('Never a value')
  await ask('Nothing but names')
  await done('Nothing but names')
  await bar.getByRole('button', { name: /^Sent to this server: / }).click()
  const last = entries.filter({ hasText: 'Result of step' }).last()
  await last.getByRole('button').first().click()
  expect(await last.innerText()).toMatch(/no rows\s+level 0[\s\S]*unseen_total/)
  expect(await last.innerText()).not.toContain('440')
  await page.keyboard.press('Escape')
  await bar.getByText('Change').click()
  await bar.getByRole('button', { name: /^2 · / }).click()
  await ask('How many sales')
  await done('How many sales')
  await bar.getByRole('button', { name: /^Sent to this server: / }).click()
  // From level 2 on, results are not judged.
  expect(await last.innerText()).toMatch(/^[\s\S]*\b1 row\s+level 2/)
  await page.setViewportSize({ width: 390, height: 800 })
  for (const words of ['1 row', 'level 2']) expect(await last.getByText(words, { exact: true }).isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1440, height: 900 })
  await bar.getByText('Change').click()
  await bar.getByRole('button', { name: /^1 · / }).click()
})

it('runs SQL of the user with rows, errors, history, and a table from the result', async () => {
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  const sql = page.getByRole('textbox', { name: 'Your SQL' })
  await sql.fill('SELECT region, count(*) AS n FROM sales GROUP BY region ORDER BY region')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('grid', { name: 'Rows of your query' }).getByText('East').waitFor()
  await page.getByRole('button', { name: 'Use as table' }).click()
  const tableName = page.getByRole('textbox', { name: 'Name of the table' })
  await tableName.fill('Sales')
  await page.getByText('A table named Sales already exists.').waitFor()
  expect(await page.getByRole('button', { name: 'Add table' }).isDisabled()).toBe(true)
  await tableName.fill('counts')
  await page.getByRole('button', { name: 'Add table' }).click()
  await page.getByText('Added as counts').waitFor()
  await sql.fill('SELECT sum(n) AS all_rows FROM counts')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('gridcell', { name: '40' }).waitFor()
  await sql.fill('SELECT nonsense FROM counts')
  await page.keyboard.press('Control+Enter')
  await page.getByText('DuckDB rejected this query').waitFor()
  await page.getByLabel('Earlier queries').click()
  await page.getByRole('button', { name: /SELECT sum\(n\)/ }).click()
  expect(await sql.inputValue()).toBe('SELECT sum(n) AS all_rows FROM counts')
})

it('withholds a step and a table of rows that were created before a column was locked', async () => {
  const table = (name: string) => page.locator(`.table-block[data-table="${name}"]`)
  const locked = (isLocked: boolean) =>
    table('sales').getByRole('switch', { name: 'Never send region', checked: isLocked })
  await locked(false).click()
  await locked(true).waitFor()
  await page
    .getByRole('textbox', { name: 'Your SQL' })
    .fill('SELECT region AS r, 1 AS "Region" FROM sales ORDER BY region')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('gridcell', { name: 'East' }).first().waitFor()
  await page.getByRole('button', { name: 'Use as table' }).click()
  await page.getByRole('textbox', { name: 'Name of the table' }).fill('made')
  await page.getByRole('button', { name: 'Add table' }).click()
  await table('made').getByText('Not in scope until you select it').waitFor()
  await table('made').getByRole('switch', { name: 'Never send Region', checked: true }).waitFor()
  await page.getByRole('button', { name: 'Ask', exact: true }).first().click()
  await step(1).getByRole('button').click()
  const words = inspector(1).getByText('created before region of sales was locked')
  await words.waitFor()
  await locked(true).click()
  await words.waitFor({ state: 'detached' })
})

it('has a heading on every tab and keeps the composer visible on every screen', async () => {
  for (const tab of ['Profile', 'SQL', 'Report', 'Ask']) {
    await page.getByRole('button', { name: tab, exact: true }).first().click()
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Which region sold most'])
  }
  const width = (selector: string) => page.locator(selector).evaluate((pane) => pane.getBoundingClientRect().width)
  await page.setViewportSize({ width: 884, height: 800 })
  expect([await width('.pane.data'), await width('.ask-col')]).toEqual([268, 560])
  await page.setViewportSize({ width: 883, height: 800 })
  expect(await page.locator('.pane.data').isVisible()).toBe(false)
  expect(await width('.ask-col')).toBeGreaterThan(560)
  await page.getByRole('button', { name: 'Data', exact: true }).click()
  expect(await page.locator('.pane.data').isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Ask', exact: true }).first().click()
  await page.setViewportSize({ width: 390, height: 800 })
  for (const words of ['1', '4 rows', /^sent /]) {
    expect(await step(1).getByText(words, { exact: true }).isVisible(), String(words)).toBe(true)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

it.each(['light', 'dark'] as const)('has no serious axe issue in %s, on a wide and a narrow screen', async (theme) => {
  await page.emulateMedia({ colorScheme: theme })
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  expect(await seriousIssues(page)).toEqual([])
  await page.getByRole('button', { name: 'Ask', exact: true }).first().click()
  await step(2).getByRole('button').click()
  await inspector(2).getByRole('grid').waitFor()
  expect(await seriousIssues(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await seriousIssues(page)).toEqual([])
  await inspector(2).getByRole('button', { name: 'Close the step' }).click()
  expect(await seriousIssues(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await page.setViewportSize({ width: 1440, height: 900 })
})

it('has no page errors and sends no request to another server', () => {
  expect(workbench.trouble()).toEqual([])
  expect(workbench.outside()).toEqual([])
})
