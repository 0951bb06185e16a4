// The rooms of the analysis on a page of their own: built by Vite, served by the real server with its real headers, in
// the real browser. What has no page is tested here.
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { startServer } from '@quarterdeck/server'
import { build } from 'vite'
import type { JSHandle } from '../tools/node_modules/playwright-core/index.d.ts'
import { type Browser, launchBrowser, type Page } from './browser.ts'
import { listenOnLoopback } from './listen-on-loopback.ts'
import { checkout, newFolder } from './served.ts'
import { openPage } from './workbench.ts'

/** Name on the page → file below `packages/web/src/analysis/`. */
export type RoomFiles = Readonly<Record<string, string>>

export interface HarnessPage<Rooms> {
  readonly page: Page
  /** Runs in the page, with the rooms and whatever is handed in. What it returns has to be plain. */
  run<Given extends object, Result>(
    work: (parts: { readonly rooms: Rooms } & Given) => Result | Promise<Result>,
    ...given: keyof Given extends never ? [] : [given: Given]
  ): Promise<Result>
  /** Script errors, refusals of the content policy and errors on the console, so far. */
  trouble(): readonly string[]
  /** Addresses this page or its workers asked for that are not the server's own. */
  outside(): readonly string[]
  close(): Promise<void>
}

export interface Harness<Rooms> extends HarnessPage<Rooms> {
  readonly browser: Browser
  readonly url: string
  /** The folder that is served. */
  readonly site: string
  /** A server nobody has any business with: what reaches it is counted, whoever asks, and answered so that all may read it. */
  readonly forbidden: { readonly url: string; hits(): number }
  /** A page with storage of its own. */
  openAnother(): Promise<HarnessPage<Rooms>>
  /** The same page without any content policy, for the proof that what is counted would be seen. */
  openBare(): Promise<HarnessPage<Rooms>>
  /** The same storage in another tab. */
  openTab(): Promise<HarnessPage<Rooms>>
}

/**
 * ```ts
 * const harness = await openHarness<{ duck: typeof import('../packages/web/src/analysis/duck/create-engine.ts') }>({
 *   duck: 'duck/create-engine.ts',
 * })
 * const rows = await harness.run(async ({ rooms }) => (await rooms.duck.createEngine({})).tables())
 * ```
 */
export async function openHarness<Rooms>(files: RoomFiles): Promise<Harness<Rooms>> {
  const [site, browser] = await Promise.all([buildSite(files), launchBrowser()])
  const server = await startServer({
    house: {
      dataDir: join(await newFolder('data'), 'data'),
      agentPaths: [],
      env: { PATH: process.env.PATH },
      homeDir: await newFolder('home'),
      cwd: await newFolder('cwd'),
      modelSource: 'simulator',
      credentials: 'note',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    },
    ...{ host: '127.0.0.1', port: 0, webFolder: site },
  })
  const forbidden = await countRequests()
  const bare = await serveBare(server.url)
  const first = await openRooms<Rooms>(browser, server.url)
  return {
    ...first,
    ...{ browser, site, url: server.url, forbidden },
    openAnother: () => openRooms(browser, server.url),
    openBare: () => openRooms(browser, bare.url),
    async openTab() {
      const page = await first.page.context().newPage()
      await page.goto(server.url)
      const rooms = await roomsOf<Rooms>(page)
      return { page, run: runner(page, rooms), trouble: () => [], outside: () => [], close: () => page.close() }
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

async function openRooms<Rooms>(browser: Browser, url: string): Promise<HarnessPage<Rooms>> {
  const workbench = await openPage(browser, url)
  const rooms = await roomsOf<Rooms>(workbench.page)
  return { ...workbench, run: runner(workbench.page, rooms) }
}

async function roomsOf<Rooms>(page: Page): Promise<JSHandle<Rooms>> {
  await page.waitForFunction(() => 'rooms' in globalThis)
  // The entry written below puts them there.
  return page.evaluateHandle(() => (globalThis as unknown as { rooms: Rooms }).rooms)
}

function runner<Rooms>(page: Page, rooms: JSHandle<Rooms>): HarnessPage<Rooms>['run'] {
  return ((work: never, given: object = {}) => page.evaluate(work, { rooms, ...given } as never)) as never
}

/** The samples and whatever else lies in the public folder of the workbench is there too. */
async function buildSite(files: RoomFiles): Promise<string> {
  const root = await newFolder('rooms')
  const rooms = join(checkout, 'packages/web/src/analysis')
  const imports = Object.entries(files).map(([name, file]) => `import * as ${name} from '${join(rooms, file)}'`)
  await mkdir(root, { recursive: true })
  await writeFile(
    join(root, 'entry.ts'),
    `${imports.join('\n')}\nglobalThis.rooms = { ${Object.keys(files).join(', ')} }\n`,
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

/** What the real server serves, without what it says about security. */
async function serveBare(origin: string): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? '/', origin))
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  return { url: await listenOnLoopback(server), server }
}
