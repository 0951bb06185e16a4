import { randomUUID } from 'node:crypto'
import type { Logger } from '@quarterdeck/engine'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'

/** One line per request. The path is logged without its query, which may contain a login code. */
export const logRequests =
  (logger: Logger): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const requestId = randomUUID()
    const startedAt = performance.now()
    c.set('requestId', requestId)
    c.header('x-request-id', requestId)
    await next()
    const durationMs = Math.round(performance.now() - startedAt)
    logger.debug({ requestId, method: c.req.method, path: c.req.path, status: c.res.status, durationMs }, 'request')
  }
