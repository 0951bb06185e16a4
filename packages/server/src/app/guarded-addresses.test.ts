import { afterAll, beforeAll, expect, it } from 'vitest'
import { wires } from '../wires/wires.ts'
import { openTestApp, type TestApp } from './app.fixture.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await openTestApp()
})
afterAll(() => testApp.close())

/** What anybody may ask for: signs of life, the way in, and the pages. */
const open = new Set(['/health', '/ready', '/login', '/sandbox.html', '*', '/*'])

it('asks at every address for a key, the foreign protocols included, but at those that are open', async () => {
  const addresses = testApp.app.routes.filter(({ method, path }) => method !== 'ALL' && !open.has(path))
  expect(addresses.length).toBeGreaterThan(50)
  for (const { method, path } of addresses) {
    const { status } = await testApp.request(path.replace(/:\w+/g, 'x'), { method })
    expect([method, path, status]).toEqual([method, path, 401])
  }
})

it('never has the addresses of a wire within those of another: a request would be counted twice', () => {
  const all = [
    ...new Set([...Object.values(wires).flatMap(({ paths }) => paths), '/v1/*', '/openapi.json', '/metrics']),
  ]
  for (const wide of all.filter((path) => path.endsWith('*'))) {
    const within = all.filter((path) => path !== wide && path.startsWith(wide.slice(0, -1)))
    expect(within).toEqual([])
  }
})
