import { afterAll, beforeAll, expect, it } from 'vitest'
import { wires } from '../wires/wires.ts'
import { openTestApp, type TestApp } from './app.fixture.ts'

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

it('has no wire whose addresses lie within those of another, which would count requests twice', () => {
  const all = [
    ...new Set([...Object.values(wires).flatMap(({ paths }) => paths), '/v1/*', '/openapi.json', '/metrics']),
  ]
  for (const wide of all.filter((path) => path.endsWith('*'))) {
    const within = all.filter((path) => path !== wide && path.startsWith(wide.slice(0, -1)))
    expect(within).toEqual([])
  }
})
