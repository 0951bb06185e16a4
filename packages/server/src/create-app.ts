// The HTTP application. The order of the layers is the order of suspicion: where from, who, what.
import type { AgentShelf, Logger, SessionService } from '@quarterdeck/engine'
import { type CatalogModel, modelCatalog, type Principal } from '@quarterdeck/protocol'
import { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'
import { authenticate } from './auth/authenticate.ts'
import { createBrowserSessions } from './auth/browser-sessions.ts'
import { createKeyWatch } from './auth/key-watch.ts'
import type { LoginLinks } from './auth/login-links.ts'
import { loginRoute } from './auth/login-route.ts'
import type { ServedDoor } from './doors/door-plan.ts'
import { buildOpenApiDocument } from './openapi-document.ts'
import { createReadiness } from './readiness.ts'
import { boundUrl } from './requests/bound-url.ts'
import { checkHost } from './requests/check-host.ts'
import { allowListedOrigins, checkOrigin } from './requests/check-origin.ts'
import { createIdempotency, type ReplyStore } from './requests/idempotency.ts'
import { answerErrors } from './requests/problem-response.ts'
import { limitRequests, type RateLimits, spend } from './requests/rate-limits.ts'
import { logRequests } from './requests/request-log.ts'
import { securityHeaders } from './requests/security-headers.ts'
import { createTokenBucket } from './requests/token-bucket.ts'
import { mountApprovalRoutes } from './routes/approvals.ts'
import { mountClientRoutes } from './routes/clients.ts'
import { mountEventRoutes } from './routes/events.ts'
import { mountMessageRoutes } from './routes/messages.ts'
import { mountMoneyRoutes } from './routes/money.ts'
import type { Mount } from './routes/mount-route.ts'
import { mountOversightRoutes } from './routes/oversight.ts'
import { mountQuestionRoutes } from './routes/questions.ts'
import { mountServerRoutes } from './routes/server-info.ts'
import { mountSessionRoutes } from './routes/sessions.ts'
import { mountSocketRoute } from './routes/socket.ts'
import { refuseUnknown } from './routes/unknown-address.ts'
import type { SseTiming } from './transports/sse.ts'
import { webAssets } from './web-assets.ts'
import { wires } from './wires/mount-wires.ts'
import { paceChanges } from './wires/pace-changes.ts'

export interface AppOptions {
  /** The doors as one principal sees them. */
  readonly sessionsOf: (principal: Principal) => SessionService
  readonly agents: AgentShelf
  /** As the server's own config.yaml has it; the plain one unless said. */
  readonly catalog?: readonly CatalogModel[]
  readonly replies: ReplyStore
  /** Throws while nothing can be written. */
  readonly checkStore: () => Promise<void>
  readonly dataDir: string
  /** Those that are open; none unless said. */
  readonly doors?: () => readonly ServedDoor[]
  readonly version: string
  readonly webFolder: string
  readonly accessToken: string
  /** Whose key it is, or `null` for a token that is none (any more). */
  readonly findKey: (token: string) => Promise<Principal | null>
  readonly loginLinks: LoginLinks
  readonly host: string
  readonly publicUrl: string | null
  readonly allowedOrigins: readonly string[]
  readonly timing: SseTiming
  /** Of `KeyWatch`. */
  readonly keyCheckMs?: number
  readonly rateLimits: RateLimits
  readonly isDraining: () => boolean
  /** Aborted when the server goes: ends the event streams. */
  readonly closing: AbortSignal
  readonly now: () => number
  readonly logger: Logger
}

/** What everybody with a key may ask for, and nobody else. */
const guardedPaths = ['/v1/*', '/openapi.json', '/models', '/ws/*', '/api/*', '/compat/*'] as const

export function createApp(options: AppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const browserSessions = createBrowserSessions(options.accessToken, options.now)
  const wrongCredentials = createTokenBucket(options.rateLimits.wrongCredentials, options.now)
  const onWrong = () => spend(wrongCredentials, 'too many wrong tokens, cookies or login codes')
  const identify = authenticate({ ...options, browserSessions, onWrong })
  const limit = limitRequests(options.rateLimits, options.now)
  const keyWatch = createKeyWatch(options)

  app.onError(answerErrors(options.logger))
  app.use(logRequests(options.logger), securityHeaders, boundUrl)
  app.use(checkHost(options), checkOrigin(options), allowListedOrigins(options))
  for (const path of guardedPaths) app.use(path, identify, limit)

  const { findKey, isDraining, sessionsOf, catalog = modelCatalog } = options
  const mount: Mount = { app, idempotency: createIdempotency(options.replies), findKey, isDraining, sessionsOf }
  mountServerRoutes(mount, { ...options, doors: options.doors ?? (() => []), requireReady: createReadiness(options) })
  mountSessionRoutes(mount)
  mountMessageRoutes(mount)
  mountEventRoutes(mount, { ...options, keyWatch })
  mountApprovalRoutes(mount)
  mountQuestionRoutes(mount)
  mountClientRoutes(mount)
  mountMoneyRoutes(mount)
  mountOversightRoutes(mount)
  mountSocketRoute(app, { ...options, keyWatch })
  const countChange = paceChanges(options.rateLimits.changes, options.now)
  const wireDeps = { ...options, catalog, keyWatch, countChange, agent: null }
  for (const mountWire of Object.values(wires)) mountWire(app, wireDeps)

  let document: string | undefined
  app.get('/openapi.json', (c) => {
    // When somebody asks: making it takes longer than most of what a server does before it answers.
    document ??= JSON.stringify(buildOpenApiDocument(options.version))
    return c.body(document, 200, { 'content-type': 'application/json' })
  })
  const isSecure = options.publicUrl?.startsWith('https:') ?? false
  app.get('/login', loginRoute({ links: options.loginLinks, browserSessions, isSecure, onWrong }))
  // Whatever is asked of the API and was not found above is refused here and never becomes a page.
  for (const path of guardedPaths) app.all(path, refuseUnknown)
  app.get('*', webAssets(options.webFolder))
  app.all('*', refuseUnknown)
  return app
}
