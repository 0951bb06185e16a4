// Questions with known answers, with the real loop and browser and a scripted plan of the model. Results are compared
// cell by cell with plain loops over the same rows.
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from '../support/browser/browser.ts'
import type { Value } from './questions/calculations.ts'
import { generatedCustomers, generatedOrders, generatedPrices, writeTable } from './questions/generated-tables.ts'
import { knownQuestions } from './questions/known-questions.ts'
import { readCsv } from './questions/read-csv.ts'
import { scriptPlan } from './questions/scripted-plan.ts'
import { ask, confirmReview, newAnalysis, untilRun } from './support/data-page.ts'
import { type DataWorkbench, openDataWorkbench } from './support/data-workbench.ts'

const plan = scriptPlan(knownQuestions)

let workbench: DataWorkbench
let page: Page
let analysisId: string

beforeAll(async () => {
  workbench = await openDataWorkbench(plan.scenario)
  page = workbench.page
  await addFiles([
    ['orders.csv', writeTable(generatedOrders(), ',')],
    ['customers.json', JSON.stringify(generatedCustomers())],
    ['Größen & Preise.tsv', writeTable(generatedPrices(), '\t')],
  ])
  analysisId = await newAnalysis(page)
  // The model may see rows, so that no consent is needed.
  const bar = page.getByRole('region', { name: 'What the model sees' })
  await bar.getByText('Change').click()
  await bar.getByRole('button', { name: /^3 · / }).click()
})
afterAll(() => workbench?.close())

async function addFiles(files: readonly (readonly [name: string, text: string])[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Add files' }).click(),
  ])
  await chooser.setFiles(files.map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })))
  for (const [name] of files) await confirmReview(page, name, name === 'customers.json' ? ['email'] : [])
}

/** The rows of the step, from its exported file. */
async function exportedStep(n: number): Promise<readonly (readonly string[])[]> {
  await page.locator(`[data-step="${n}"]`).getByRole('button').click()
  const inspector = page.getByRole('complementary', { name: `Step ${n}` })
  await inspector.getByRole('grid').waitFor()
  await inspector.getByLabel('More for this step').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    inspector.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  return readCsv(await text(await download.createReadStream()))
}

/** The last digits of a sum of fractions depend on the order. */
function isSame(field: string | undefined, value: Value): boolean {
  if (value === null) return field === ''
  if (typeof value !== 'number') return field === String(value)
  return Math.abs(Number(field) - value) <= 1e-9 * Math.max(1, Math.abs(value)) && field !== ''
}

it.each(plan.questions)('$question.question', async ({ question, answerStep }) => {
  await ask(page, question.question)
  const run = await untilRun(page, analysisId, (one) => one.question === question.question && one.endedAt !== null)
  expect(run).toMatchObject({ state: 'done', answer: { sourceStep: answerStep } })
  const lines = await exportedStep(answerStep)
  expect(lines).toHaveLength(question.rows.length)
  for (const [at, row] of question.rows.entries()) {
    const line = lines[at] ?? []
    expect(line, `row ${at + 1}`).toHaveLength(row.length)
    expect(line.map((field, place) => (isSame(field, row[place] ?? null) ? row[place] : field))).toEqual(row)
  }
})

it('sends no request to another server, and has no page errors', () => {
  expect(workbench.outside()).toEqual([])
  expect(workbench.trouble()).toEqual([])
})
