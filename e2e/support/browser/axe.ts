// Runs axe on the current state of a page.
import { readFile } from 'node:fs/promises'
import type { Page } from './browser.ts'

const script = new URL('../../../tools/node_modules/axe-core/axe.min.js', import.meta.url)

/** The part of axe's API that is used here. */
interface Axe {
  run(options: { resultTypes: readonly ['violations'] }): Promise<{ readonly violations: readonly Violation[] }>
}

interface Violation {
  readonly id: string
  readonly help: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: readonly (string | readonly string[])[] }[]
}

/** One line for each serious issue and its position. Tests expect an empty list. */
export async function seriousIssues(page: Page): Promise<readonly string[]> {
  const source = await readFile(script, 'utf8')
  // Through the debugger, because the content security policy of the page blocks scripts.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe } // injected above
    return axe.run({ resultTypes: ['violations'] })
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} at ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`)
}
