// The Data page before its database has started, after its database was restarted, and without a network.
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from '../support/browser/browser.ts'
import { addCsv, ask, newAnalysis, stepsOf, storedAnalysis, untilRun, untilState } from './support/data-page.ts'
import { type DataWorkbench, openDataWorkbench } from './support/data-workbench.ts'
import * as files from './support/table-files.ts'

/** North adds up to 145, South to 95, East to 55: 295 in total. */
const sales = [
  'region,amount',
  ...Object.entries({ North: 10, South: 5, East: 1 }).flatMap(([region, least]) =>
    Array.from({ length: 10 }, (_, more) => `${region},${least + more}`),
  ),
].join('\n')
const perRegion = 'SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY total DESC'
/** Never pauses, so that it never sees a cancellation. */
const deaf = 'SELECT count(*) FROM range(3000000) a(i), range(3000000) b(j) WHERE i + j = -1'

const plans = {
  'Which region sold most': {
    query: { thought: 'Add up per region', sql: perRegion },
    answer: { answer: 'North sold 145.', chartType: 'bar', xAxis: 'region', yAxis: 'total', sourceStep: 1 },
  },
  'What was the largest sale': {
    query: { thought: 'Look for it', sql: 'SELECT max(amount) AS n FROM sales' },
    answer: { answer: 'It was 19.', chartType: 'table' },
  },
  'How many sales are there': {
    query: { thought: 'Count them', sql: 'SELECT count(*) AS n FROM sales' },
    answer: { answer: 'There are 30.', chartType: 'table' },
  },
}

function scenario(): string {
  const steps = Object.entries(plans).flatMap(([text, { query, answer }]) => [
    { when: { text }, then: { tools: [{ name: 'mcp__client__run_query', input: query }] } },
    {
      when: { text, tool_result: {}, calls: 1 },
      then: { tools: [{ name: 'mcp__client__final_answer', input: answer }] },
    },
  ])
  return JSON.stringify({ name: 'without a network', steps })
}

let workbench: DataWorkbench
let page: Page
let analysisId: string

beforeAll(async () => {
  workbench = await openDataWorkbench(scenario())
  page = workbench.page
  await addCsv(page, { name: 'sales.csv', text: sales })
  analysisId = await newAnalysis(page)
  await ask(page, 'Which region sold most')
  await untilState(page, analysisId, ['Which region sold most', 'done'])
})

afterAll(() => workbench?.close())

const row = (name: string) => page.locator(`.data-row[data-table="${name}"]`)
const isStarting = () => page.getByText('Starting the database')

const databaseFile = '**/duckdb-eh*.wasm'

/** Blocks until the caller calls the function that this resolves to. */
async function withoutDatabase(): Promise<() => void> {
  let arrive: () => void = () => undefined
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await page.route(databaseFile, async (route) => {
    await arrival
    await route.continue()
  })
  return arrive
}

it('shows and changes tables and analyses before the database has started', async () => {
  const arrive = await withoutDatabase()
  await page.goto(`${workbench.served.url}/data`)
  await row('sales').getByText('30 rows').waitFor()
  await page.getByRole('link', { name: /Which region sold most/ }).waitFor()
  await isStarting().waitFor()
  await row('sales')
    .getByLabel(/^More for/)
    .click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Table name' }).fill('sold')
  await page.keyboard.press('Enter')
  expect(await isStarting().count()).toBe(1)
  arrive()
  await row('sold').waitFor()
  await isStarting().waitFor({ state: 'detached' })
  expect(await page.locator('.data-row[data-table]').count()).toBe(1)
  await page.unroute(databaseFile)
  await row('sold')
    .getByLabel(/^More for/)
    .click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Table name' }).fill('sales')
  await page.keyboard.press('Enter')
  await row('sales').waitFor()
})

it('accepts a question before the database has started, shows what it waits for, and asks it then', async () => {
  const id = await newAnalysis(page)
  const arrive = await withoutDatabase()
  await page.reload()
  const box = page.getByPlaceholder(/^Ask a/)
  await box.fill('What was the largest sale')
  await isStarting().waitFor()
  await page.locator('.scope').getByText('sales').waitFor()
  await box.press('Control+Enter')
  const waiting = page.getByText('Your question is asked when it is ready')
  await waiting.waitFor()
  expect((await storedAnalysis(page, id)).runs).toEqual([])
  arrive()
  await untilState(page, id, ['What was the largest sale', 'done'])
  await waiting.waitFor({ state: 'detached' })
  expect(await box.inputValue()).toBe('')
  await page.unroute(databaseFile)
})

it('restarts the database when a query ignores its cancellation; the next query waits for the restart', async () => {
  await page.goto(`${workbench.served.url}/data/${analysisId}?tab=sql`)
  await isStarting().waitFor({ state: 'detached' })
  const begun: string[] = []
  page.on('worker', (worker) => begun.push(worker.url()))
  await runSql(deaf)
  // The query ignores the cancellation only while it runs.
  await page
    .getByRole('status')
    .getByText(/^[1-9]\.\d s/)
    .waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled. Nothing was changed.').waitFor()
  await runSql('SELECT sum(amount) AS everything FROM sales')
  await page.getByRole('gridcell', { name: '295' }).waitFor()
  expect(begun).toContainEqual(expect.stringContaining('duckdb'))
})

it('judges a step again when it is run as the model wrote it: summaries stay summaries', async () => {
  await page.goto(`${workbench.served.url}/data/${analysisId}?step=1`)
  const inspector = page.getByRole('complementary', { name: 'Step 1' })
  await inspector.getByText(/summary rows/).waitFor()
  const [before] = stepsOf(await storedAnalysis(page, analysisId))
  await inspector.getByRole('button', { name: 'Run from here' }).click()
  await untilRun(page, analysisId, ({ steps: [now] }) => now?.state === 'ok' && now.startedAt !== before?.startedAt)
  expect(stepsOf(await storedAnalysis(page, analysisId))).toMatchObject([{ isSummary: true }])
  await inspector.getByText(/summary rows/).waitFor()
})

it('says so if the browser cannot coordinate tabs', async () => {
  const other = await page.context().newPage()
  await other.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined }))
  await other.goto(`${workbench.served.url}/data/${analysisId}`)
  await other.getByText('Open this analysis in one tab only').waitFor()
  await other.close()
  expect(await page.getByText('Open this analysis in one tab only').count()).toBe(0)
})

it('supports files, profiles, SQL, charts and exports without a network after everything was loaded', async () => {
  const context = page.context()
  // Clears the HTTP cache of this browser, so that only preloaded parts are available.
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.clearBrowserCache')
  await page.goto(`${workbench.served.url}/data`)
  await page.getByText('now work offline').waitFor()
  await context.setOffline(true)
  for (const [name, buffer, rows] of [
    ['cities_csv.csv', files.citiesCsv(), 3],
    ['cities_json.json', files.citiesJson(), 3],
    ['cities_parquet.parquet', files.citiesParquet('SNAPPY'), 3],
    ['book.xlsx', files.workbook(), null],
    ['base.sqlite', await files.database(), null],
  ] as const) {
    const before = await page.locator('.data-row[data-table]').count()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add files' }).first().click()
    await (await chooser).setFiles({ name, mimeType: 'application/octet-stream', buffer })
    await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).first().click()
    if (rows !== null) await row(name.replace(/\..*/, '')).getByText(`${rows} rows`).waitFor()
    await expect.poll(() => page.locator('.data-row[data-table]').count()).toBeGreaterThan(before)
  }
  await page.getByRole('link', { name: /Which region sold most/ }).click()
  await page.locator('.runs svg [class*="role-mark"] path').first().waitFor()
  for (const kind of ['Drawing (SVG)', 'Image (PNG)']) {
    await page.getByRole('button', { name: 'Save the chart' }).or(page.getByLabel('Save the chart')).first().click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: kind }).click(),
    ])
    expect((await buffer(await download.createReadStream())).length).toBeGreaterThan(500)
  }
  await page.getByLabel('Export', { exact: true }).click()
  const [report] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /Whole analysis \(HTML\)/ }).click(),
  ])
  expect(await text(await report.createReadStream())).toContain('<svg')
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  await runSql('SELECT max(people) AS most FROM cities_parquet JOIN cities_json USING (city, people)')
  await page
    .getByRole('gridcell', { name: '11,451,999' })
    .or(page.getByRole('gridcell', { name: '11451999' }))
    .waitFor()
  await page.getByRole('button', { name: 'Profile', exact: true }).click()
  await page.getByLabel('Table', { exact: true }).selectOption('cities_parquet')
  await page.getByRole('region', { name: 'Profile of cities_parquet' }).getByText('founded').first().waitFor()
})

it('keeps a question that was asked offline in the composer, and asks it when the network is back', async () => {
  await page.getByRole('button', { name: 'Ask', exact: true }).first().click()
  await ask(page, 'How many sales are there')
  await page.getByText(/Not asked: .*Your question is kept/).waitFor()
  expect(await page.getByPlaceholder(/^Ask a/).inputValue()).toBe('How many sales are there')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: /^Ask ./ }).click()
  await untilState(page, analysisId, ['How many sales are there', 'done'])
})

it('restores tables that were added offline after a reload', async () => {
  await page.goto(`${workbench.served.url}/data`)
  await isStarting().waitFor({ state: 'detached' })
  for (const name of ['sales', 'cities_csv', 'cities_json', 'cities_parquet']) await row(name).waitFor()
  expect(await page.getByText('The file is no longer in this browser').count()).toBe(0)
  expect(workbench.trouble()).toEqual([])
  expect(workbench.outside()).toEqual([])
})

async function runSql(sql: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Your SQL' })
  await box.fill(sql)
  await box.press('Control+Enter')
}
