// Tables on screen: importing files, profiles, locks, and tables that are restored after a reload.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seriousIssues } from '../support/browser/axe.ts'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { examples, type Served, serve } from '../support/server/serve.ts'
import { database, workbook } from './support/table-files.ts'
import {
  choose,
  drag,
  drop,
  forgetFile,
  holdDatabase,
  issuesInBothThemes,
  paste,
  pick,
  row,
  smallTargets,
} from './support/tables-page.ts'

const depots = 'id,city,opened\n1,Kiel,1998-04-01\n2,Ulm,2004-09-12\n3,Bonn,2026-01-05\n'
const parcels = [
  'parcel_id,depot_id,weight_kg,recipient_email',
  ...Array.from({ length: 60 }, (_, n) => `${n + 1},${(n % 3) + 1},${(n + 1) / 2},p${n}@example.org`),
].join('\n')
/** Line 4 has a word in a column of numbers. */
const odd = 'region;sold\nNorth;10\nSouth;20\nEast;many\nWest;40\n'

describe('tables on screen', () => {
  let browser: Browser
  let served: Served
  let workbench: Workbench

  beforeAll(async () => {
    served = await serve({ agents: `${examples}/analysis` })
    browser = await openBrowser()
    workbench = await openWorkbench(browser, served)
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  it('keeps a question without a table, and explains what leaves this browser', async () => {
    const { page } = workbench
    await page.getByRole('link', { name: 'Data', exact: true }).click()
    await page.getByRole('heading', { name: 'What leaves this browser' }).waitFor()
    await page.getByLabel('What do you want to know?').fill('Which depot sends the heaviest parcels?')
    await page.getByText('Saved. Add a table below').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Open the sample Deliveries' }).waitFor()
    expect(await page.getByLabel('What do you want to know?').inputValue()).toContain('heaviest')
    await page.getByRole('button', { name: 'Paste a table' }).click()
    expect(await issuesInBothThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await issuesInBothThemes(page)).toEqual([])
  })

  it('reviews dropped files one by one, and Enter accepts each as detected', async () => {
    const { page } = workbench
    await drop(page, { 'depots.csv': depots, 'parcels.csv': parcels })
    await page.getByRole('dialog', { name: 'Add depots.csv' }).waitFor()
    await page.getByRole('button', { name: 'Add all 2 files' }).waitFor()
    expect(await page.getByLabel('Type of opened').inputValue()).toBe('DATE')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Add parcels.csv' }).waitFor()
    await page.keyboard.press('Enter')
    await row(page, 'depots').getByText('3 rows').waitFor()
    await row(page, 'parcels').getByText('60 rows').waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
  })

  it('keeps both tables when a name is taken, unless the user chooses to replace', async () => {
    const { page } = workbench
    await drop(page, { 'depots.csv': `${depots}4,Jena,2020-02-02\n` })
    const review = page.getByRole('dialog', { name: 'Add depots.csv' })
    await review.getByText('A table named depots already exists').waitFor()
    expect(await review.getByLabel('Table name').inputValue()).toBe('depots_2')
    await review.getByLabel('Replace depots').check()
    await page.keyboard.press('Enter')
    await row(page, 'depots').getByText('4 rows').waitFor()
    expect(await page.locator('.data-row[data-table]').count()).toBe(2)
  })

  it('re-reads a file with other options, renames, excludes columns, and names problems in the review', async () => {
    const { page } = workbench
    await drop(page, { 'odd.csv': odd })
    const review = page.getByRole('dialog', { name: 'Add odd.csv' })
    await review.getByLabel('Delimiter').selectOption(',')
    await review.getByRole('grid').getByText('North;10').waitFor()
    await review.getByLabel('Delimiter').selectOption(';')
    await review.getByLabel('Name of region').fill('sold')
    await review.getByText('Two columns of “odd” are named “sold”.').waitFor()
    expect(await review.getByRole('button', { name: /^Add table/ }).isDisabled()).toBe(true)
    await review.getByLabel('Include region').uncheck()
    await review.getByText('left out').waitFor()
    expect(await review.getByRole('columnheader').count()).toBe(1)
    await review.getByLabel('Include region').check()
    await review.getByLabel('Name of region').fill('area')
    await review.getByLabel('Type of sold').selectOption('BIGINT')
    await review.getByText('1 of 4 rows would be rejected.').waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
    await review.getByRole('button', { name: 'Add without 1 row' }).click()
    await row(page, 'odd').getByText('3 rows').waitFor()
  })

  it('lists rejected rows with their lines, and has none after the column is read as text', async () => {
    const { page } = workbench
    await row(page, 'odd').getByRole('button', { name: '1 row rejected' }).click()
    const rejected = page.getByRole('dialog', { name: '1 row of odd.csv rejected' })
    await rejected.getByRole('cell', { name: '4', exact: true }).waitFor()
    expect(await rejected.innerText()).toContain('many')
    expect(await issuesInBothThemes(page)).toEqual([])
    await rejected.getByRole('button', { name: 'Change types and read again' }).click()
    const review = page.getByRole('dialog', { name: 'Read odd.csv again' })
    expect(await review.getByLabel('Name of region').inputValue()).toBe('area')
    await review.getByLabel('Type of sold').selectOption('VARCHAR')
    await page.keyboard.press('Enter')
    await row(page, 'odd').getByText('4 rows').waitFor()
    expect(await row(page, 'odd').getByText('rejected').count()).toBe(0)
  })

  it('pastes a table from the clipboard, but no prose', async () => {
    const { page } = workbench
    expect(await paste(page, 'Dear all, nothing here')).toBe('ignored')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await paste(page, 'team\tpoints\nred\t3\nblue\t4')).toBe('taken')
    await page.getByRole('dialog', { name: 'Add pasted.tsv' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('shows two lines for an unreadable file, and a list for several', async () => {
    const { page } = workbench
    await drop(page, { 'empty.csv': '' })
    const line = page.getByRole('alert').filter({ hasText: 'empty.csv was not added' })
    await line.getByRole('button', { name: 'Dismiss empty.csv' }).waitFor()
    expect(await line.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect((await line.boundingBox())?.height).toBeLessThan(60)
    expect(await issuesInBothThemes(page)).toEqual([])
    await drop(page, { 'void.csv': ' ' })
    const folded = page.getByRole('alert').filter({ hasText: '2 files were not added' })
    await folded.getByText('2 files were not added').click()
    await folded.getByRole('button', { name: 'Dismiss void.csv' }).waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
    await folded.getByRole('button', { name: 'Dismiss all' }).click()
    await page.getByRole('alert').filter({ hasText: 'not added' }).waitFor({ state: 'detached' })
  })

  it('starts an analysis with the kept question, and shows columns and joins in the left pane', async () => {
    const { page } = workbench
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.waitForURL(/\/data\/[\w-]+/)
    expect(await page.locator('textarea').first().inputValue()).toContain('heaviest')
    const pane = page.getByRole('complementary', { name: 'Data' })
    await pane.getByRole('img', { name: 'from 0.5 to 30' }).waitFor()
    await pane.getByText('depot_id joins depots.id').waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
  })

  it('locks a column by keyboard and strikes it through', async () => {
    const { page } = workbench
    // The review locked it, because it looks personal.
    await page.getByRole('switch', { name: 'Never send recipient_email', checked: true }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('switch', { name: 'Never send recipient_email', checked: false }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('switch', { name: 'Never send recipient_email', checked: true }).waitFor()
    const locked = page.locator('.column.never', { hasText: 'recipient_email' })
    await locked.getByText('never sent').waitFor()
    expect(await locked.locator('bdi').evaluate((name) => getComputedStyle(name).textDecorationLine)).toBe(
      'line-through',
    )
  })

  it('shows the profile of each column without a model', async () => {
    const { page } = workbench
    await page.locator('summary[aria-label="More for parcels"]').click()
    await page.locator('.menu[open]').getByRole('button', { name: 'Profile' }).click()
    const profile = page.getByRole('region', { name: 'Profile of parcels' })
    await profile.getByRole('img', { name: /^weight_kg from 0.5 to 30/ }).waitFor()
    expect(await profile.innerText()).toMatch(/60 rows\s+4 columns\s+no duplicate rows/)
    await profile.getByText('never sent').waitFor()
    await profile.getByLabel('Table').selectOption('depots')
    await page.getByRole('region', { name: 'Profile of depots' }).getByRole('heading', { name: 'city' }).waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
  })

  it('renames and removes a table after confirmation', async () => {
    const { page } = workbench
    await choose(page, 'odd', 'Rename')
    await page.getByRole('dialog').getByLabel('Table name').fill('depots')
    await page.getByText('A table named depots already exists.').waitFor()
    await page.getByRole('dialog').getByLabel('Table name').fill('areas')
    await page.keyboard.press('Enter')
    await choose(page, 'areas', 'Remove')
    expect(await issuesInBothThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove from this browser' }).click()
    await page.locator('[data-table="areas"]').waitFor({ state: 'detached' })
  })

  it('restores the tables after a reload, asks for a missing file, and notices a different one', async () => {
    const { page } = workbench
    const now = `${depots}4,Jena,2020-02-02\n`
    await forgetFile(page, now.length)
    await page.reload()
    await page.getByRole('switch', { name: 'Never send recipient_email', checked: true }).waitFor()
    const again = page.getByRole('button', { name: 'Re-attach depots.csv' })
    await again.waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
    await pick(page, again, 'depots.csv', depots)
    const other = page.getByRole('dialog', { name: 'This is not the same file' })
    await other.waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
    await pick(page, other.getByRole('button', { name: 'Choose another file' }), 'depots.csv', now)
    await page.locator('.table-block[data-table="depots"]').getByText('4 rows').waitFor()
  })

  it('fits into 360 px with targets of 44 px and no serious axe issue', async () => {
    const { page } = workbench
    await page.setViewportSize({ width: 360, height: 740 })
    const look = async () => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      expect(await smallTargets(page)).toEqual([])
      expect(await seriousIssues(page)).toEqual([])
    }
    await page.getByRole('navigation', { name: 'Views of the analysis' }).getByText('Ask').click()
    await page.locator('textarea').first().waitFor()
    await look()
    await page.getByRole('navigation', { name: 'Views of the analysis' }).getByText('Data').click()
    await page.getByRole('switch', { name: 'Never send city' }).waitFor()
    await look()
    await page.getByRole('navigation', { name: 'Views of the analysis' }).getByText('Profile').click()
    await page.getByRole('region', { name: /^Profile of/ }).waitFor()
    await look()
    await page.getByRole('link', { name: 'Back to Data' }).click()
    await row(page, 'parcels').waitFor()
    await look()
    await drop(page, { 'odd.csv': odd })
    await page.getByRole('dialog', { name: 'Add odd.csv' }).waitFor()
    await look()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('loads a sample with one click on the first page, opens its analysis and fills in the first question', async () => {
    const { page } = workbench
    await page.getByRole('link', { name: 'Inbox', exact: true }).click()
    await page.getByRole('link', { name: /^Start: Which region had the most late deliveries/ }).click()
    await page.waitForURL(/\/data\/[\w-]+/)
    await page.locator('.table-block[data-table="deliveries"]').getByText('6,000 rows').waitFor()
    expect(await page.locator('textarea').first().inputValue()).toContain('late deliveries in September')
    await page.getByRole('switch', { name: 'Never send customer_email', checked: true }).waitFor()
    const proposed = page.getByRole('region', { name: 'You can also ask' }).getByRole('button').first()
    // More suggestions may appear while the tables are profiled.
    const takes = async () => {
      const words = await proposed.innerText()
      await proposed.click()
      return (await page.locator('textarea').first().inputValue()) === words
    }
    await expect.poll(takes).toBe(true)
    await page.goBack()
    await page.getByRole('heading', { name: 'Start an agent' }).waitFor()
    await page.locator('[data-agent="analysis"]').getByRole('link', { name: 'Ask it in Data' }).waitFor()
    expect(workbench.trouble()).toEqual([])
    expect(workbench.outside()).toEqual([])
  })

  it('reports a sample that fails to load, and opens it after a reload', async () => {
    const { page } = workbench
    await page.route(/\/samples-[^/]*\.js$/, (route) => route.abort())
    await page.goto(`${served.url}/data?sample=0`)
    await page.getByRole('alert').filter({ hasText: 'The samples could not be loaded' }).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.waitForURL(/\/data\/[\w-]+/)
  })

  it('cancels an import while the database starts, shows a drop target, selects sheets, and adds all queued files', async () => {
    const { page } = workbench
    const release = await holdDatabase(page)
    await page.goto(`${served.url}/data`)
    await row(page, 'parcels').waitFor()
    await drop(page, { 'late.csv': odd })
    await page.getByRole('dialog', { name: 'Add late.csv' }).getByRole('button', { name: 'Add table' }).click()
    await page.getByText(/\b[23] of 4$/).waitFor()
    await page.getByRole('button', { name: 'Cancel late.csv' }).click()
    await page.getByRole('list', { name: 'Files being added' }).waitFor({ state: 'hidden' })
    await release()

    await drag(page, { 'depots.csv': depots }, ['dragenter', 'dragover'])
    await page.getByText('Drop to add').waitFor()
    expect(await seriousIssues(page)).toEqual([])
    await drag(page, { 'depots.csv': depots }, ['dragleave'])
    await page.getByText('Drop to add').waitFor({ state: 'detached' })

    await drop(page, { 'book.xlsx': workbook(), 'cities.sqlite': await database(), 'stops.csv': depots })
    const review = page.getByRole('dialog', { name: 'Add book.xlsx' })
    await review.getByRole('button', { name: 'Add 2 tables' }).waitFor()
    const isChosen = (sheet: string) => review.getByRole('checkbox', { name: sheet }).isChecked()
    expect([await isChosen('Größte Städte'), await isChosen('zips'), await isChosen('notes')]).toEqual([
      true,
      true,
      false,
    ])
    await review.getByRole('checkbox', { name: 'Größte Städte' }).uncheck()
    await review.getByRole('button', { name: 'Show: zips' }).click()
    await review.getByRole('grid', { name: 'First rows of zips' }).getByText('01067').waitFor()
    expect(await issuesInBothThemes(page)).toEqual([])
    await review.getByLabel('Store in this browser').uncheck()
    await review.getByRole('button', { name: 'Add all 3 files' }).click()

    for (const [table, rows] of [
      ['zips', '2 rows'],
      ['zips_2', '1 row'],
      ['my_cities', '2 rows'],
      ['big_cities', '1 row'],
      ['stops', '3 rows'],
    ] as const) {
      await row(page, table).getByText(rows, { exact: true }).waitFor()
      await row(page, table).getByText('only until you close this page').waitFor()
    }
    expect(await page.locator('.data-row[data-table="late"]').count()).toBe(0)
    await page.getByRole('button', { name: 'Keep', exact: true }).click()
    await page.getByText('The browser refused').waitFor()
    expect(workbench.trouble()).toEqual([])
  })
})
