// The page's database joins, aggregates and draws a million and a hundred thousand rows. A scenario replaces the model,
// and no other machine is involved.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from '../support/browser/browser.ts'
import { newFolder } from '../support/server/serve.ts'
import { ask, confirmReview, newAnalysis, untilRun } from './support/data-page.ts'
import { type DataWorkbench, openDataWorkbench } from './support/data-workbench.ts'

const countries = ['Chile', 'Ghana', 'Japan', 'Norway', 'Peru']
const customers = 100_000
const orders = 1_000_000
/** Any rule that spreads values works. The expected values use the same rule. */
const customerOf = (order: number): number => 1 + ((order * 7919) % customers)
const countryOf = (customer: number): string =>
  countries[(customer + Math.floor(customer / 7)) % countries.length] ?? ''
const amountOf = (order: number): number => 1 + (order % 97)

const question = 'What is the total amount of the orders for each country?'
const sql =
  'SELECT country, sum(amount) AS total FROM orders JOIN customers USING (customer_id) GROUP BY 1 ORDER BY 2 DESC'
const drawn = { answer: 'Step 1 has it.', chartType: 'bar', xAxis: 'country', yAxis: 'total', sourceStep: 1 }
const call = (name: string, input: object) => ({ tools: [{ name: `mcp__client__${name}`, input }] })
const scenario = JSON.stringify({
  name: 'one query over both tables',
  steps: [
    { when: { text: '^What is the total amount' }, then: call('run_query', { thought: 'Total by country', sql }) },
    { when: { tool_result: { name: 'mcp__client__run_query' } }, then: call('final_answer', drawn) },
  ],
})

let workbench: DataWorkbench
let page: Page

beforeAll(async () => {
  workbench = await openDataWorkbench(scenario)
  page = workbench.page
})
afterAll(() => workbench?.close())

async function writeFile(name: string, lines: Iterable<string>): Promise<string> {
  const path = join(await newFolder('large'), name)
  await pipeline(inPieces(lines), createWriteStream(path))
  return path
}

function* inPieces(lines: Iterable<string>): Iterable<string> {
  let piece: string[] = []
  for (const line of lines) {
    if (piece.push(line) < 10_000) continue
    yield `${piece.join('\n')}\n`
    piece = []
  }
  if (piece.length > 0) yield `${piece.join('\n')}\n`
}

function* orderLines(): Iterable<string> {
  yield 'order_id,customer_id,placed_on,amount'
  for (let order = 1; order <= orders; order += 1) {
    yield `${order},${customerOf(order)},2026-0${1 + (order % 9)}-1${order % 10},${amountOf(order)}`
  }
}

function* customerLines(): Iterable<string> {
  yield 'customer_id,country'
  for (let customer = 1; customer <= customers; customer += 1) yield `${customer},${countryOf(customer)}`
}

function expectedTotals(): readonly (readonly [country: string, total: number])[] {
  const totals = new Map<string, number>()
  for (let order = 1; order <= orders; order += 1) {
    const country = countryOf(customerOf(order))
    totals.set(country, (totals.get(country) ?? 0) + amountOf(order))
  }
  return [...totals].sort(([, a], [, b]) => b - a)
}

it('answers a question about both tables with a chart of correct numbers', async () => {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Add files' }).click(),
  ])
  await chooser.setFiles([
    await writeFile('orders.csv', orderLines()),
    await writeFile('customers.csv', customerLines()),
  ])
  for (const name of ['orders.csv', 'customers.csv']) await confirmReview(page, name)
  for (const count of ['1,000,000', '100,000']) await page.getByText(`${count} rows`).first().waitFor()
  const analysis = await newAnalysis(page)
  await ask(page, question)
  const run = await untilRun(page, analysis, ({ endedAt }) => endedAt !== null)
  expect(run).toMatchObject({ state: 'done', answer: { chartType: 'bar' } })
  const block = page.getByRole('region', { name: question })
  await block.getByRole('img').first().waitFor()
  await block.getByRole('button', { name: 'Table', exact: true }).click()
  const cells = block.getByRole('grid').getByRole('gridcell')
  await expect
    .poll(async () => (await cells.allInnerTexts()).map((text) => text.replaceAll(',', '')))
    .toEqual(expectedTotals().flatMap(([country, total]) => [country, String(total)]))
  const times = run.steps.map(({ n, elapsedMs }) => `step ${n}: ${Math.round(elapsedMs ?? 0)} ms`)
  console.log(`${orders} and ${customers} rows, ${times.join(', ')}`)
  expect(workbench.outside()).toEqual([])
  expect(workbench.trouble()).toEqual([])
})
