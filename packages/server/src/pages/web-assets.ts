// Serves the files of the workbench. A path without a file gets index.html; the browser routes it.
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Handler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { plainPage } from '../http/plain-page.ts'
import { workerPolicy } from '../middleware/security-headers.ts'

/** Beside this package, both for the sources and for the build. */
export const webFolder = (): string => fileURLToPath(new URL('../../../web/dist/site', import.meta.url))

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

export function webAssets(folder: string): Handler<AppEnv> {
  return async (c) => {
    const asked = await findFile(folder, c.req.path)
    if (asked === null && extname(c.req.path) !== '') {
      throw new QuarterdeckError('request.route-not-found', `there is no ${c.req.path}`)
    }
    const file = asked ?? (await findFile(folder, '/index.html'))
    if (file === null) return c.html(notBuilt, 503)
    c.header('content-type', contentTypes[extname(file.path)] ?? 'application/octet-stream')
    c.header('content-length', String(file.size))
    c.header('cache-control', isHashed(file.path) ? 'public, max-age=31536000, immutable' : 'no-cache')
    // A worker has the policy of its script, not that of the page.
    if (isWorker(file.path)) c.header('content-security-policy', workerPolicy)
    if (c.req.method === 'HEAD') return c.body(null)
    // The web streams of Node and the global ones are the same objects under two type names.
    return c.body(Readable.toWeb(createReadStream(file.path)) as ReadableStream<Uint8Array>)
  }
}

/** A regular file below the folder, links resolved, or `null`. */
async function findFile(folder: string, path: string): Promise<{ path: string; size: number } | null> {
  const decoded = decode(path)
  if (decoded === null || decoded.includes('\0')) return null
  try {
    const root = await realpath(folder)
    const real = await realpath(join(root, decoded))
    const facts = await stat(real)
    return real.startsWith(root + sep) && facts.isFile() ? { path: real, size: facts.size } : null
  } catch {
    return null // missing or unreadable: treated the same
  }
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null // invalid percent-encoding
  }
}

/** Vite puts a hash of the content before the extension. */
const isHashed = (path: string): boolean => /[/\\]assets[/\\].+-[\w-]{8,}\.\w+$/.test(path)

/** `duckdb-browser-eh.worker-Abc12345.js`: the naming of the package. */
const isWorker = (path: string): boolean => /\.worker-[\w-]{8,}\.js$/.test(path)

const notBuilt = plainPage('The workbench is not built yet', [
  'The server is running and its API answers; only the pages are missing.',
  'Run npm run build in the repository, then reload this page.',
])
