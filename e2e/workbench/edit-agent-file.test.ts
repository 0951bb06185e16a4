// "Edit this agent": saving the agent file is enough.
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openWorkbench } from '../support/browser/workbench.ts'
import { examples, newFolder, serve } from '../support/server/serve.ts'

const patience = { timeout: 60_000 }

it('shows an edit of the agent file after a reload, and a mistake in it with its line', async () => {
  const agents = join(await newFolder('agents'), 'agents')
  await cp(examples, agents, { recursive: true })
  const served = await serve({ agents, args: ['--model-source', 'simulator'] })
  const browser = await openBrowser()
  try {
    const { page, trouble } = await openWorkbench(browser, served)
    page.setDefaultTimeout(patience.timeout)
    const file = join(agents, 'coder', 'agent.yaml')
    const original = await readFile(file, 'utf8')
    const card = page.locator('section[data-agent="coder"]')
    await card.getByText('Finds and fixes the failing test of a small project').waitFor(patience)
    await card.getByText(file).waitFor(patience)

    await writeFile(file, original.replace(/^description: .*$/m, 'description: Mends carts of all kinds'))
    await page.reload()
    await card.getByText('Mends carts of all kinds').waitFor(patience)

    const broken = original.replace('permission_mode: manual', 'permision_mode: manual')
    await writeFile(file, broken)
    const line = broken.split('\n').findIndex((text) => text.includes('permision_mode')) + 1
    await page.reload()
    await card.getByText('This file cannot be loaded').waitFor(patience)
    const problem = await card.locator('.problems').innerText()
    expect(problem).toContain(`agent.yaml:${line}`)
    expect(problem).toContain('permission_mode')
    expect(await card.getByRole('button', { name: /^Start / }).count()).toBe(0)
    // The other agent is not affected.
    expect(
      await page
        .locator('section[data-agent="hello"]')
        .getByRole('button', { name: /^Start / })
        .count(),
    ).toBe(2)

    await writeFile(file, original)
    await page.reload()
    await card.getByRole('button', { name: /^Start / }).waitFor(patience)
    expect(trouble()).toEqual([])
  } finally {
    await browser.close()
    await served.stop()
  }
})
