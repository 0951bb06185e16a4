// A served workbench with the example agent of Data, and a browser on its page.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, openBrowser } from '../../support/browser/browser.ts'
import { openWorkbench, type Workbench } from '../../support/browser/workbench.ts'
import { examples, newFolder, type Served, type ServeOptions, serve } from '../../support/server/serve.ts'
import { type ServedProcess, serveProcess } from '../../support/server/serve-process.ts'

export interface DataWorkbench<Server extends Served = Served> extends Workbench {
  readonly served: Server
  readonly browser: Browser
  /** The options of the server, for a test that serves it again. */
  readonly how: { readonly agents: string; readonly args: readonly string[] }
  close(): Promise<void>
}

/** The model follows the scenario. Without one it is the demo model. */
export async function openDataWorkbench(scenario?: string): Promise<DataWorkbench> {
  return openOn(serve, scenario)
}

/** On a server that the test kills. */
export async function openKillableWorkbench(scenario: string): Promise<DataWorkbench<ServedProcess>> {
  return openOn(serveProcess, scenario)
}

async function openOn<Server extends Served>(
  start: (options: ServeOptions) => Promise<Server>,
  scenario?: string,
): Promise<DataWorkbench<Server>> {
  const how = {
    agents: join(examples, 'analysis'),
    args: ['--model-source', 'simulator', ...(await scriptArgs(scenario))],
  }
  const served = await start(how)
  const browser = await openBrowser()
  const workbench = await openWorkbench(browser, served)
  await workbench.page.goto(`${served.url}/data`)
  return {
    ...workbench,
    served,
    browser,
    how,
    async close() {
      await browser.close()
      await served.stop()
    },
  }
}

/** Options for a server whose model follows the scenario. */
export async function scriptArgs(scenario: string | undefined): Promise<readonly string[]> {
  if (scenario === undefined) return []
  const path = join(await newFolder('script'), 'scenario.yaml')
  await writeFile(path, scenario)
  return ['--script', path]
}
