// Hooks that resolve and load the modules of a project, in a worker process or a TypeScript program. Node runs them in
// another thread, possibly from a `data:` URL, so this file imports only Node's own modules.
import { readFile } from 'node:fs/promises'
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { MessagePort } from 'node:worker_threads'

export interface HookData {
  /** URL of the module that strips types. */
  readonly stripper: string
  /** The package whose dependencies a project may use without installing them. */
  readonly packagesUrl: string
  /** Receives the path of each project file that is read. A separate program has no receiver. */
  readonly files?: MessagePort
}

type Strip = (code: string, options: { mode: 'strip-only'; filename: string }) => { code: string }

let hookData: HookData | null = null
let stripping: Promise<Strip> | null = null

export const initialize: InitializeHook<HookData> = (data) => {
  hookData = data
  data.files?.unref()
}

/** Loaded only for a TypeScript project. */
function stripper(): Promise<Strip> {
  stripping ??= import(hookData?.stripper ?? '').then(({ default: { transformSync } }) => transformSync)
  return stripping
}

/** A project may use these without installing them. */
const providedPackages = /^(?:zod|@modelcontextprotocol\/sdk)(?:\/|$)/

export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (providedPackages.test(specifier)) return await next(specifier, { ...context, parentURL: hookData?.packagesUrl })
    // In TypeScript, `./other.ts` is often imported as `./other.js`.
    const typed = /^\.{1,2}\//.test(specifier) ? specifier.replace(/(?:\.(m?)js)?$/, '.$1ts') : specifier
    if (typed === specifier || /\.m?ts$/.test(specifier)) throw error
    try {
      return await next(typed, context)
    } catch {
      throw error // the specifier as written
    }
  }
}

export const load: LoadHook = async (url, context, next) => {
  if (url.startsWith('file:') && !url.includes('/node_modules/')) hookData?.files?.postMessage(fileURLToPath(url))
  if (!/^file:.*\.m?ts(?:\?|$)/.test(url)) return await next(url, context)
  const file = fileURLToPath(url)
  const strip = await stripper()
  try {
    const { code } = strip(await readFile(file, 'utf8'), { mode: 'strip-only', filename: file })
    return { format: 'module', source: code, shortCircuit: true }
  } catch (error) {
    throw new SyntaxError(`${locationOf(error, file)}: ${messageOf(error)}`)
  }
}

function locationOf(error: unknown, file: string): string {
  if (typeof error !== 'object' || error === null || !('startLine' in error)) return file
  return 'startColumn' in error ? `${file}:${error.startLine}:${Number(error.startColumn) + 1}` : file
}

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
