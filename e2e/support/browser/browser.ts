// The test browser. It and its driver are in tools/, outside of the workspaces, and are resolved from there.
import { existsSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Locator, Page } from '../../../tools/node_modules/playwright-core/index.d.ts'

export type { Browser, Locator, Page }

const fromTools = createRequire(new URL('../../../tools/package.json', import.meta.url))

const { chromium }: typeof import('../../../tools/node_modules/playwright-core/index.d.ts') =
  fromTools('playwright-core')

/** Where the tests, which run in other processes, find the browser of the run. */
const endpointVariable = 'QUARTERDECK_E2E_BROWSER'

/** Global setup of vitest: all test files share one browser. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(await launchOptions())
  process.env[endpointVariable] = server.wsEndpoint()
  return () => server.close()
}

/** A connection to the browser of the run. Closing it closes its pages; the pages of other connections stay. */
export async function openBrowser(): Promise<Browser> {
  const endpoint = process.env[endpointVariable]
  if (endpoint === undefined) throw new Error('the configuration of e2e starts the browser')
  return chromium.connect(endpoint)
}

/** Another browser, for tests that need their own arguments. The caller closes it. */
export async function launchBrowser(args: readonly string[]): Promise<Browser> {
  const options = await launchOptions()
  return chromium.launch({ ...options, args: [...options.args, ...args] })
}

/** Pages of tests live for seconds: optimizing their code takes more time than it saves. */
const noOptimization = '--js-flags=--liftoff-only --wasm-lazy-validation --no-turbofan --no-maglev --single-threaded-gc'

/** `CHROMIUM_PATH` selects an installed browser; by default the one from npm is unpacked. */
async function launchOptions() {
  const installed = process.env.CHROMIUM_PATH
  const { executablePath, env } = installed ? { executablePath: installed, env: {} } : await unpackChromium()
  return { executablePath, env: { ...process.env, ...env }, args: [noOptimization, '--disable-gpu'] }
}

interface Unpacked {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

/** Restores the variables that unpacking changes, because other test files run in this process later. */
async function unpackChromium(): Promise<Unpacked> {
  const { TMPDIR, AWS_LAMBDA_JS_RUNTIME } = process.env
  try {
    return await unpack()
  } finally {
    restore('TMPDIR', TMPDIR)
    restore('AWS_LAMBDA_JS_RUNTIME', AWS_LAMBDA_JS_RUNTIME)
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

async function unpack(): Promise<Unpacked> {
  // The package unpacks into <tmpdir>/chromium, readable by its owner only, so each user needs their own folder.
  const folder = join(outside, `quarterdeck-browser-${process.getuid?.() ?? 'user'}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  process.env.TMPDIR = folder
  // Makes it unpack its own libnss3 and others, which minimal images lack. Read when the module loads.
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs20.x'
  const { default: chromium } = await importFromTools<{ default: Unpacker }>('@sparticuz/chromium')
  const executable = join(folder, 'chromium')
  if (!existsSync(executable)) await unpackInto(folder, chromium)
  return { executablePath: executable, env: { TMPDIR: folder, FONTCONFIG_PATH: await writeFontList(folder) } }
}

interface Unpacker {
  executablePath(): Promise<string>
}

/** The temporary folder before unpacking changes it. */
const outside = tmpdir()

/**
 * Several test files may unpack at the same time, each into its own folder. The first to publish its program wins: a
 * program that is replaced while it starts cannot start its own child processes.
 */
async function unpackInto(folder: string, chromium: Unpacker): Promise<void> {
  const own = await mkdtemp(join(folder, 'unpacking-'))
  process.env.TMPDIR = own
  await chromium.executablePath()
  process.env.TMPDIR = folder
  // The program comes last: its presence means that all it needs is there. A link, unlike a rename, replaces nothing.
  const names = (await readdir(own)).filter((name) => name !== 'chromium')
  for (const name of names) await rename(join(own, name), join(folder, name)).catch(ignoreExisting)
  await link(join(own, 'chromium'), join(folder, 'chromium')).catch(ignoreExisting)
  await rm(own, { recursive: true })
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
}

/** The package's font list always names /tmp/fonts. Without fonts, the browser draws no text and crashes on symbols. */
async function writeFontList(folder: string): Promise<string> {
  const config = join(folder, 'fontconfig')
  await mkdir(config, { recursive: true })
  const fontFolders = [join(folder, 'fonts'), '/usr/share/fonts'].map((path) => `<dir>${path}</dir>`).join('')
  const text = `<?xml version="1.0"?><fontconfig>${fontFolders}<cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`
  // Renamed into place, because another browser may read it at this moment.
  const written = join(config, `fonts.${process.pid}`)
  await writeFile(written, text)
  await rename(written, join(config, 'fonts.conf'))
  return config
}

async function importFromTools<T>(name: string): Promise<T> {
  const module: T = await import(pathToFileURL(fromTools.resolve(name)).href)
  return module
}
