// Reading files again, and importing in two tabs: locks stay, and tables are replaced only with consent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from '../support/browser/browser.ts'
import { addCsv } from './support/data-page.ts'
import { type DataWorkbench, openDataWorkbench } from './support/data-workbench.ts'

const people = ['id,email', ...Array.from({ length: 80 }, (_, n) => `${n + 1},p${n}@example.org`)].join('\n')
const sold = (rows: number) => ['id', ...Array.from({ length: rows }, (_, n) => `${n + 1}`)].join('\n')

describe('files that are read again or added in two tabs', () => {
  let workbench: DataWorkbench

  beforeAll(async () => {
    workbench = await openDataWorkbench()
  })
  afterAll(() => workbench?.close())

  it('shows the first rows of a file that is read again, and keeps a column locked under another name', async () => {
    const { page } = workbench
    await addCsv(page, { name: 'people.csv', text: people, unlocked: ['email'] })
    await row(page, 'people').getByText('80 rows').waitFor()
    await page.getByRole('button', { name: 'New analysis' }).click()
    const lock = (column: string, checked: boolean) =>
      page.getByRole('switch', { name: `Never send ${column}`, checked }).first()
    await lock('email', false).click()
    await lock('email', true).waitFor()

    const review = await readAgain(page, 'people')
    await review.getByRole('grid', { name: 'First rows of people' }).getByText('p0@example.org').waitFor()
    expect(await review.getByText('the table will be empty').count()).toBe(0)
    await review.getByLabel('Name of email').fill('contact')
    await review.getByRole('button', { name: /^Add table/ }).click()
    await lock('contact', true).waitFor()

    const other = await readAgain(page, 'people')
    await other.getByLabel('Table name').fill('crew')
    await other.getByLabel('Name of email').fill('address')
    await other.getByRole('button', { name: /^Add table/ }).click()
    await lock('address', true).waitFor()
    await page.reload()
    await lock('contact', true).waitFor()
    await lock('address', true).waitFor()
  })

  it('adds both tables when two tabs import files with the same name', async () => {
    const { page } = workbench
    await page.goto(`${workbench.served.url}/data`)
    const second = await page.context().newPage()
    await second.goto(`${workbench.served.url}/data`)
    await row(second, 'people').waitFor()
    const first = await choose(page, { name: 'sold.csv', text: sold(111) })
    const later = await choose(second, { name: 'sold.csv', text: sold(222) })
    await first.getByRole('button', { name: /^Add table/ }).click()
    await row(page, 'sold').getByText('111 rows').waitFor()
    await later.getByText('A table named sold already exists').waitFor()
    expect(await later.getByLabel('Table name').inputValue()).toBe('sold_2')
    expect(await later.getByLabel('Keep both, this one as sold_2').isChecked()).toBe(true)
    await later.getByRole('button', { name: /^Add table/ }).click()
    for (const tab of [page, second]) {
      await row(tab, 'sold').getByText('111 rows').waitFor()
      await row(tab, 'sold_2').getByText('222 rows').waitFor()
    }

    // Both save at the same moment. The second one gets the next free name and a notice.
    const reviews = [
      await choose(page, { name: 'due.csv', text: sold(33) }),
      await choose(second, { name: 'due.csv', text: sold(44) }),
    ]
    await Promise.all(
      reviews.map((review) =>
        review.getByRole('button', { name: /^Add table/ }).evaluate((add) => (add as HTMLElement).click()),
      ),
    )
    for (const tab of [page, second]) {
      await row(tab, 'due').waitFor()
      await row(tab, 'due_2').waitFor()
      expect([await rowsOf(tab, 'due'), await rowsOf(tab, 'due_2')].toSorted()).toEqual(['33 rows', '44 rows'])
    }
    expect(workbench.trouble()).toEqual([])
  })
})

const row = (page: Page, table: string) => page.locator(`.data-row[data-table="${table}"]`)

async function rowsOf(page: Page, table: string): Promise<string | undefined> {
  const counted = row(page, table).getByText(/^\d+ rows$/)
  await counted.waitFor()
  return counted.innerText()
}

/** Imports a file up to the review. */
async function choose(page: Page, { name, text }: { readonly name: string; readonly text: string }) {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).first().click()
  await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  const review = page.getByRole('dialog', { name: `Add ${name}` })
  await review.getByRole('button', { name: /^Add table/ }).waitFor()
  return review
}

async function readAgain(page: Page, table: string) {
  await page.locator(`summary[aria-label="More for ${table}"]`).click()
  await page.locator('.menu[open]').getByRole('button', { name: 'Read the file again' }).click()
  return page.getByRole('dialog', { name: `Read ${table}.csv again` })
}
