// The HTTP application. Security middleware runs in order: origin of the request, identity, permission.
import type { Principal } from '@quarterdeck/protocol'
import { Hono } from 'hono'
import { authenticate } from '../auth/authenticate.ts'
import { createBrowserSessions } from '../auth/browser-sessions.ts'
import { createSigner } from '../auth/create-signer.ts'
import type { LoginLinks } from '../auth/login-links.ts'
import { loginRoute } from '../auth/login-route.ts'
import type { ServedCompatListener } from '../compat-listeners/compat-listener-plan.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitBodyTime } from '../http/body-timing.ts'
import { countRequests } from '../metrics/count-requests.ts'
import { boundUrl } from '../middleware/bound-url.ts'
import { checkHost } from '../middleware/check-host.ts'
import { allowListedOrigins, checkOrigin } from '../middleware/check-origin.ts'
import { answerErrors } from '../middleware/problem-response.ts'
import { createRequestMeter, limitRequests, spend } from '../middleware/rate-limits.ts'
import { logRequests } from '../middleware/request-log.ts'
import { securityHeaders } from '../middleware/security-headers.ts'
import { createTokenBucket } from '../middleware/token-bucket.ts'
import { buildOpenApiDocument } from '../openapi/openapi-document.ts'
import { createOperations } from '../operations/create-operations.ts'
import { mountOperations } from '../operations/mount-operations.ts'
import { createReadiness } from '../operations/readiness.ts'
import { codeFramePage } from '../pages/code-frame-page.ts'
import { webAssets } from '../pages/web-assets.ts'
import { mountEventRoute } from '../routes/mount-event-route.ts'
import { mountMetricsRoute } from '../routes/mount-metrics-route.ts'
import { mountSocketRoute } from '../routes/mount-socket-route.ts'
import { otherAddresses } from '../routes/other-addresses.ts'
import { wires } from '../wires/wires.ts'
import { guardedPaths, refuseUnknown } from './known-addresses.ts'
import type { SharedDeps } from './shared-deps.ts'

export interface AppOptions extends SharedDeps {
  /** Throws while the store cannot be written. */
  readonly checkStore: () => Promise<void>
  readonly dataDir: string
  /** The open compatibility listeners; none by default. */
  readonly compatListeners?: () => readonly ServedCompatListener[]
  readonly webFolder: string
  readonly accessToken: string
  readonly loginLinks: LoginLinks
  readonly host: string
  readonly publicUrl: string | null
  readonly allowedOrigins: readonly string[]
  readonly isDraining: () => boolean
  /** Aborted when the server stops: ends the event streams. */
  readonly closing: AbortSignal
}

export function createApp(options: AppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const browserSessions = createBrowserSessions(options.accessToken, options.now)
  const wrongCredentials = createTokenBucket(options.rateLimits.wrongCredentials, options.now)
  const onWrong = () => spend(wrongCredentials, 'too many wrong tokens, cookies or login codes')
  const identify = authenticate({ ...options, browserSessions, onWrong })
  const meter = createRequestMeter(options.rateLimits, options.now)
  const limit = limitRequests(meter)
  const { metrics } = options

  app.onError(answerErrors(options.logger))
  app.use(countRequests(metrics), logRequests(options.logger), securityHeaders, limitBodyTime(options.timing))
  app.use(boundUrl(Object.values(wires).flatMap(({ bulkyQuery }) => bulkyQuery ?? [])))
  app.use(checkHost(options), checkOrigin(options), allowListedOrigins(options))
  for (const path of guardedPaths) app.use(path, identify, limit)

  const operationsOf = createOperations({
    ...options,
    compatListeners: options.compatListeners ?? (() => []),
    requireReady: createReadiness(options),
  })
  mountOperations({ ...options, app }, operationsOf)
  mountEventRoute(app, options)
  mountSocketRoute(app, options)
  const openMeter = (principal: Principal) => () => meter.count(principal, 'change')
  const sign = createSigner(options.accessToken)
  const wireDeps = { ...options, openMeter, sign, agent: null }
  for (const wire of Object.values(wires)) wire.mount(app, wireDeps)
  mountMetricsRoute(app, metrics.registry)

  let document: string | undefined
  app.get(otherAddresses.openapi.path, (c) => {
    // Built on first use: it takes longer than the rest of the start.
    document ??= JSON.stringify(buildOpenApiDocument(options.version))
    return c.body(document, 200, { 'content-type': 'application/json' })
  })
  const isSecure = options.publicUrl?.startsWith('https:') ?? false
  app.get(otherAddresses.login.path, loginRoute({ links: options.loginLinks, browserSessions, isSecure, onWrong }))
  // Unknown API addresses are refused here and never serve a page.
  for (const path of guardedPaths) app.all(path, refuseUnknown)
  app.get(otherAddresses.sandbox.path, codeFramePage())
  app.get('*', webAssets(options.webFolder))
  app.all('*', refuseUnknown)
  return app
}
