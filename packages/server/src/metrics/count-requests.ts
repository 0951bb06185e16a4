import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { AppEnv } from '../http/app-env.ts'
import type { ServerMetrics } from './server-metrics.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts requests under the pattern of their address, so that ids never become labels. */
export function countRequests(metrics: ServerMetrics): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedAt = performance.now()
    await next()
    // Middleware and fallbacks match every method; the first other handler determines the address.
    const handler = matchedRoutes(c).find(({ method }) => method !== 'ALL')
    const isSocket = c.env?.upgrade !== undefined && c.res.status === 204
    if (c.res.status === 429) metrics.refused()
    metrics.answered({
      method: methods.has(c.req.method) ? c.req.method : 'other',
      route: handler === undefined ? 'none' : handler.path.replace(/:(\w+)/g, '{$1}'),
      status: isSocket ? 101 : c.res.status,
      seconds: (performance.now() - startedAt) / 1000,
    })
  }
}
