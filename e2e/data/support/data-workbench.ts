// A served workbench with the example agent of Data, and a browser on its page.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, launchBrowser } from '../../support/browser/browser.ts'
import { openWorkbench, type Workbench } from '../../support/browser/workbench.ts'
import { examples, newFolder, type Served, serve } from '../../support/server/serve.ts'

export interface DataWorkbench extends Workbench {
  readonly served: Served
  readonly browser: Browser
  /** The options of the server, for a test that serves it again. */
  readonly how: { readonly agents: string; readonly args: readonly string[] }
  close(): Promise<void>
}

/** The model follows the scenario. Without one it is the demo model. */
export async function openDataWorkbench(scenario?: string): Promise<DataWorkbench> {
  const how = {
    agents: join(examples, 'analysis'),
    args: ['--model-source', 'simulator', ...(await scripted(scenario))],
  }
  const served = await serve(how)
  const browser = await launchBrowser()
  const workbench = await openWorkbench(browser, served)
  await workbench.page.goto(`${served.url}/data`)
  return {
    ...workbench,
    served,
    browser,
    how,
    async close() {
      await browser.close()
      await served.kill('SIGTERM')
    },
  }
}

async function scripted(scenario: string | undefined): Promise<readonly string[]> {
  if (scenario === undefined) return []
  const path = join(await newFolder('script'), 'scenario.yaml')
  await writeFile(path, scenario)
  return ['--script', path]
}
