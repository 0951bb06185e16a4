// A page from elsewhere may send requests here, cookies of this site included: its Origin gives it away.
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from '../app-env.ts'

export interface OriginRules {
  readonly publicUrl: string | null
  /** Origins that may call with a token of their own. They never get cookies. */
  readonly allowedOrigins: readonly string[]
}

/** Refuses every request that names an origin which is neither this server nor listed. Runs after the host check. */
export function checkOrigin(rules: OriginRules): MiddlewareHandler<AppEnv> {
  const known = new Set(rules.allowedOrigins)
  if (rules.publicUrl !== null) known.add(new URL(rules.publicUrl).origin)
  return async (c, next) => {
    const origin = c.req.header('origin')
    if (origin !== undefined && origin !== `http://${c.req.header('host')}` && !known.has(origin)) {
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
