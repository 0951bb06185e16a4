// Data in browser storage: several tabs and visits, closed tabs, and a full or blocked disk.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { seriousIssues } from '../support/browser/axe.ts'
import { openWorkbench } from '../support/browser/workbench.ts'
import { examples, type Served, serve } from '../support/server/serve.ts'
import { type Harness, modulesOf, openHarness } from './support/analysis-harness.ts'
import { addCsv, newAnalysis } from './support/data-page.ts'

let harness: Harness<'browserStorage' | 'errors'>
beforeAll(async () => {
  harness = await openHarness('browserStorage', 'errors')
})
afterAll(() => harness?.close())

/** A table whose file is one repeated byte. */
const entryOf = (name: string, fingerprint: string) => ({
  table: {
    name,
    rowCount: 1,
    columns: [],
    neverSent: [],
    rejectedCount: 0,
    rejected: [],
    source: { file: `${name}.csv`, format: 'csv' as const, sizeBytes: 1, fingerprint },
    addedAt: '2026-01-01T00:00:00Z',
    isKept: true,
  },
  plan: {
    file: `${name}.csv`,
    sizeBytes: 1,
    format: 'csv' as const,
    encoding: 'utf-8' as const,
    delimiter: ',',
    hasHeader: true,
    warnings: [],
    tables: [{ part: null, isChosen: true, name, columns: [], preview: { columns: [], rows: [] }, rowCount: null }],
  },
})

describe('browser storage', () => {
  it('shares tables with other tabs and the next visit, and notifies the other tab', async () => {
    const tab = await harness.openTab()
    await tab.run(async ({ modules }) => {
      const browserStorage = await modules.browserStorage.openBrowserStorage()
      const changes: unknown[] = []
      browserStorage.watch((change) => changes.push(change))
      Object.assign(globalThis, { browserStorage, changes })
    })
    const own = await harness.run(
      async ({ modules, entry }) => {
        const browserStorage = await modules.browserStorage.openBrowserStorage()
        const changes: unknown[] = []
        browserStorage.watch((change) => changes.push(change))
        await browserStorage.tables.put(entry, Uint8Array.of(1, 2, 3))
        browserStorage.close()
        return changes
      },
      { entry: entryOf('sales', 'f1') },
    )
    expect(own).toEqual([])
    await expect
      .poll(() => tab.run(() => Reflect.get(globalThis, 'changes') as readonly unknown[]))
      .toEqual([{ what: 'tables' }])
    await tab.close()
    const later = await harness.openTab()
    const found = await later.run(async ({ modules }) => {
      const browserStorage = await modules.browserStorage.openBrowserStorage()
      const source = await browserStorage.tables.source('sales')
      const storage = await browserStorage.storage()
      return {
        names: (await browserStorage.tables.list()).map(({ name }) => name),
        bytes: [...(source?.bytes ?? [])],
        isLasting: browserStorage.isLasting,
        hasQuota: (storage?.quotaBytes ?? 0) > 0,
      }
    })
    expect(found).toEqual({ names: ['sales'], bytes: [1, 2, 3], isLasting: true, hasQuota: true })
    await later.close()
  })

  it('stores an analysis with its steps, and removes the steps with it', async () => {
    const found = await harness.run(async ({ modules }) => {
      const browserStorage = await modules.browserStorage.openBrowserStorage()
      const moment = '2026-01-01T00:00:00Z'
      for (const [id, changedAt] of [
        ['a1', '2026-01-02'],
        ['a2', '2026-01-03'],
      ] as const) {
        const summary = { id, title: id, createdAt: moment, changedAt, questions: 0, lastState: null, lastAsk: null }
        const analysis = { id, title: id, createdAt: moment, changedAt, level: 1 as const, scope: [], tables: [] }
        await browserStorage.analyses.save({ ...analysis, sessionId: null, agent: null, runs: [], sent: [] }, summary)
      }
      const isKept = [
        await browserStorage.steps.save('a1', 1, Uint8Array.of(7)),
        await browserStorage.steps.save('a2', 1, Uint8Array.of(8)),
        await browserStorage.steps.save('a1', 10, new Uint8Array(5_000_001)),
      ]
      const before = [
        [...((await browserStorage.steps.load('a1', 1)) ?? [])],
        await browserStorage.steps.load('a1', 10),
      ]
      const list = (await browserStorage.analyses.list()).map(({ id }) => id)
      await browserStorage.analyses.remove('a1')
      const after = [await browserStorage.steps.load('a1', 1), [...((await browserStorage.steps.load('a2', 1)) ?? [])]]
      return {
        isKept,
        before,
        list,
        after,
        gone: await browserStorage.analyses.load('a1'),
        stays: (await browserStorage.analyses.load('a2'))?.id,
      }
    })
    expect(found).toEqual({
      isKept: [true, true, false],
      before: [[7], null],
      list: ['a2', 'a1'],
      after: [null, [8]],
      gone: null,
      stays: 'a2',
    })
  })

  it('holds the old or the new version after a tab closes during a write, and no leftovers', async () => {
    const visit = await harness.openAnother()
    await visit.run(
      async ({ modules, entry }) => {
        const browserStorage = await modules.browserStorage.openBrowserStorage()
        await browserStorage.tables.put(entry, new Uint8Array(1000).fill(1))
        browserStorage.close()
      },
      { entry: entryOf('big', 'old') },
    )
    const context = visit.page.context()
    const doomed = await context.newPage()
    await doomed.goto(harness.url)
    const modules = await modulesOf(doomed, ['browserStorage'])
    await doomed.evaluate(
      async ({ modules, entry }) => {
        const { openBrowserStorage } = modules.browserStorage
        const browserStorage = await openBrowserStorage()
        void browserStorage.tables.put(entry, new Uint8Array(120_000_000).fill(2))
      },
      { modules, entry: entryOf('big', 'new') },
    )
    await doomed.close({ runBeforeUnload: false })
    const found = await visit.run(async ({ modules }) => {
      const browserStorage = await modules.browserStorage.openBrowserStorage()
      const [entry] = await browserStorage.tables.entries()
      const bytes = (await browserStorage.tables.source(entry?.table.name ?? ''))?.bytes
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('quarterdeck-data')
      const names: string[] = []
      for await (const name of folder.keys()) names.push(name)
      return { length: bytes?.length, last: bytes?.at(-1), of: entry?.table.source.fingerprint, names }
    })
    expect([
      { length: 1000, last: 1, of: 'old', names: ['old'] },
      { length: 120_000_000, last: 2, of: 'new', names: ['new'] },
    ]).toContainEqual(found)
    await visit.close()
  })

  it('stays unchanged and reports an error when the browser has no space left', async () => {
    const visit = await harness.openAnother()
    const cdp = await visit.page.context().newCDPSession(visit.page)
    const { origin } = new URL(harness.url)
    await cdp.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2_000_000 })
    const found = await visit.run(
      async ({ modules, old, large }) => {
        const browserStorage = await modules.browserStorage.openBrowserStorage()
        await browserStorage.tables.put(old, new Uint8Array(1000))
        const problem = await browserStorage.tables.put(large, new Uint8Array(20_000_000)).then(
          () => 'stored',
          (error: unknown) => (error instanceof modules.errors.StorageError ? error.problem : String(error)),
        )
        return { problem, size: (await browserStorage.tables.source('sales'))?.bytes.length }
      },
      { old: entryOf('sales', 'f1'), large: entryOf('sales', 'f2') },
    )
    expect(found).toEqual({ problem: 'full', size: 1000 })
    await visit.close()
  })

  it('reports that the browser refuses storage, for every kind of access', async () => {
    const visit = await harness.openAnother()
    const found = await visit.run(
      async ({ modules, entry }) => {
        const { tables } = await modules.browserStorage.openBrowserStorage()
        await tables.put(entry, Uint8Array.of(1))
        const problemOf = (asked: Promise<unknown>) =>
          asked.then(
            () => 'none',
            (error: unknown) => (error instanceof modules.errors.StorageError ? error.problem : String(error)),
          )
        FileSystemFileHandle.prototype.getFile = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
        const file = await problemOf(tables.source('sales'))
        IDBDatabase.prototype.transaction = () => {
          throw new DOMException('blocked', 'SecurityError')
        }
        return { file, read: await problemOf(tables.entries()), write: await problemOf(tables.remove('sales')) }
      },
      { entry: entryOf('sales', 'f1') },
    )
    expect(found).toEqual({ file: 'blocked', read: 'blocked', write: 'blocked' })
    await visit.close()
  })

  it.each([
    ['without a private file system, in the database', 'opfs', true],
    ['without any storage until the page closes, and says so', 'all', false],
    ['with a database that never answers until the page closes, and says so', 'silent', false],
  ])('works %s', async (_how, blocked, isLasting) => {
    const visit = await harness.openAnother()
    const found = await visit.run(
      async ({ modules, entry, blocked }) => {
        Reflect.deleteProperty(FileSystemFileHandle.prototype, 'createWritable')
        const refuse = () => {
          throw new DOMException('blocked', 'SecurityError')
        }
        const open = blocked === 'all' ? refuse : () => ({})
        if (blocked !== 'opfs') Object.defineProperty(globalThis, 'indexedDB', { value: { open } })
        const browserStorage = await modules.browserStorage.openBrowserStorage()
        await browserStorage.tables.put(entry, Uint8Array.of(4, 5))
        return {
          isLasting: browserStorage.isLasting,
          bytes: [...((await browserStorage.tables.source('sales'))?.bytes ?? [])],
        }
      },
      { entry: entryOf('sales', 'f1'), blocked },
    )
    expect(found).toEqual({ isLasting, bytes: [4, 5] })
    await visit.close()
  })

  it('neither blocks a newer page nor stays blocked by an older one', async () => {
    const visit = await harness.openAnother()
    const found = await visit.run(async ({ modules }) => {
      const first = (opening: IDBOpenDBRequest) =>
        new Promise<string>((resolve) => {
          opening.onsuccess = () => resolve('open')
          opening.onblocked = () => resolve('blocked')
        })
      const older = indexedDB.open('quarterdeck-data', 1)
      await first(older)
      const browserStorage = await modules.browserStorage.openBrowserStorage()
      older.result.close()
      return { isLasting: browserStorage.isLasting, newer: await first(indexedDB.open('quarterdeck-data', 3)) }
    })
    expect(found).toEqual({ isLasting: false, newer: 'open' })
    await visit.close()
  })
})

describe('on the page', () => {
  let served: Served
  // One workbench per test: a login link works once.
  beforeEach(async () => {
    served = await serve({ agents: `${examples}/analysis` })
  })
  afterEach(() => served?.stop())
  const people = { name: 'people.csv', text: 'id,email\n1,a@example.org\n2,b@example.org\n' }
  const nothing = 'This browser stores nothing right now: tables and analyses are lost when you close this page.'

  it('shows a notice if the browser stores nothing, marks nothing as saved, and retries on reload', async () => {
    const workbench = await openWorkbench(harness.browser, served)
    const { page } = workbench
    await page.addInitScript(() => {
      if (sessionStorage.getItem('keeps') !== null) return
      const open = () => {
        throw new DOMException('blocked', 'SecurityError')
      }
      Object.defineProperty(globalThis, 'indexedDB', { value: { open } })
    })
    await page.goto(`${served.url}/data`)
    await page.getByRole('status').filter({ hasText: nothing }).waitFor()

    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add files' }).first().click()
    await (await chooser).setFiles({ name: people.name, mimeType: 'text/csv', buffer: Buffer.from(people.text) })
    const box = page.getByRole('checkbox', { name: 'Store in this browser: storage is not available right now' })
    await box.waitFor()
    expect([await box.isChecked(), await box.isDisabled()]).toEqual([false, true])
    await page.keyboard.press('Enter')
    await page.locator('.data-row[data-table="people"]').getByText('only until you close this page').waitFor()
    expect(await page.getByText(nothing).count()).toBe(1)
    expect(await page.getByText('Stays in this browser').count()).toBe(0)
    expect(await seriousIssues(page)).toEqual([])

    await newAnalysis(page)
    const pane = page.getByRole('complementary', { name: 'Data' })
    const asking = page.getByRole('region', { name: 'Ask', exact: true })
    await page.getByText('Not saved', { exact: true }).waitFor()
    for (const place of [pane, asking]) await place.getByRole('status').filter({ hasText: nothing }).waitFor()
    expect(await page.getByText('Stays in this browser').count()).toBe(0)
    expect(await seriousIssues(page)).toEqual([])

    await page.evaluate(() => sessionStorage.setItem('keeps', 'yes'))
    await asking.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByText('This browser has no such analysis').waitFor()
    expect(await page.getByText(nothing).count()).toBe(0)
    await page.getByRole('link', { name: 'All analyses' }).click()
    await addCsv(page, people)
    await page.getByText('Stays in this browser').waitFor()
    expect(workbench.trouble()).toEqual([])
    await workbench.close()
  })

  it('keeps a lock that cannot be stored until the page closes, and says so', async () => {
    const workbench = await openWorkbench(harness.browser, served)
    const { page } = workbench
    await page.goto(`${served.url}/data`)
    await addCsv(page, { ...people, unlocked: ['email'] })
    await newAnalysis(page)
    const lock = page.getByRole('switch', { name: 'Never send email' })
    await lock.waitFor()
    await page.evaluate(() => {
      const { transaction } = IDBDatabase.prototype
      IDBDatabase.prototype.transaction = function (stores, mode, options) {
        if (mode === 'readwrite') throw new DOMException('full', 'QuotaExceededError')
        return transaction.call(this, stores, mode, options)
      }
    })
    await lock.click()
    const notice = page.getByRole('alert').filter({ hasText: 'Locked on this page only, until you close it.' })
    await notice.waitFor()
    expect(await notice.innerText()).toBe(
      'Locked on this page only, until you close it. The browser has no space left for this site.',
    )
    expect(await lock.getAttribute('aria-checked')).toBe('true')

    // A change in another tab makes this page read the storage again.
    const other = await page.context().newPage()
    await other.goto(`${served.url}/data`)
    await addCsv(other, { name: 'depots.csv', text: 'city\nKiel\n' })
    await page.locator('.table-block[data-table="depots"]').waitFor()
    expect(await lock.getAttribute('aria-checked')).toBe('true')
    await page.reload()
    await page.getByRole('switch', { name: 'Never send email', checked: false }).waitFor()
    await workbench.close()
  })
})
