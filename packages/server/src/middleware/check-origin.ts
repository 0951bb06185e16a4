// A foreign page may send requests here, with cookies of this site: its Origin identifies it.
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from '../http/app-env.ts'

export interface OriginRules {
  readonly publicUrl: string | null
  /** Origins that may call with their own token. They never get cookies. */
  readonly allowedOrigins: readonly string[]
}

/** Whether this server serves the page of the request, under the requested host or behind a proxy. */
export function isOwnOrigin(origin: string, { host, publicUrl }: { host: string; publicUrl: string | null }): boolean {
  return origin === `http://${host}` || (publicUrl !== null && origin === new URL(publicUrl).origin)
}

/** Refuses every Origin that is neither this server nor listed. Runs after the host check. */
export function checkOrigin(rules: OriginRules): MiddlewareHandler<AppEnv> {
  const { publicUrl, allowedOrigins } = rules
  return async (c, next) => {
    const origin = c.req.header('origin')
    const host = c.req.header('host') ?? ''
    if (origin !== undefined && !isOwnOrigin(origin, { host, publicUrl }) && !allowedOrigins.includes(origin)) {
      throw new QuarterdeckError(
        'auth.origin-refused',
        `pages of ${JSON.stringify(origin)} may not call this server: start it with --origin to allow them`,
      )
    }
    await next()
  }
}

export const allowListedOrigins = (rules: OriginRules): MiddlewareHandler<AppEnv> =>
  cors({
    origin: (origin) => (rules.allowedOrigins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'x-tool-token'],
    exposeHeaders: ['idempotent-replay', 'x-request-id'],
    maxAge: 600,
  })
