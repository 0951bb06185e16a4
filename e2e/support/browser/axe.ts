// What axe finds wrong on a page, as it stands at this moment.
import { readFile } from 'node:fs/promises'
import type { Page } from './browser.ts'

const script = new URL('../../../tools/node_modules/axe-core/axe.min.js', import.meta.url)

/** As much of axe as is needed here. */
interface Axe {
  run(options: { resultTypes: readonly ['violations'] }): Promise<{ readonly violations: readonly Violation[] }>
}

interface Violation {
  readonly id: string
  readonly help: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: readonly (string | readonly string[])[] }[]
}

/** One line for each serious issue and where it is; an empty list is what a test wants. */
export async function seriousIssues(page: Page): Promise<readonly string[]> {
  const source = await readFile(script, 'utf8')
  // Through the debugger: the page's own policy lets no script in.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe } // put there a line ago
    return axe.run({ resultTypes: ['violations'] })
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} at ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`)
}
