// Drives the list of tables like a user: drops, picks and pastes files.
import { expect } from 'vitest'
import { seriousIssues } from '../../support/browser/axe.ts'
import type { Page } from '../../support/browser/browser.ts'

/** The database does not start before the test releases it. */
export async function holdDatabase(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const loading = globalThis.fetch
    const held = new Promise<void>((resolve) => addEventListener('let-go', () => resolve(), { once: true }))
    globalThis.fetch = async (input, init) => {
      if (/duckdb[^/]*\.wasm/.test(input instanceof Request ? input.url : String(input))) await held
      return loading(input, init)
    }
  })
  return () => page.evaluate(() => void dispatchEvent(new Event('let-go')))
}

export const row = (page: Page, table: string) => page.locator(`.data-row[data-table="${table}"]`)

export async function choose(page: Page, table: string, act: string): Promise<void> {
  await page.locator(`summary[aria-label="More for ${table}"]`).click()
  await page.locator('.menu[open]').getByRole('button', { name: act }).click()
}

const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

export async function pick(
  page: Page,
  button: ReturnType<Page['locator']>,
  ...[name, text]: readonly [string, string]
) {
  const chooser = page.waitForEvent('filechooser')
  await button.click()
  await (await chooser).setFiles(fileOf(name, text))
}

/** Drops files on the window. */
export const drop = (page: Page, files: Readonly<Record<string, string | Buffer>>): Promise<void> =>
  drag(page, files, ['dragenter', 'dragover', 'drop'])

export async function drag(page: Page, files: Readonly<Record<string, string | Buffer>>, moves: readonly string[]) {
  const given = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')] as const)
  await page.evaluate(
    ({ given, moves }) => {
      const held = new DataTransfer()
      for (const [name, text] of given) {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
        held.items.add(new File([bytes], name))
      }
      for (const type of moves) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: held, bubbles: true, cancelable: true }))
      }
    },
    { given, moves },
  )
}

/** The page decides synchronously whether it takes the text. */
export async function paste(page: Page, text: string): Promise<'taken' | 'ignored'> {
  return page.evaluate((given) => {
    const held = new DataTransfer()
    held.setData('text/plain', given)
    const event = new ClipboardEvent('paste', { clipboardData: held, bubbles: true, cancelable: true })
    return document.body.dispatchEvent(event) ? 'ignored' : 'taken'
  }, text)
}

/** Simulates a browser that clears storage: removes the file of that size and keeps its record. */
export async function forgetFile(page: Page, size: number): Promise<void> {
  const gone = await page.evaluate(async (wanted) => {
    async function clear(folder: FileSystemDirectoryHandle): Promise<number> {
      let count = 0
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === 'directory') count += await clear(handle as FileSystemDirectoryHandle)
        else if ((await (handle as FileSystemFileHandle).getFile()).size === wanted) {
          await folder.removeEntry(name)
          count += 1
        }
      }
      return count
    }
    return clear(await navigator.storage.getDirectory())
  }, size)
  expect(gone).toBe(1)
}

/** Controls of a narrow screen that are less than 44 px high. */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const targets = 'button:not(.plain), summary, select, a.btn, .field'
    return [...document.querySelectorAll('main, .dialog[open]')]
      .flatMap((place) => [...place.querySelectorAll<HTMLElement>(targets)])
      .filter((target) => target.checkVisibility() && !target.closest('.rows-grid'))
      .filter((target) => target.getBoundingClientRect().height < 43.5)
      .map((target) => target.outerHTML.slice(0, 120))
  })
}

export async function issuesInBothThemes(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await seriousIssues(page)).map((issue) => `${colorScheme}: ${issue}`))
  }
  return found
}
