// Drives the page of an analysis like a user, and reads its data from the browser.
import type { Analysis, AnalysisStep, Run } from '../../../packages/web/src/data/domain/analysis.ts'
import type { Page } from '../../support/browser/browser.ts'

export interface CsvFile {
  readonly name: string
  readonly text: string
  /** Whether the file is stored across a reload. Default: true. */
  readonly isKept?: boolean
  /** Columns whose proposed lock is removed in the review. */
  readonly unlocked?: readonly string[]
}

/** Adds a CSV with the file chooser of the page and accepts the review unchanged. */
export async function addCsv(page: Page, { name, text, isKept = true, unlocked = [] }: CsvFile): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).first().click()
  await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  const review = page.getByRole('dialog')
  await review.getByRole('checkbox', { name: 'Store in this browser' }).setChecked(isKept)
  for (const column of unlocked) await review.getByLabel(`Never send ${column}`).uncheck()
  await review.getByRole('button', { name: /^Add/ }).first().click()
  await page
    .getByText(`${name} was added`)
    .or(page.getByText(/\d rows/))
    .first()
    .waitFor()
}

/** Adds the file that the review shows. The dialog of the next file opens when this one is checked. */
export async function confirmReview(page: Page, name: string, unlocked: readonly string[] = []): Promise<void> {
  const review = page.getByRole('dialog', { name: `Add ${name}` })
  for (const column of unlocked) await review.getByLabel(`Never send ${column}`).uncheck()
  await review.getByRole('button', { name: 'Add table' }).click()
  await review.waitFor({ state: 'hidden' })
}

/** Creates an analysis of the current tables and resolves with its id. */
export async function newAnalysis(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'New analysis' }).click()
  await page.waitForURL(/\/data\/[0-9a-f-]{36}/)
  return /\/data\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
}

export async function ask(page: Page, question: string): Promise<void> {
  await page.getByPlaceholder(/^Ask a/).fill(question)
  // The name includes the shortcut key, because the tab is called "Ask" as well. Waits until the tables are loaded.
  await page.getByRole('button', { name: /^Ask ./ }).click()
}

/** Reads the stored analysis, not the screen. */
export async function storedAnalysis(page: Page, id: string): Promise<Analysis> {
  const found = await page.evaluate(async (wanted) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('quarterdeck-data')
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(opening.error)
    })
    const answerOf = <Result>(asked: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result)
        asked.onerror = () => reject(asked.error)
      })
    const stores = database.transaction(['analyses', 'ledger'], 'readonly')
    const [value, sent] = await Promise.all([
      answerOf<object | undefined>(stores.objectStore('analyses').get(wanted)),
      answerOf(stores.objectStore('ledger').getAll(IDBKeyRange.bound([wanted], [wanted, []]))),
    ])
    database.close()
    return value === undefined ? undefined : { ...value, sent }
  }, id)
  if (found === undefined) throw new Error(`there is no analysis ${id}`)
  return found as unknown as Analysis // the page's own write
}

async function lastRun(page: Page, id: string): Promise<Run | undefined> {
  return (await storedAnalysis(page, id)).runs.at(-1)
}

/** Waits until the last question has this state. */
export async function untilRun(page: Page, id: string, isThere: (run: Run) => boolean): Promise<Run> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const run = await lastRun(page, id)
    if (run !== undefined && isThere(run)) return run
    if (Date.now() > deadline) throw new Error(`it never came to that: ${JSON.stringify(run)}`)
    // Reading a long analysis takes the page some milliseconds, which its work then lacks.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** The question that starts with this text. */
export const untilState = (page: Page, id: string, [question, state]: readonly [string, Run['state']]): Promise<Run> =>
  untilRun(page, id, (run) => run.question.startsWith(question) && run.state === state)

export const stepsOf = ({ runs }: Analysis): readonly AnalysisStep[] => runs.flatMap(({ steps }) => steps)
