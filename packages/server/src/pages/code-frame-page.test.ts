import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'

let testApp: TestApp
let response: Response
beforeAll(async () => {
  testApp = await openTestApp()
  response = await testApp.request('/sandbox.html')
})
afterAll(() => testApp.close())

const directives = () =>
  new Map(
    (response.headers.get('content-security-policy') ?? '').split('; ').map((text) => {
      const [name = '', ...values] = text.split(' ')
      return [name, values.join(' ')]
    }),
  )

it('has its own policy instead of that of the workbench: a separate origin that loads nothing', () => {
  expect(response.status).toBe(200)
  const policy = directives()
  expect(policy.get('sandbox')).toBe('allow-scripts')
  expect(policy.get('default-src')).toBe("'none'")
  expect(policy.get('worker-src')).toBe('blob:')
  expect(policy.get('frame-ancestors')).toBe("'self'")
  for (const name of ['connect-src', 'img-src', 'style-src']) expect(policy.has(name)).toBe(false)
  expect(response.headers.get('permissions-policy')).toMatch(/camera=\(\).*usb=\(\)/)
  expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

it('allows exactly one script, its own, by its hash', async () => {
  const html = await response.text()
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
  expect(scripts).toHaveLength(1)
  const hash = createHash('sha256')
    .update(scripts[0] ?? '')
    .digest('base64')
  expect(directives().get('script-src')).toBe(`'sha256-${hash}' 'unsafe-eval' blob:`)
})
