// The application of a compatibility listener: all middleware of the server except authentication, and one wire.
import type { Principal } from '@quarterdeck/protocol'
import { QuarterdeckError } from '@quarterdeck/protocol'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from '../http/app-env.ts'
import { limitBodyTime } from '../http/body-timing.ts'
import { countRequests } from '../metrics/count-requests.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { boundUrl } from '../middleware/bound-url.ts'
import { checkHost } from '../middleware/check-host.ts'
import { checkOrigin } from '../middleware/check-origin.ts'
import { answerErrors } from '../middleware/problem-response.ts'
import { createRequestMeter, limitRequests, type RateLimits } from '../middleware/rate-limits.ts'
import { refuseCrossSite } from '../middleware/refuse-cross-site.ts'
import { logRequests } from '../middleware/request-log.ts'
import { securityHeaders } from '../middleware/security-headers.ts'
import type { WireDeps, WireName } from '../wires/wire.ts'
import { wires } from '../wires/wires.ts'

/** Shared by all compatibility listeners of a server. */
export interface SharedCompatDeps extends Omit<WireDeps, 'agent' | 'openMeter'> {
  readonly rateLimits: RateLimits
  readonly metrics: ServerMetrics
}

export interface CompatAppOptions extends SharedCompatDeps {
  readonly wire: WireName
  readonly agent: string
  readonly origins: readonly string[]
}

/** Compatibility listeners bind to loopback only. */
export const compatHost = '127.0.0.1'

/**
 * The principal of all clients: it owns the sessions they start, sees no others, and decides nothing, because they are
 * unauthenticated.
 */
function compatPrincipal(wire: WireName, agent: string): Principal {
  const name = `door:${wire}:${agent}`
  return { name, owner: name, scope: 'agent', requestsPerMinute: null }
}

export function createCompatApp(options: CompatAppOptions): Hono<AppEnv> {
  const { wire, agent, origins, logger } = options
  const app = new Hono<AppEnv>()
  const principal = compatPrincipal(wire, agent)
  app.onError(answerErrors(logger))
  const { mount, notFound, bulkyQuery } = wires[wire]
  app.use(countRequests(options.metrics), logRequests(logger), securityHeaders, limitBodyTime(options.timing))
  app.use(boundUrl(bulkyQuery === undefined ? [] : [bulkyQuery]))
  app.use(checkHost({ host: compatHost, publicUrl: null }))
  app.use(checkOrigin({ publicUrl: null, allowedOrigins: origins }), refuseCrossSite, allowOrigins(origins))
  app.use(async (c, next) => {
    c.set('principal', principal)
    c.set('key', null)
    await next()
  })
  const meter = createRequestMeter(options.rateLimits, options.now)
  app.use(limitRequests(meter))
  // All clients are one principal: each connection gets its own meter, so that one cannot block the others.
  const openMeter = (who: Principal) => {
    const own = createRequestMeter(options.rateLimits, options.now)
    return () => own.count(who, 'change')
  }
  mount(app, { ...options, openMeter })
  app.all('*', (c) => {
    if (notFound !== undefined) return c.text(notFound, 404)
    throw new QuarterdeckError('request.route-not-found', `the compatibility listener "${wire}" has no ${c.req.path}`)
  })
  return app
}

/** Any request headers are allowed; credentials are not. */
const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'DELETE'],
    maxAge: 600,
  })
