// The review of a file warns before rows are rejected, and the scope picker stays small with many tables.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seriousIssues } from '../support/browser/axe.ts'
import type { Page } from '../support/browser/browser.ts'
import { ask, newAnalysis, storedAnalysis, untilRun } from './support/data-page.ts'
import { type DataWorkbench, openDataWorkbench } from './support/data-workbench.ts'

const letters = [
  'day,note,email',
  ...Array.from({ length: 38 }, (_, n) => `${(n % 28) + 1} April 1996,n${n},p${n}@example.org`),
]
const mixed = ['paid,amount', '03/04/2026,"1,234"', '05/06/2026,7 %', 'later,12'].join('\n')
const tables = Object.fromEntries(
  Array.from({ length: 62 }, (_, n) => [`table_${n + 1}`, Array.from({ length: 9 }, (_, id) => ({ id, value: n }))]),
)

describe('the review of a file and the scope of a question', () => {
  let workbench: DataWorkbench
  let page: Page
  beforeAll(async () => {
    workbench = await openDataWorkbench()
    page = workbench.page
  })
  afterAll(() => workbench?.close())

  it('counts the values that do not fit, and does not add a table without its rows on Enter', async () => {
    const review = await choose('letters.csv', letters.join('\n'))
    // Detected, although its months are names.
    expect(await review.getByLabel('Type of day').inputValue()).toBe('DATE')
    await review.getByLabel('Type of note').selectOption('DATE')
    await review.getByText('38 of 38 values do not fit Date: “n0”, “n1”, “n2”').waitFor()
    await review.getByText('38 of 38 rows would be rejected. The table would be empty.').waitFor()
    await review.getByRole('button', { name: 'Add without 38 rows' }).waitFor()
    await review.getByLabel('Table name').press('Enter')
    expect(await page.locator('[data-table="letters"]').count()).toBe(0)
    expect(await issuesAndWidth()).toEqual([])
    await review.getByLabel('Treat these values of note as empty').check()
    await review.getByRole('button', { name: /^Add table/ }).waitFor()
    await review.getByLabel('Type of note').selectOption('VARCHAR')
    await review.getByText('This column looks like e-mail addresses.').waitFor()
    expect(await review.getByLabel('Never send email').isChecked()).toBe(true)
    await review.getByLabel('Table name').press('Enter')
    await row('letters').getByText('38 rows').waitFor()
    expect(await row('letters').getByText('rejected').count()).toBe(0)
  })

  it('offers the date order and the decimal mark, and keeps the row of a misfit that is treated as empty', async () => {
    const review = await choose('mixed.csv', mixed)
    await review.getByLabel('Type of paid').selectOption('DATE')
    await review.getByLabel('Date order of paid').selectOption('month-first')
    await review.getByText('1 of 3 values does not fit Date: “later”').waitFor()
    await review.getByLabel('Treat these values of paid as empty').check()
    await review.getByLabel('Type of amount').selectOption('BIGINT')
    await review.getByLabel('Decimal mark of amount').waitFor()
    await review.getByRole('button', { name: /^Add table/ }).click()
    await row('mixed').getByText('3 rows').waitFor()
    await newAnalysis(page)
    await page.getByRole('button', { name: 'SQL', exact: true }).click()
    const sql = page.getByRole('textbox', { name: 'Your SQL' })
    await sql.fill(`SELECT string_agg(concat(paid, ' ', amount), ', ' ORDER BY amount) FROM mixed`)
    await sql.press('Control+Enter')
    await page.getByRole('grid').getByText('2026-05-06 7,  12, 2026-03-04 1234').waitFor()
    await page.goto(`${workbench.served.url}/data`)
  })

  it('summarizes many tables in one line of the composer, and sends only those in scope', async () => {
    const review = await choose('many.json', JSON.stringify(tables))
    await review.getByRole('button', { name: /^Add 62 tables/ }).click()
    await row('table_62').waitFor()
    const id = await newAnalysis(page)
    const picker = page.locator('summary', { hasText: 'of 64 tables' })
    await picker.getByText('10 of 64 tables').waitFor()
    await picker.click()
    expect(await issuesAndWidth()).toEqual([])
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await picker.getByText('64 of 64 tables').waitFor()
    await page.getByRole('button', { name: 'None', exact: true }).click()
    await picker.getByText('0 of 64 tables').waitFor()
    await page.getByText('Choose a table for this question.').waitFor()
    await page.getByLabel('Search tables').fill('table_6')
    await page.getByRole('button', { name: 'All matching' }).click()
    await picker.getByText('4 of 64 tables').waitFor()
    await page.getByRole('button', { name: 'Only this: table_61' }).click()
    await picker.getByText('1 of 64 tables').waitFor()
    const composer = await page.locator('.ask-box').boundingBox()
    expect(composer?.height).toBeLessThan(160)
    await page.keyboard.press('Escape')
    await ask(page, 'How many rows are there?')
    await untilRun(page, id, ({ state }) => state === 'done')
    const { sent } = await storedAnalysis(page, id)
    const [question] = sent.filter(({ what }) => what === 'question')
    expect(question?.body).toContain('table_61')
    expect(question?.body).not.toMatch(/table_(?!61\b)\d/)
  }, 600_000)

  const row = (name: string) =>
    page.locator(`.data-row[data-table="${name}"], .table-block[data-table="${name}"]`).first()

  async function choose(name: string, text: string) {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add files' }).first().click()
    await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    const review = page.getByRole('dialog', { name: `Add ${name}` })
    await review.waitFor()
    return review
  }

  /** Accessibility issues and elements that scroll sideways, in both themes, on a wide and a narrow screen. */
  async function issuesAndWidth(): Promise<readonly string[]> {
    const found: string[] = []
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme })
        found.push(...(await seriousIssues(page)).map((issue) => `${width} ${colorScheme}: ${issue}`))
        const wide = await page.evaluate(() => {
          const inside = document.querySelectorAll(
            '.dialog[open], .dialog[open] *:not(.rows-grid *), [open] > .overlay',
          )
          return [document.documentElement, ...inside]
            .filter((element) => element.scrollWidth > element.clientWidth)
            .filter(
              (element) =>
                /auto|scroll/.test(getComputedStyle(element).overflowX) || element === document.documentElement,
            )
            .filter((element) => element.clientWidth > 0)
            .map((element) => `${element.className} ${element.scrollWidth} > ${element.clientWidth}`)
        })
        found.push(...wide.map((element) => `${width} ${colorScheme} scrolls sideways: ${element}`))
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    return found
  }
})
