// The modules of Data on a page without UI: built by Vite, served by the real server with its real headers, in a real
// browser. Tests of modules without their own screen run here.
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { startServer } from '@quarterdeck/server'
import { build } from 'vite'
import type { JSHandle } from '../../../tools/node_modules/playwright-core/index.d.ts'
import { type Browser, openBrowser, type Page } from '../../support/browser/browser.ts'
import { openPage } from '../../support/browser/workbench.ts'
import { listenOnLoopback } from '../../support/network/listen-on-loopback.ts'
import { checkout, newFolder } from '../../support/server/serve.ts'
import { folderVariable } from '../../support/server/temporary-folder.ts'
import type { HarnessModules } from './harness-entry.ts'

type ModuleName = keyof HarnessModules

type Modules<Name extends ModuleName> = Pick<HarnessModules, Name>

export interface HarnessPage<Name extends ModuleName> {
  readonly page: Page
  /** Runs in the page with the modules and the given values. The result must be plain JSON. */
  run<Given extends object, Result>(
    work: (parts: { readonly modules: Modules<Name> } & Given) => Result | Promise<Result>,
    ...given: keyof Given extends never ? [] : [given: Given]
  ): Promise<Result>
  /** Script errors, violations of the content security policy and console errors so far. */
  trouble(): readonly string[]
  /** Requests of this page or its workers to other servers. */
  outside(): readonly string[]
  close(): Promise<void>
}

export interface Harness<Name extends ModuleName> extends HarnessPage<Name> {
  readonly browser: Browser
  readonly url: string
  /** The served folder. */
  readonly site: string
  /** A foreign server that counts all requests and allows every origin to read its answers. */
  readonly forbidden: { readonly url: string; hits(): number }
  /** A page with separate storage. */
  openAnother(): Promise<HarnessPage<Name>>
  /** The same page without a content security policy, to prove that requests would be counted. */
  openBare(): Promise<HarnessPage<Name>>
  /** Another tab with the same storage. */
  openTab(): Promise<HarnessPage<Name>>
}

/** ```ts
 * const harness = await openHarness('duck')
 * const tables = await harness.run(async ({ modules }) => (await modules.duck.createQueryEngine({})).tables())
 * ``` */
export async function openHarness<Name extends ModuleName>(...names: readonly Name[]): Promise<Harness<Name>> {
  const [site, browser] = await Promise.all([builtSite(), openBrowser()])
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
  const first = await openModules(browser, server.url, names)
  return {
    ...first,
    browser,
    site,
    url: server.url,
    forbidden,
    openAnother: () => openModules(browser, server.url, names),
    openBare: () => openModules(browser, bare.url, names),
    async openTab() {
      const page = await first.page.context().newPage()
      await page.goto(server.url)
      const modules = await modulesOf(page, names)
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

async function openModules<Name extends ModuleName>(
  browser: Browser,
  url: string,
  names: readonly Name[],
): Promise<HarnessPage<Name>> {
  const workbench = await openPage(browser, url)
  const modules = await modulesOf(workbench.page, names)
  return { ...workbench, run: runner(workbench.page, modules) }
}

/** Loads the modules on the page, where they are the global `modules` too. */
export async function modulesOf<Name extends ModuleName>(
  page: Page,
  names: readonly Name[],
): Promise<JSHandle<Modules<Name>>> {
  await page.waitForFunction(() => 'loaders' in globalThis)
  const modules: JSHandle = await page.evaluateHandle(async (wanted) => {
    const { loaders } = globalThis as unknown as { loaders: Record<string, () => Promise<unknown>> } // the entry's
    const loaded = await Promise.all(wanted.map(async (name) => [name, await loaders[name]?.()]))
    return Object.assign(globalThis, { modules: Object.fromEntries(loaded) }).modules
  }, names)
  return modules
}

function runner<Name extends ModuleName>(page: Page, modules: JSHandle<Modules<Name>>): HarnessPage<Name>['run'] {
  return ((work: never, given: object = {}) => page.evaluate(work, { modules, ...given } as never)) as never
}

/** Built once for all test files: the first one that needs it builds it, the others wait. */
async function builtSite(): Promise<string> {
  const run = process.env[folderVariable]
  if (run === undefined) throw new Error('the configuration of e2e creates the folder of the run')
  const [folder, site] = [join(run, 'harness'), join(run, 'harness-site')]
  const isFirst = (await mkdir(folder, { recursive: true })) !== undefined
  if (isFirst) await buildSite(folder, site)
  while (!existsSync(site)) await new Promise((resolve) => setTimeout(resolve, 50))
  return site
}

/** Includes the samples and the other files of the workbench's public folder. */
async function buildSite(root: string, site: string): Promise<void> {
  const entry = join(checkout, 'e2e/data/support/harness-entry.ts')
  await writeFile(
    join(root, 'index.html'),
    `<!doctype html><title>modules</title><script src="/before-paint.js"></script><script type="module" src="${entry}"></script>`,
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
  // Complete when it has its name.
  await rename(join(root, 'site'), site)
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
