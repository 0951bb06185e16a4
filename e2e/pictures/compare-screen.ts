// Compares a screen with the accessibility snapshot beside its picture, or takes both again.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Locator } from '../support/browser/browser.ts'
import { checkout } from '../support/server/serve.ts'
import { maskSnapshot } from './mask-snapshot.ts'

export const picturesFolder = join(checkout, 'docs', 'pictures')

/** Set by `npm run pictures`. */
export const isTaking = process.env.PICTURES === '1'

const patience = { timeout: 15_000, interval: 250 }

/** The picture shows the whole page, the snapshot only `part`: the page behind a dialog changes without notice. */
export async function compareScreen(part: Locator, name: string, timeout = patience.timeout): Promise<void> {
  const snapshot = async () => maskSnapshot(await part.ariaSnapshot())
  const file = join(picturesFolder, `${name}.aria.yml`)
  if (isTaking) {
    await writeFile(file, await settled(snapshot))
    await part.page().screenshot({ path: join(picturesFolder, `${name}.png`) })
    return
  }
  const advice = `docs/pictures/${name}.png is out of date: run \`npm run pictures\`, look at it, and commit both files`
  await expect.poll(snapshot, { ...patience, timeout, message: advice }).toBe(await readFile(file, 'utf8'))
}

/** Charts and profiles arrive late. */
async function settled(snapshot: () => Promise<string>): Promise<string> {
  let last = ''
  let equal = 0
  const countEqual = async () => {
    const next = await snapshot()
    equal = next === last ? equal + 1 : 0
    last = next
    return equal
  }
  await expect.poll(countEqual, { ...patience, message: 'the screen keeps changing' }).toBe(4)
  return last
}
