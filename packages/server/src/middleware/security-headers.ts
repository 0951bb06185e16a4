import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'

const pagePolicy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ')

/**
 * Of a worker's script: it computes, and reaches no server, not even this one. What it needs at first is handed to it as
 * a blob by the page.
 */
export const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src blob:"

const headers = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * Set before the request is handled, so that refusals and failures carry them too, and so that a route may say it
 * differently: a later `c.header` of the same name wins.
 */
export const securityHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  await next()
}
