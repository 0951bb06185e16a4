import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from './app.fixture.ts'
import { guardedPaths } from './known-addresses.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await openTestApp()
})
afterAll(() => testApp.close())

/** The public addresses: health, login and pages. */
const open = new Set(['/health', '/ready', '/login', '/sandbox.html', '*', '/*'])

it('requires a key at every address except the public ones, foreign protocols included', async () => {
  const addresses = testApp.app.routes.filter(({ method, path }) => method !== 'ALL' && !open.has(path))
  expect(addresses.length).toBeGreaterThan(50)
  for (const { method, path } of addresses) {
    const { status } = await testApp.request(path.replace(/:\w+/g, 'x'), { method })
    expect([method, path, status]).toEqual([method, path, 401])
  }
})

it('has no guarded pattern within another, which would count requests twice', () => {
  expect([...guardedPaths].sort()).toEqual([
    ...['/api/*', '/compat/*', '/metrics', '/models', '/openapi.json', '/v1/*', '/ws/*'],
  ])
  for (const wide of [...guardedPaths].filter((path) => path.endsWith('*'))) {
    const within = [...guardedPaths].filter((path) => path !== wide && `${path}/`.startsWith(wide.slice(0, -1)))
    expect(within).toEqual([])
  }
})

it('refuses other methods at every address that it serves', async () => {
  for (const { path, method } of testApp.app.routes) {
    if (method === 'ALL' || path === '/*' || path === '*') continue
    const response = await testApp.call(path.replace(/:\w+/g, 'x'), { method: 'PUT' })
    expect([path, response.status]).toEqual([path, 405])
    expect(response.headers.get('allow')?.split(', ')).toContain(method)
  }
})
