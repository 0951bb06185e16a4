// The modules of Data on a page without UI: built by Vite, served by the real server with its real headers, in a real
// browser. Tests of modules without their own screen run here.
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { startServer } from '@quarterdeck/server'
import { build } from 'vite'
import type { JSHandle } from '../../../tools/node_modules/playwright-core/index.d.ts'
import { type Browser, launchBrowser, type Page } from '../../support/browser/browser.ts'
import { openPage } from '../../support/browser/workbench.ts'
import { listenOnLoopback } from '../../support/network/listen-on-loopback.ts'
import { checkout, newFolder } from '../../support/server/serve.ts'

/** Name on the page → file below `packages/web/src/data/`. */
export type ModuleFiles = Readonly<Record<string, string>>

export interface HarnessPage<Modules> {
  readonly page: Page
  /** Runs in the page with the modules and the given values. The result must be plain JSON. */
  run<Given extends object, Result>(
    work: (parts: { readonly modules: Modules } & Given) => Result | Promise<Result>,
    ...given: keyof Given extends never ? [] : [given: Given]
  ): Promise<Result>
  /** Script errors, violations of the content security policy and console errors so far. */
  trouble(): readonly string[]
  /** Requests of this page or its workers to other servers. */
  outside(): readonly string[]
  close(): Promise<void>
}

export interface Harness<Modules> extends HarnessPage<Modules> {
  readonly browser: Browser
  readonly url: string
  /** The served folder. */
  readonly site: string
  /** A foreign server that counts all requests and allows every origin to read its answers. */
  readonly forbidden: { readonly url: string; hits(): number }
  /** A page with separate storage. */
  openAnother(): Promise<HarnessPage<Modules>>
  /** The same page without a content security policy, to prove that requests would be counted. */
  openBare(): Promise<HarnessPage<Modules>>
  /** Another tab with the same storage. */
  openTab(): Promise<HarnessPage<Modules>>
}

/**
 * ```ts const harness = await openHarness<{ duck: typeof
 * import('../packages/web/src/data/engine/create-query-engine.ts') }>({
 * duck: 'engine/create-query-engine.ts', }) const rows = await harness.run(async ({ modules }) => (await
 * modules.duck.createQueryEngine({})).tables()) ```
 */
export async function openHarness<Modules>(files: ModuleFiles): Promise<Harness<Modules>> {
  const [site, browser] = await Promise.all([buildSite(files), launchBrowser()])
  const server = await startServer({
    runtime: {
      dataDir: join(await newFolder('data'), 'data'),
      agentPaths: [],
      env: { PATH: process.env.PATH },
      homeDir: await newFolder('home'),
      cwd: await newFolder('cwd'),
      modelSource: 'simulator',
      credentials: 'note',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    },
    host: '127.0.0.1',
    port: 0,
    webFolder: site,
  })
  const forbidden = await countRequests()
  const bare = await serveBare(server.url)
  const first = await openModules<Modules>(browser, server.url)
  return {
    ...first,
    browser,
    site,
    url: server.url,
    forbidden,
    openAnother: () => openModules(browser, server.url),
    openBare: () => openModules(browser, bare.url),
    async openTab() {
      const page = await first.page.context().newPage()
      await page.goto(server.url)
      const modules = await modulesOf<Modules>(page)
      return { page, run: runner(page, modules), trouble: () => [], outside: () => [], close: () => page.close() }
    },
    async close() {
      await browser.close()
      for (const { server: open } of [forbidden, bare]) {
        open.closeAllConnections()
        open.close()
      }
      await server.close()
    },
  }
}

async function openModules<Modules>(browser: Browser, url: string): Promise<HarnessPage<Modules>> {
  const workbench = await openPage(browser, url)
  const modules = await modulesOf<Modules>(workbench.page)
  return { ...workbench, run: runner(workbench.page, modules) }
}

async function modulesOf<Modules>(page: Page): Promise<JSHandle<Modules>> {
  await page.waitForFunction(() => 'modules' in globalThis)
  // The entry file written below puts them there.
  return page.evaluateHandle(() => (globalThis as unknown as { modules: Modules }).modules)
}

function runner<Modules>(page: Page, modules: JSHandle<Modules>): HarnessPage<Modules>['run'] {
  return ((work: never, given: object = {}) => page.evaluate(work, { modules, ...given } as never)) as never
}

/** Includes the samples and the other files of the workbench's public folder. */
async function buildSite(files: ModuleFiles): Promise<string> {
  const root = await newFolder('modules')
  const modules = join(checkout, 'packages/web/src/data')
  const imports = Object.entries(files).map(([name, file]) => `import * as ${name} from '${join(modules, file)}'`)
  await mkdir(root, { recursive: true })
  await writeFile(
    join(root, 'entry.ts'),
    `${imports.join('\n')}\nglobalThis.modules = { ${Object.keys(files).join(', ')} }\n`,
  )
  await writeFile(
    join(root, 'index.html'),
    '<!doctype html><title>rooms</title><script src="/before-paint.js"></script><script type="module" src="/entry.ts"></script>',
  )
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: join(checkout, 'packages/web/public'),
    resolve: { conditions: ['@quarterdeck/source', 'module', 'browser', 'development|production'] },
    worker: { format: 'es' },
    build: { outDir: 'site', assetsInlineLimit: 0, target: 'chrome123', modulePreload: { polyfill: false } },
  })
  return join(root, 'site')
}

interface Counter {
  readonly url: string
  readonly server: Server
  hits(): number
}

async function countRequests(): Promise<Counter> {
  let hits = 0
  const server = createServer((_request, response) => {
    hits += 1
    response.writeHead(200, { 'content-type': 'text/csv', 'access-control-allow-origin': '*' })
    response.end('a,b\n1,2\n')
  })
  return { url: await listenOnLoopback(server), server, hits: () => hits }
}

/** The files of the real server, without its security headers. */
async function serveBare(origin: string): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? '/', origin))
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  return { url: await listenOnLoopback(server), server }
}
