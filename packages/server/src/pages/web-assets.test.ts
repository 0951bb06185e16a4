import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AppEnv } from '../http/app-env.ts'
import { answerErrors } from '../middleware/problem-response.ts'
import { securityHeaders } from '../middleware/security-headers.ts'
import { webAssets } from './web-assets.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

const appOver = (folder: string) => {
  const app = new Hono<AppEnv>()
  app.onError(answerErrors(silent))
  app.use(securityHeaders)
  app.get('*', webAssets(folder))
  return app
}

describe('the files of the workbench', () => {
  let outside: string
  let app: Hono<AppEnv>

  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), 'quarterdeck-web-'))
    const folder = join(outside, 'dist')
    await mkdir(join(folder, 'assets'), { recursive: true })
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>workbench</title>')
    await writeFile(join(folder, 'assets', 'index-Abc12345.js'), 'export {}')
    await writeFile(join(folder, 'assets', 'duckdb-browser-eh.worker-Abc12345.js'), 'self')
    await writeFile(join(outside, 'secret.txt'), 'hush-hush')
    await symlink(join(outside, 'secret.txt'), join(folder, 'assets', 'link.txt'))
    app = appOver(folder)
  })

  it.each(['/', '/index.html', '/sessions/ses_12345678', '/sessions'])('serves the page for %s', async (path) => {
    const response = await app.request(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toContain('workbench')
  })

  it('allows caching of hashed files forever', async () => {
    const response = await app.request('/assets/index-Abc12345.js')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await response.text()).toBe('export {}')
  })

  it('lets the worker of the database connect to no server', async () => {
    const policyOf = async (path: string) => (await app.request(path)).headers.get('content-security-policy')
    expect(await policyOf('/assets/duckdb-browser-eh.worker-Abc12345.js')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src blob:",
    )
    expect(await policyOf('/assets/index-Abc12345.js')).toContain("connect-src 'self'")
  })

  it('returns 404 for a missing file instead of the page', async () => {
    const response = await app.request('/assets/gone-Abc12345.js')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'request.route-not-found' })
  })

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/assets/link.txt',
    '/assets/..%5c..%5csecret.txt',
    '/index.html%00.txt',
    '/%E0%A4%A',
  ])('serves nothing outside of its folder: %s', async (path) => {
    const response = await app.request(path)
    expect(await response.text()).not.toContain('hush-hush')
  })

  it('serves a notice when the workbench is not built', async () => {
    const response = await appOver(join(outside, 'nothing-here')).request('/')
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('not built yet')
  })
})
